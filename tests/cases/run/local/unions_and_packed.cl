// Unions, packed structs with members at odd offsets and bytes of words in local memory, written by neighbours and read
// through other types (rule L-5).
// run: --kernel k --global 4 --local 4 --arg local:64 --arg uint[20] --print out
// prints: out: 16908288 1 513 100 16908289 1001 514 101 16908290 2001 515 102 16908291 3001 516 103 10 2562 184617474 1065353216
// no-diagnostics
typedef union { uint word; uchar bytes[4]; ushort halves[2]; float real; } U;
typedef struct __attribute__((packed)) { uchar tag; uint value; ushort low; } P;

kernel void k(local U *u, global uint *out) {
    local P p[4];
    local U shared[2];
    uint i = get_local_id(0);
    u[i].bytes[0] = i;
    u[i].halves[1] = 0x0102;
    u[i].bytes[1] = 3;
    p[i].tag = i + 100;
    p[i].value = i * 1000 + 1;
    p[i].low = 0x201 + i;
    if (i < 2)
        shared[1].halves[i] = i ? 0x3f80 : 0;
    shared[0].bytes[i] = i < 2 ? 2 + i * 8 : 10 * i - 19;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint j = (i + 1) % 4;
    out[j * 4] = u[j].word - 0x300;
    out[j * 4 + 1] = p[j].value;
    out[j * 4 + 2] = p[j].low;
    out[j * 4 + 3] = p[j].tag;
    if (i == 0) {
        out[16] = shared[0].bytes[1];
        out[17] = shared[0].halves[0] & 0xfff;
        out[18] = shared[0].word & 0xfffffff;
        out[19] = as_uint(shared[1].real);
    }
}
