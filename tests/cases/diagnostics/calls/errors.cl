// Calls with too many, too few or the wrong arguments; builtins without such an overload.
int two(int a, float b) { return a; }
void nothing(void) {}
typedef struct { int a; } S;
int takes(S s) { return s.a; }
kernel void k(global int *out, float4 f, int4 i) {
    two(1); //~ error[argument-count]: too few arguments: 1 given, 2 expected
    two(1, 2, 3); //~ error[argument-count]: too many arguments: 3 given, 2 expected
    two(f, 1); //~ error[vector-conversion]: passing 'float4' to a parameter of type 'int': vectors do not convert
    takes(1); //~ error[incompatible-types]: passing 'int' to a parameter of type 'struct (unnamed)': the types
    out[0] = nothing(); //~ error[void-value]: a value of type 'void' cannot be used
    out[1] = 3(4); //~ error[not-a-function]: the called object is not a function
    out[2] = dot(i, i); //~ error[no-matching-builtin]: no overload of 'dot' takes (int4, int4)
    out[3] = clamp(1, 2); //~ error[no-matching-builtin]: no overload of 'clamp' takes (int, int)
    out[4] = get_global_id(); //~ error[no-matching-builtin]: no overload of 'get_global_id' takes ()
    sin(out); //~ error[no-matching-builtin]: no overload of 'sin' takes (__global int *)
    barrier(out); //~ error[no-matching-builtin]: no overload of 'barrier' takes (__global int *)
    atomic_add(&i.x, 1); //~ error[address-of-component]: the address of a vector component cannot be taken
    atomic_inc((global float *)out); //~ error[no-matching-builtin]: no overload of 'atomic_inc' takes (__global float *)
    vload4(0, f); //~ error[no-matching-builtin]: no overload of 'vload4' takes (int, float4)
    mad_hi(1.0f, 2.0f, 3.0f); //~ error[no-matching-builtin]: no overload of 'mad_hi' takes (float, float, float)
    nothing(1); //~ error[argument-count]: too many arguments: 1 given, 0 expected
}
