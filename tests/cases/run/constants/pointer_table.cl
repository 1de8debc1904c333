// A table of pointers to constant memory: its initialiser is relocated as the binding model's pointers are.
// no-diagnostics
// run: --kernel k --global 4 --local 4 --arg out=uint[8] --print out
// prints: out: 7 12 11 13 8 13 12 14
constant uint a[4] = {11, 12, 13, 14};
constant uint b[4] = {5, 6, 7, 8};
constant uint *constant t[4] = {b + 2, a + 1, a, a + 2};
kernel void k(global uint *out) {
    uint i = get_global_id(0);
    out[i] = *t[i];
    out[i + 4] = t[i][1];
}
