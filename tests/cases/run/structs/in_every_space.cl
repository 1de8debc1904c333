// Arrays of structs in constant, local and private memory, indexed by run-time values.
// run: --kernel k --global 4 --local 4 --arg int[12]:const=0 --print out
// prints: out: 30 20 103 11 31 102 1 21 101 22 32 100
// no-diagnostics
typedef struct { char c; short2 s; int n[2]; } T;

constant T table[] = {
    { 1, (short2)(10, 11), { 30, 31 } },
    { 2, (short2)(20, 21), { 1, 2 } },
    { 3, (short2)(22, 23), { 32, 33 } },
};

kernel void k(global int *out) {
    local T shared[4];
    int id = get_local_id(0);
    shared[id] = table[id % 3];
    shared[id].n[1] = 100 + id;
    T mine[3];
    for (int i = 0; i < 3; i++)
        mine[i] = table[(i + id) % 3];
    barrier(CLK_LOCAL_MEM_FENCE);
    int a, b;
    switch (id) {
    case 0: a = mine[0].n[0]; b = mine[1].s.x; break;
    case 1: a = shared[0].s.y; b = table[id - 1].n[id]; break;
    case 2: a = mine[2].n[0] == 1 ? shared[3].c : -1; b = mine[2].s.y; break;
    default: a = table[id - 1].s.x; b = mine[2].n[0]; break;
    }
    out[id * 3] = a;
    out[id * 3 + 1] = b;
    out[id * 3 + 2] = shared[3 - id].n[1];
}
