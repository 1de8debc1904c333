// Pointers to pointers in private memory.
// run: --kernel k --global 2 --arg int[8]:range --arg int[4]:const=0 --print out --print a
// prints: out: 3 107 4 1
// prints: a: 0 1 2 103 104 5 6 7
// no-diagnostics
void advance(global int **p, int n) { *p += n; }

void set(int **p, int *to) { *p = to; }

kernel void k(global int *a, global int *out) {
    int id = get_global_id(0);
    global int *p = a;
    global int **pp = &p;
    advance(pp, 3 + id);
    out[id * 2] = **pp;
    **pp += 100;
    int x = 7, y = 1;
    int *q = &y;
    int **qq = &q;
    int ***qqq = &qq;
    if (id == 0) {
        set(*qqq, &x);
        ***qqq += 100;
    }
    out[id * 2 + 1] = *q;
}
