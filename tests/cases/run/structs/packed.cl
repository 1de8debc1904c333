// __attribute__((packed)): members without padding, in global, private and constant memory (OpenCL C §6.13.3).
// run: --kernel k --global 1 --arg uchar[16]:range=1 --arg uint[10]:const=0 --arg uchar[16]:const=0 --print out --print bytes
// prints: out: 7 1 84148994 1798 7 10 134742276 2827 84157384 305419896
// prints: bytes: 170 120 86 52 18 205 171 0 0 0 0 0 0 0 0 0
// no-diagnostics
typedef struct __attribute__((packed)) { uchar tag; uint value; ushort half_; } P;

constant P table[2] = { { 9, 0x01020304, 5 }, { 10, 0x08080104, 0x0b0b } };

kernel void k(global const P *in, global uint *out, global P *bytes) {
    out[0] = sizeof(P);
    out[1] = in[0].tag;
    out[2] = in[0].value;
    out[3] = in[0].half_;
    int one = get_global_size(0);
    out[4] = sizeof(P[1]);
    out[5] = table[one].tag;
    out[6] = table[one].value;
    out[7] = table[one].half_;
    P p = in[0];
    p.value += 0x02060 * (one + 0) + 0x66;
    P q[2] = { p, { 0xaa, 0x12345678, 0xabcd } };
    out[8] = p.value;
    out[9] = q[one].value;
    bytes[0] = q[one];
}
