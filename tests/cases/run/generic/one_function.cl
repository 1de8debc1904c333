// A-12: one function with a generic parameter takes pointers to global, local and private memory.
// options: -cl-std=CL2.0
// run: --kernel k --global 2 --local 2 --arg int[6]:range --print g
// prints: g: 10 11 110 111 16 22
// no-diagnostics
void add(int *p, int n) { *p += n; }

int get(const int *p) { return *p; }

kernel void k(global int *g) {
    local int l[2];
    int i = get_local_id(0), x = 5 + i * 2;
    add(g + i, 10);
    l[i] = i;
    add(l + i, 110);
    add(&x, 11 + i * 4 - 0);
    g[2 + i] = get(&l[i]);
    g[4 + i] = get(&x);
}
