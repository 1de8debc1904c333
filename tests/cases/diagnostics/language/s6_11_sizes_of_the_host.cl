// §6.11: a typedef of size_t or one of its kin is as little a kernel's parameter as they are.
typedef size_t Count;
typedef Count Length;
typedef struct { Length of; } Text; //~ note: the member is here
typedef Length *Lengths;
typedef global Length *GlobalLengths;
typedef uint Number;
kernel void a(Count n) {} //~ error[kernel-parameter-type]: 'Count' cannot be the type of a kernel parameter
kernel void b(const Length n) {} //~ error[kernel-parameter-type]: 'Length' cannot be the type of a kernel parameter
kernel void c(Text t) {} //~ error[kernel-parameter-type]: a structure passed to a kernel cannot contain
kernel void d(global Count *n, GlobalLengths m, Number o) { Count p = o; n[0] = p; m[0] = p; }
