// Counters that fall to the negative of a number from the launch: NVIDIA's compiler computes a wrong trip count for them (C99 §6.8.5).
// run: --kernel k --global 4 --arg uint[4]:values=1,2,5,33 --arg int[4] --arg int[4] --arg int[4] --arg int[4] --print rows --print last --print wide --print halves
// prints: rows: 3 5 11 67
// prints: last: -1 -2 -5 -33
// prints: wide: 2 3 6 34
// prints: halves: 1 1 3 17
// no-diagnostics
kernel void k(global const uint *radius, global int *rows, global int *last, global int *wide, global int *halves) {
    size_t id = get_global_id(0);
    int m = radius[id], count = 0, at = 0;
    for (int i = m; i >= -m; i--) count++;
    for (int i = 0; i >= -m; i--) at = i;
    rows[id] = count;
    last[id] = at;
    int n = 0;
    for (long i = 0; i >= -(long)radius[id]; i--) n++;
    wide[id] = n;
    int h = 0;
    for (int i = 0; i > -m; i -= 2) h++;
    halves[id] = h;
}
