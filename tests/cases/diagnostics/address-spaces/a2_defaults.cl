// A-2 rejected: parameters and locals without a qualifier are private; before 2.0 program-scope variables are constant.
int program_scope = 3; //~ error[program-scope-address-space]: program-scope variable 'program_scope' has no address space (__private is not possible); here it must be in __constant
constant int fine = 3;
private int never; //~ error[program-scope-address-space]: program-scope variable 'never' is in the __private address space; it must be in __constant
global int not_in_12; //~ error[program-scope-address-space]: program-scope variable 'not_in_12' is in the __global address space; here it must be in __constant
void f(int x) { private int *p = &x; int y; p = &y; }
void g(global int x); //~ error[parameter-address-space]: a parameter is always in the __private address space, it cannot be __global
kernel void k(global int *p) { static int s = 0; global int g; } //~ error[static-local]: static variable 's' would be in the __global address space, not in
//~^ error[function-scope-address-space]: variable 'g' in a function cannot be in the __global address space; it is in __private
