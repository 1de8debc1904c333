// Global offsets with which ids go beyond 2^32, in one dimension across it, in two far beyond: ids, offsets, sizes and linear ids.
// no-diagnostics
// options: -cl-std=CL3.0
// run: --kernel k --global 8 --local 4 --offset 4294967290 --arg ulong[8] --arg ulong[4] --print ids --print others
// prints: ids: 4294967290 4294967291 4294967292 4294967293 4294967294 4294967295 4294967296 4294967297
// prints: others: 4294967290 8 7 1
// run: --kernel k --global 6 --offset 1099511627776 --arg ulong[8] --arg ulong[4] --print ids --print others
// prints: ids: 1099511627776 1099511627777 1099511627778 1099511627779 1099511627780 1099511627781 0 0
// prints: others: 1099511627776 6 5 0
// run: --kernel flat --global 3,2 --local 1,1 --offset 8589934593,4294967295 --arg ulong[12] --print out
// prints: out: 8589934593 4294967295 8589934594 4294967295 8589934595 4294967295 8589934593 4294967296 8589934594 4294967296 8589934595 4294967296
kernel void k(global ulong *ids, global ulong *others) {
    size_t i = get_global_id(0), first = get_global_offset(0);
    ids[i - first] = i;
    // The last one.
    if (i - first + 1 == get_global_size(0)) {
        others[0] = first;
        others[1] = get_global_size(0);
        others[2] = get_global_linear_id();
        others[3] = get_group_id(0);
    }
}
kernel void flat(global ulong *out) {
    size_t i = get_global_linear_id();
    out[2 * i] = get_global_id(0);
    out[2 * i + 1] = get_global_id(1);
}
