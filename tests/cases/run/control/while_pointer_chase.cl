// A loop that follows indices through memory until a sentinel, with volatile and const qualified pointers.
// run: --kernel k --global 4 --arg int[8]:values=3,-1,1,7,2,4,0,5 --arg int[4] --print out
// prints: out: 6 0 1 5
// no-diagnostics
kernel void k(global volatile const int *next, global int *out) {
    int at = get_global_id(0), n = 0;
    for (global volatile const int *p = next + at; *p >= 0; p = next + *p)
        n++;
    out[at] = n;
}
