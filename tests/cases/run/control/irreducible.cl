// A loop with two entries: goto into the middle of it.
// run: --kernel k --global 6 --arg int[6]:const=0 --print out
// prints: out: 6 5 6 5 6 5
// no-diagnostics
kernel void k(global int *out) {
    int id = get_global_id(0), n = 0, i = 0;
    if (id & 1) goto middle;
top:
    n++;
middle:
    n++;
    if (++i < 3) goto top;
    out[id] = n;
}
