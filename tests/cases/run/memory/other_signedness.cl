// vstoren, frexp and their kin take pointers to integers of the other signedness, with a warning.
// run: --kernel k --global 1 --arg uint[4] --arg int[4] --print u --print i
// prints: u: 4294967295 7 3 0
// prints: i: 5 -1 2 0
kernel void k(global uint *u, global int *i) {
    vstore2((int2)(-1, 7), 0, u); //~ warning[incompatible-pointer-types]: passing '__global uint *' to a parameter of type '__global int *': the pointees have different types
    vstore2((uint2)(5, 0xffffffff), 0, i); //~ warning[incompatible-pointer-types]: passing
    uint e;
    float m = frexp(4.0f, &e); //~ warning[incompatible-pointer-types]: passing
    u[2] = e;
    i[2] = (int)(m * 4);
}
