// Constant variables at kernel scope, two kernels and a helper sharing one table (rule A-9).
// run: --kernel a --global 4 --arg int[4] --print out
// prints: out: 5 7 10 14
// run: --kernel b --global 4 --arg int[4] --print out
// prints: out: 10 8 8 10
// no-diagnostics
constant int shared[4] = { 1, 2, 4, 7 };

int look(constant int *t, int i) { return t[i] + shared[i]; }

kernel void a(global int *out) {
    constant int mine[4] = { 4, 5, 6, 7 };
    out[get_global_id(0)] = look(mine, get_global_id(0));
}

kernel void b(global int *out) {
    constant int mine[] = { 3, 4, 6, 9 };
    constant int *p = mine;
    out[get_global_id(0)] = p[3 - get_global_id(0)] + shared[get_global_id(0)];
}
