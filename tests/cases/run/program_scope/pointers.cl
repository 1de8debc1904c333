// A-7: program-scope pointers initialised with the address of another variable, relocated at load.
// options: -cl-std=CL2.0
// run[address]: --kernel k --global 1 --arg int[4] --print out
// prints: out: 7 2 9 9
// no-diagnostics
constant int c[2] = { 1, 2 };
global int g[3] = { 7, 8, 9 };
constant int *global pc = &c[1];
global int *constant pg = &g[0];
global int *global pgg = g + 2;

kernel void k(global int *out) {
    out[0] = *pg;
    out[1] = *pc;
    out[2] = *pgg;
    pgg--;
    out[3] = *pgg + 1;
}
