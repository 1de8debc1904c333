// Saturated 64-bit sums and differences: NVIDIA's 580 left the upper half undefined beside a remainder by 1, and got zeros wrong in a switch.
// run: --kernel sum --global 1 --local 1 --arg uint[4] --arg uint[1]:values=2 --print out
// prints: out: 0 0 1 0
constant int8 table[4] = {(int8)(0, 1, 2, 3, 4, 5, 6, 7), (int8)(10, 1, 1, 15, -839289495, INT_MIN, 1, -1313983423), (int8)(2), (int8)(3)};
constant int8 *constant where[4] = {table + 1, table, table + 2, table + 3};
void aside(void) {
    ulong own[4] = {0};
    own[(uint)get_group_id(0)] -= (ulong)(*where[0]).s5 % min(1ul, (ulong)(*where[0]).s4);
}
kernel void sum(global uint *out, global uint *bound) {
    local ulong kept[16];
    kept[0] = 0;
    aside();
    ulong one = add_sat(kept[0], 1ul);
    out[2] = (uint)one;
    out[3] = (uint)(one >> 32);
    if (one >= (ulong)bound[0])
        out[0] = 1;
}

// run: --kernel differences --global 2 --local 2 --arg uint[1] --arg ulong[4] --arg uint[2]:values=4,14 --arg bytes:050000000700000000000000090000000d0000000b000000de9774a303000000 --arg bytes:070000000200000004000000020000000900000020312f27060000000e000000 --print out
// prints: out: 0 0 0 0
typedef struct Pair {
    ulong2 a;
    long b;
} Pair;
constant uint ways[4] = {3, 0, 13, UINT_MAX};
kernel void differences(global uint *unused, global ulong2 *out, global uint *least, ulong4 wide, Pair pair) {
    local Pair kept[16];
    kept[(uint)get_local_id(0)].a = pair.a;
    private Pair *t[4] = {0, 0, &pair, 0};
    uint old = atomic_min(least + (uint)get_global_id(0), 0u);
    switch (ways[(uint)get_global_id(0)]) {
    case 1:
    case 3:
        break;
    default:
        (*t[old & 3]).a = (ulong2)(0);
        if (t[0])
            (*t[0]).b = 3l % (long)unused[0];
        *out = sub_sat((ulong2)(1), wide.s12);
        break;
    }
}
