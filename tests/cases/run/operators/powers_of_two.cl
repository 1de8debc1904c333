// Remainders and quotients by powers of two that a loop computes.
// no-diagnostics
// run: --kernel unsigned_ones --global 4 --arg uint[4]:values=0,7,100,4294967295 --arg uint[4] --arg uint[4] --arg ulong[4] --arg uint:1 --print r --print q --print w
// prints: r: 0 102 1048 131054
// prints: q: 0 4 97 4294901744
// prints: w: 0 102 1048 131054
kernel void unsigned_ones(global const uint *x, global uint *r, global uint *q, global ulong *w, uint one) {
    const size_t i = get_global_id(0);
    uint rest = 0, quotients = 0;
    ulong wide = 0;
    ulong by = 1;
    // The other recurrence starts at a number that only the launch tells.
    uint other = 2 * one;
    for (uint step = 1; step < 65536; step *= 2, by <<= 1, other = other + other) {
        rest += x[i] % (2 * step);
        quotients += x[i] / (2 * step);
        wide += (ulong)x[i] % (2 * by);
        if (x[i] % other != x[i] % (2 * step))
            rest = 0;
    }
    r[i] = rest;
    q[i] = quotients;
    w[i] = wide;
}

// Signed numbers keep their signs; those of local ids are known.
// run: --kernel signed_ones --global 4 --local 4 --arg int[4]:values=-1,-7,7,-100 --arg int[4] --arg int[4] --print r --print l
// prints: r: -16 -102 102 -1048
// prints: l: 0 16 30 46
kernel void signed_ones(global const int *x, global int *r, global int *l) {
    const int i = get_local_id(0);
    int rest = 0, own = 0;
    for (int step = 1; step < 65536; step *= 2) {
        rest += x[i] % (2 * step);
        own += i % (2 * step) + (x[i] + 100) / step % 2 * 0;
    }
    r[i] = rest;
    l[i] = own;
}

// A size_t by an int, whose sign is extended.
// run: --kernel extended_signs --global 4 --local 4 --arg ulong[4] --arg int:1 --print r
// prints: r: 0 30 58 88
kernel void extended_signs(global ulong *r, int one) {
    ulong rest = 0;
    int step = one;
    for (int n = 0; n < 30; n++) {
        rest += get_local_id(0) % (2 * step);
        step = step << 1;
    }
    r[get_local_id(0)] = rest;
}
