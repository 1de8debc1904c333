// A-9 rejected: constant variables have a constant initialiser and are never written.
constant int uninitialised; //~ error[constant-uninitialized]: variable 'uninitialised' in the __constant address space must be
constant int table[2] = { 1, 2 };
constant int computed = 3 * 4 + sizeof(int);
constant int from_function = get_work_dim(); //~ error[initializer-not-constant]: initializer element is not a compile-time constant
constant int *constant pointer = table;
kernel void k(global int *out, constant int *c) {
    constant int in_kernel = 5;
    constant int by_argument = out[0]; //~ error[initializer-not-constant]: initializer element is not a compile-time constant
    constant int missing; //~ error[constant-uninitialized]: variable 'missing' in the __constant address space must be initialised
    constant int *p = table;
    p = &in_kernel;
    table[0] = 5; //~ error[constant-write]: an object in '__constant' cannot be written
    *p = 1; //~ error[constant-write]: an object in '__constant' cannot be written
    c[1]++; //~ error[constant-write]: an object in '__constant' cannot be written
    ((constant char *)p)[0] = 'x'; //~ error[constant-write]: an object in '__constant' cannot be written
}
