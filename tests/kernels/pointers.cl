// Pointer walks with casts between char, int and struct in global memory, and in private memory.
typedef struct { uchar tag; ushort len; int value; } Item;

__kernel void pointers(__global const uint *words, __global uchar *bytes, __global int *out, uint n) {
    size_t id = get_global_id(0);
    __global const uchar *p = (__global const uchar *)(words + id * n);
    __global const uchar *end = p + n * sizeof(uint);
    int sum = 0;
    for (; p != end; p += 4) {
        sum += p[0] + (p[1] << 8);
        sum ^= *(__global const ushort *)(p + 2);
    }
    __global const Item *items = (__global const Item *)(words + id * n);
    for (uint k = 0; k < n * sizeof(uint) / sizeof(Item); k++)
        sum += items[k].tag * 3 + items[k].len - (items[k].value >> 3);
    __global uint *wide = (__global uint *)(bytes + id * 8);
    wide[0] = 0x04030201u * (uint)(id + 1);
    bytes[id * 8 + 4] = 'x';
    bytes[id * 8 + 5] = wide[0] >> 8;
    *(__global short *)(bytes + id * 8 + 6) = -2;
    uint scratch[4] = { sum, id, 0, 0xdeadbeef };
    uchar *q = (uchar *)scratch;
    q[9] = 7;
    q[2] ^= q[13];
    out[id] = (int)(scratch[0] + scratch[2]);
}
