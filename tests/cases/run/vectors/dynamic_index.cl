// A vector's components by a run-time index, through a pointer to its first one.
// run: --kernel k --global 4 --arg int[8] --print out
// prints: out: 10 100 20 102 30 103 40 104
// no-diagnostics
kernel void k(global int *out) {
    int id = get_global_id(0);
    int4 v = (int4)(10, 20, 30, 40);
    out[id * 2] = ((int *)&v)[id];
    ((int *)&v)[id] = 100;
    int4 w = { 101, 102, 103, 104 };
    out[id * 2 + 1] = id ? ((int *)&w)[id] : v.x;
}
