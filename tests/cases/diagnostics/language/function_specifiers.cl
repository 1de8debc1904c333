// `kernel` and `inline` are for functions; what a function returns is in no named space.
void f(kernel int x) { //~ error[not-a-function]: 'kernel' can only be applied to a function, not to a parameter
    int kernel y; //~ error[not-a-function]: 'kernel' can only be applied to a function, not to a variable
}
void g(inline int x) {} //~ error[not-a-function]: 'inline' can only be applied to a function, not to a parameter
private int h(void); //~ warning[return-address-space]: a return type cannot be qualified with an address space (__private)
private int *i(private int *p) { return p; }
