// A store through a parameter that may be null (C99 §6.5.3.2): a call with null stores nothing.
// run: --kernel k --global 4 --arg int[8]:const=0 --print out
// prints: out: 0 7 2 7 4 7 6 7
// no-diagnostics
int both(int a, int b, int *where) {
    if (where)
        *where = b;
    return a;
}

kernel void k(global int *out) {
    int id = get_global_id(0);
    int first[3] = { 7, 7, 7 }, second = 7;
    first[id % 3] = 7;
    out[2 * id] = both(2 * id, 5, 0);
    int *where = id > 5 ? &second : 0;
    both(1, 6, where);
    out[2 * id + 1] = first[id % 3] == 7 ? second : -1;
}
