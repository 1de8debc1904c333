// A-5 rejected: the qualifier does not go on what is no buffer: parameters by value, results, members, locals.
void f(global int x) {} //~ error[parameter-address-space]: a parameter is always in the __private address space, it cannot be __global
global int g(void); //~ error[return-address-space]: a return type cannot be qualified with an address space (__global); what is returned is in __private
struct S { global int x; global int *fine; }; //~ error[member-address-space]: a member cannot be qualified with an address space (__global)
kernel void k(global int *p) {
    global int x; //~ error[function-scope-address-space]: variable 'x' in a function cannot be in the __global address space; it is in __private
    local int *constant_space = p; //~ error[address-space]: changes the address space of the pointer from '__global' to '__local'
}
