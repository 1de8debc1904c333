// §6.7.3 (const, restrict), §6.8 (access qualifiers), §6.9 (storage classes).
kernel void k(global int *p, int restrict r, read_only int a) { //~ error[invalid-restrict]: restrict requires a pointer ('int' is none)
//~^ error[invalid-access-qualifier]: access qualifiers can only be used on images and pipes
    register int reg; //~ error[unsupported-storage-class]: OpenCL C does not support the 'register' storage class specifier
    auto int automatic; //~ error[unsupported-storage-class]: OpenCL C does not support the 'auto' storage class specifier
    const int z = 1;
    z = 2; //~ error[const-write]: a const-qualified object cannot be written
    int *const pc = 0;
    pc = 0; //~ error[const-write]: a const-qualified object cannot be written
    const global int *cp = p;
    *cp = 1; //~ error[const-write]: a const-qualified object cannot be written
    global int *drops = cp; //~ warning[discards-qualifiers]: initializing '__global int *' with '__global const int *' discards qualifiers
    extern static int both; //~ error[multiple-storage-classes]: a declaration can have only one storage class
//~^ error[program-scope-address-space]: program-scope variable 'both' has no address space (__private is not possible); here it must be in __constant
}
