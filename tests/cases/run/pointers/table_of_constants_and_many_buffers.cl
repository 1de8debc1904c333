// A table of pointers to constants, in a kernel with more buffers than WebGPU has windows: they are copied together there, and the table's
// pointers were those of before.
// no-diagnostics
// run[address]: --kernel k0 --global 1 --local 1 --arg a=uint[1] --arg b=uint[1] --arg c=uint[1] --arg d=uint[1] --print a
// prints: a: 2981722105
constant uint words[4] = {2981722105u, 2147483648u, 0u, 2656408770u};
constant uint *constant table[4] = {words, words, words + 2, words + 3};
kernel void k0(global uint *a, global uint *b, global uint *c, constant uint *d) {
    constant uint *some[4] = {d, 0, words, 0};
    ulong n = some[a[0]][0];
    a[0] ^= *table[(uint)n] + some[0][0];
}
