// A-12: pointers chosen at run time between global, local and private memory read and write the right memory.
// options: -cl-std=CL2.0
// run: --kernel chosen --global 6 --local 6 --arg int[6]:range=100 --arg int[12]:const=0 --print g --print out
// prints: g: 101 101 102 104 104 105
// prints: out: 100 11 22 103 14 25 101 12 23 104 15 26
// run: --kernel table --global 4 --local 4 --arg int[4]:range=100 --arg int[12]:const=0 --print out
// prints: out: 0 101 202 103 200 1 202 3 100 1 102 203
// run[address]: --kernel nested --global 3 --local 3 --arg int[3]:range=100 --arg int[3]:const=0 --print out --print g
// prints: out: 107 18 29
// prints: g: 107 101 102
// run: --kernel loop --global 2 --local 2 --arg int[4]:range=1 --arg int[4]:const=0 --print out
// prints: out: 10 26 10 26
// no-diagnostics
kernel void chosen(global int *g, global int *out) {
    local int l[6];
    int i = get_global_id(0), mine = 20 + i;
    l[i] = 10 + i;
    barrier(CLK_LOCAL_MEM_FENCE);
    int *p = i % 3 == 0 ? (int *)(g + i) : i % 3 == 1 ? (int *)(l + i) : &mine;
    out[i] = *p;
    *p += 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[6 + i] = i % 3 == 0 ? g[i] : i % 3 == 1 ? l[i] : mine;
}

kernel void table(global int *g, global int *out) {
    local int l[4];
    int i = get_local_id(0), x[4] = { 200, 201, 202, 203 };
    l[i] = i;
    int *t[3] = { l, g, x };
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 3; ++k)
        out[(i * 3 + k) % 12] = t[(i + k) % 3][(3 * i + k) % 4];
}

typedef struct { int *at; int **where; } Pair;

void bump(Pair *p, int n) { **p->where += n; }

kernel void nested(global int *g, global int *out) {
    local int l[3];
    int i = get_global_id(0), mine = 20 + i;
    l[i] = 10 + i;
    barrier(CLK_LOCAL_MEM_FENCE);
    Pair pairs[2];
    int k = i & 1;
    pairs[k].at = i == 0 ? (int *)&g[i] : i == 1 ? (int *)&l[i] : &mine;
    pairs[k].where = &pairs[k].at;
    bump(&pairs[k], 7);
    out[i] = *pairs[k].at;
}

int sum(const int *from, const int *to) {
    int s = 0;
    while (from != to)
        s += *from++;
    return s;
}

kernel void loop(global int *g, global int *out) {
    local int l[4];
    int i = get_local_id(0), x[4] = { 5, 6, 7, 8 };
    l[2 * i] = g[2 * i];
    l[2 * i + 1] = g[2 * i + 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    int *p = i ? (int *)g : l;
    out[2 * i] = sum(p, p + 4);
    p = out[2 * i] == 10 ? x : p;
    out[2 * i + 1] = sum(p, p + 4);
}
