// Null pointers that are members of an array of structures, which a table in constant memory initialises by words: generic pointers by descriptors
// were refused, as ones from elsewhere.
// options: -cl-std=CL3.0
// no-diagnostics
// run: --kernel k --global 2 --arg uint[2]:values=4,5 --print seen
// prints: seen: 2 7
typedef struct Pair {
    ulong a;
    long b;
} Pair;
typedef struct Node {
    uint number;
    struct Node *next;
    ushort *part;
} Node;
void fill(Pair *pair, uint other) {
    Node nodes[4] = {{0}, {0}, {0}, {0, 0, (ushort *)&pair->b}};
    Node *first = nodes;
    if (other)
        pair->b = 7 + convert_long_sat((float)(first->next ? 1 : 0));
}
kernel void k(global uint *seen) {
    Pair pair = {1, 2};
    fill(&pair, get_global_id(0));
    seen[get_global_id(0)] = pair.b;
}
