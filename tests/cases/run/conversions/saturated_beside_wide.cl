// Saturated conversions of a float that was an integer, beside other saturated 64-bit arithmetic: NVIDIA's 580 left garbage in the upper
// half of the first, and refused the second kernel ("NVVM compilation failed").
// run: --kernel truth --global 1 --arg uint[1] --arg ulong[2] --arg uint[1] --arg bytes:91ce2319 --print bits --print numbers
// prints: bits: 0
// prints: numbers: 0 18446744073709551615
constant uint zeros[4] = {0};
kernel void truth(global uint *bits, global ulong *numbers, global uint *where, uint mask) {
    global ulong *own = numbers + (uint)get_global_id(0);
    uchar low = (uchar)own[0];
    uint at = 0;
    for (uint turn = 0; turn < 6; turn++) {
        if (zeros[at] <= 0)
            break;
        at += 1;
    }
    own[mask & 1] -= sub_sat(1ul, own[0]);
    own[1] ^= convert_ulong_sat((float)(!where));
    bits[0] ^= low;
}

// run: --kernel record --global 1 --arg uint[1]:values=4 --print seen
// prints: seen: 4
typedef struct Pair {
    ulong a;
    long b;
} Pair;
typedef struct Node {
    uint number;
    struct Node *next;
    ushort *part;
} Node;
void fill(Pair pair) {
    Node nodes[4] = {{0}, {0}, {0}, {0, 0, (ushort *)&pair.b}};
    Node *first = nodes;
    pair.b = convert_long_sat((float)(first ? first->next->number : 0));
}
kernel void record(global uint *seen) {
    if (4294967295u / seen[0] < (uint)get_global_id(0))
        fill(*(global Pair *)0);
}
