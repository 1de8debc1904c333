// RC4: each work-item has its permutation of 256 bytes in local memory. It is set up in words, permuted in bytes, and the sums over the
// stream are kept in local halves besides: one memory in three sizes, neighbours of different work-items side by side.
#define ITEMS 32

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void rc4(__global const uchar *keys, uint key_length, uint length, __global uchar *stream, __global uint *sums) {
    __local uint states[ITEMS * 64];
    __local ushort totals[ITEMS];
    const uint item = get_local_id(0), global_item = get_global_id(0);
    __local uint *words = states + item * 64;
    for (uint i = 0; i < 64; i++)
        words[i] = 0x03020100 + i * 0x04040404;
    __local uchar *state = (__local uchar *)words;
    uint y = 0;
    for (uint x = 0; x < 256; x++) {
        uchar a = state[x];
        y = (y + a + keys[global_item * key_length + x % key_length]) & 255;
        state[x] = state[y];
        state[y] = a;
    }
    totals[item] = 0;
    y = 0;
    for (uint n = 0; n < length; n++) {
        uint x = (n + 1) & 255;
        uchar a = state[x];
        y = (y + a) & 255;
        uchar b = state[y];
        state[x] = b;
        state[y] = a;
        uchar out = state[(a + b) & 255];
        stream[global_item * length + n] = out;
        totals[item] += out;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[global_item] = totals[(item + 1) % ITEMS] ^ (ushort)(states[item * 64] & 0xff);
}
