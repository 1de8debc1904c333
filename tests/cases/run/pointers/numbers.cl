// Pointers to local and private memory that are made of integers which are no object's: only 0 is null, they are equal where the
// integers are, and an integer again they are the same.
// run: --kernel nulls --global 1 --local 1 --arg uint:0 --arg uint:4660 --arg int[12]:const=7 --print out
// prints: out: 1 0 1 0 0 0 0 0 0 1 1 1
// run: --kernel and_back --global 1 --local 1 --arg uint:4660 --arg uint[6] --print out
// prints: out: 4660 4660 4664 4661 0 3
// run: --kernel constants --global 1 --local 1 --arg int[10]:const=7 --print out
// prints: out: 0 0 0 1 1 1 0 0 1 1
// run: --kernel ends --global 4 --local 4 --arg int[4]:const=0 --print out
// prints: out: 221 211 201 300
// run: --kernel read --global 2 --local 2 --arg ulong[2]:values=0,1 --arg int[8]:const=7 --print out
// prints: out: 1 0 1 0 1 0 1 0
// no-diagnostics
kernel void nulls(uint z, uint n, global int *out) {
    local int a[2];
    int b[2];
    a[0] = 0;
    b[0] = 0;
    out[0] = (local int *)(uintptr_t)z == 0;
    out[1] = (local int *)(uintptr_t)n == 0;
    out[2] = (private int *)(uintptr_t)z == 0;
    out[3] = (private int *)(uintptr_t)n == 0;
    out[4] = (local int *)(uintptr_t)n == a;
    out[5] = (private int *)(uintptr_t)n == b;
    out[6] = (local int *)(uintptr_t)n == (local int *)(uintptr_t)z;
    out[7] = (local int *)(uintptr_t)n == (local int *)(uintptr_t)(n + 1);
    out[8] = !(local int *)(uintptr_t)n;
    out[9] = (local char *)(uintptr_t)n + 1 == (local char *)(uintptr_t)(n + 1);
    out[10] = (local int *)(uintptr_t)n < (local int *)(uintptr_t)(n + 4);
    out[11] = (private int *)(uintptr_t)n != (private int *)(uintptr_t)z;
}

kernel void and_back(uint n, global uint *out) {
    out[0] = (uintptr_t)(local int *)(uintptr_t)n;
    out[1] = (uintptr_t)(private int *)(uintptr_t)n;
    out[2] = (uintptr_t)((local int *)(uintptr_t)n + 1);
    out[3] = (uintptr_t)((private char *)(uintptr_t)n + 1);
    out[4] = (uintptr_t)(local int *)(uintptr_t)(n - 4660);
    out[5] = (local char *)(uintptr_t)(n + 3) - (local char *)(uintptr_t)n;
}

kernel void constants(global int *out) {
    out[0] = (local int *)0x1234 == 0;
    out[1] = (private int *)0x1234 == 0;
    out[2] = (local int *)0x1234 == (local int *)0x1238;
    out[3] = (local int *)0x1234 == (local int *)0x1234;
    out[4] = (local char *)0x1234 + 1 == (local char *)0x1235;
    out[5] = (local int *)0 == 0;
    local int *p = (local int *)-1;
    out[6] = !p;
    out[7] = p == 0;
    out[8] = p == (local int *)-1;
    out[9] = p != 0;
}

typedef struct Node {
    local struct Node *next;
    int value;
} Node;
#define END ((local Node *)-1)

// A list's last node leads to END, a node that is in no list to null.
kernel void ends(global int *out) {
    local Node nodes[5];
    int i = get_local_id(0);
    nodes[i].value = i;
    nodes[i].next = i < 2 ? &nodes[i + 1] : i == 2 ? END : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int count = 0;
    local Node *last = &nodes[i];
    while (last->next != 0 && last->next != END) {
        last = last->next;
        ++count;
    }
    int ended = last->next == END;
    out[i] = 100 * last->value + 10 * count + ended;
}

kernel void read(global ulong *in, global int *out) {
    int i = get_global_id(0);
    local int *p = *(local int *global *)&in[i];
    out[i] = p == 0;
    private int *q = *(private int *global *)&in[i];
    out[2 + i] = !q;
    union {
        uintptr_t u;
        local int *p;
        private int *q;
    } x[2];
    for (int k = 0; k < 2; ++k)
        x[k].u = in[k];
    out[4 + i] = x[i].p == 0;
    out[6 + i] = !x[i].q;
}
