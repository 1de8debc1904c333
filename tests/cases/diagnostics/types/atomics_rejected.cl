// Only the atomic functions take atomic objects (OpenCL C §6.15.12.9, "Restrictions").
// options: -cl-std=CL2.0
_Atomic int a; //~ error[atomic-keyword]: OpenCL C has no '_Atomic'
global _Atomic(uint) b; //~ error[atomic-keyword]: OpenCL C has no '_Atomic'
global atomic_short c; //~ error[unsupported-type]: type 'atomic_short' is no type of OpenCL C
constant atomic_int d = ATOMIC_VAR_INIT(1); //~ error[atomic-initializer]: atomic objects in __constant have no initialiser ('atomic_int')
struct S { atomic_int n; int m; };

int give(atomic_int n);

kernel void k(global atomic_int *g, global int *p, global struct S *s, local uint *u) {
    atomic_int x = 1; //~ error[atomic-initializer]: atomic objects in __private have no initialiser ('atomic_int'): only those in __global do
    struct S t = {0}; //~ warning[atomic-initializer]: atomic objects in __private have no initialiser ('struct S')
    p[0] = *g + 1; //~ error[atomic-operand]: an object of type 'atomic_int' is accessed by the atomic functions only
    *g = 1; //~ error[atomic-operand]: an object of type 'atomic_int' is accessed by the atomic functions only
    g[1] = g[2]; //~ error[atomic-operand]: 'atomic_int'
    g[1]++; //~ error[atomic-operand]: 'atomic_int'
    s->n += 2; //~ error[atomic-operand]: 'atomic_int'
    if (*g) p[1] = 1; //~ error[atomic-operand]: 'atomic_int'
    p[2] = (int)*g; //~ error[atomic-operand]: 'atomic_int'
    p[3] = max(*g, 1); //~ error[atomic-operand]: 'atomic_int'
    give(1); //~ error[atomic-operand]: 'atomic_int'
    vload4(0, g); //~ error[no-matching-builtin]: no overload of 'vload4' takes (int, __global atomic_int *)
    global int *q = g; //~ warning[incompatible-pointer-types]: initializing '__global int *' with '__global atomic_int *'
    g = p; //~ warning[incompatible-pointer-types]: assigning '__global int *' to '__global atomic_int *'
    atomic_fetch_add(p, 1); //~ warning[incompatible-pointer-types]: passing '__global int *' to a parameter of type '__global atomic_int *'
    atomic_add(g, 1); //~ warning[incompatible-pointer-types]: passing '__global atomic_int *' to a parameter of type '__global int *'
    atomic_inc(u);
}
