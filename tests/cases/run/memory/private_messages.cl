// Messages put together byte by byte at offsets that only the run tells, in private buffers: bytes of words, of halves and of longs side by
// side, at every alignment, up to the buffer's last byte; what is around them stays.
// run: --kernel build --global 10 --arg uint[4]:values=1145258561,1212630597,1280002633,1347374669 --arg uint[80] --print out
// prints: out: 1145258561 1212630597 1280002633 1347374669 1195787758 4008593736 4008636142 4008636142 1128415726 1195787588 1263159624 1330531660 1178988112 3997780039 4008636142 4008636142 1111617262 1178944579 1246316615 1313688651 1173246031 1229473606 4008636142 4008636142 1106177774 1162101570 1229473606 1296845642 3998240590 1212630597 4008635977 4008636142 4008636142 1145258561 1212630597 1280002633 1347374669 1195787758 4008593736 4008636142 4008636142 1128415726 1195787588 1263159624 1330531660 1178988112 3997780039 4008636142 4008636142 1111617262 1178944579 1246316615 1313688651 1173246031 1229473606 4008636142 4008636142 1106177774 1162101570 1229473606 1296845642 3998240590 1212630597 4008635977 4008636142 4008636142 1145258561 1212630597 1280002633 1347374669 1195787758 4008593736 4008636142 4008636142 1128415726 1195787588 1263159624 1330531660 1178988112 3997780039
// run: --kernel typed --global 5 --arg uint[4]:values=1145258561,1212630597,1280002633,1347374669 --arg uint[45] --print out
// prints: out: 1212630597 19017 1347374669 19019 1768451435 2561610 1296714056 134815518 6 1212630597 19017 1347374669 19019 1785294444 2561866 1296714056 153100062 6 1212630597 19017 1347374669 19019 1802137453 2562122 1296714056 134816032 6 1212630597 19017 1347374669 19019 1818980462 2562378 1296714056 153231648 6 1212630597 19017 1347374669 19019 1835823471 399946 1296714056 134816546 6
// no-diagnostics
void put(uint *buffer, uint at, const uint *text, uint length) {
    for (uint i = 0; i < length; i++)
        ((uchar *)buffer)[at + i] = ((const uchar *)text)[i];
}

kernel void build(global const uint *text, global uint *out) {
    uint buffer[8], words[4];
    uint at = get_global_id(0);
    for (int i = 0; i < 8; i++)
        buffer[i] = 0xeeeeeeee;
    for (int i = 0; i < 4; i++)
        words[i] = text[i];
    put(buffer, at, words, 16);
    put(buffer, at + 17, words + 1, 5);
    for (int i = 0; i < 8; i++)
        out[at * 8 + i] = buffer[i];
}

kernel void typed(global const uint *text, global uint *out) {
    uchar buffer[40] __attribute__((aligned(4)));
    uint at = get_global_id(0);
    for (int i = 0; i < 40; i++)
        buffer[i] = i;
    typedef struct __attribute__((packed)) { ulong a; ushort b; uint c; ushort3 d; } P;
    P *p = (P *)(buffer + at);
    p->a = text[0] | (ulong)text[1] << 32;
    p->b = text[2];
    p->d = (ushort3)(1, 2, 3) + p->b;
    p->c = text[3];
    typedef struct __attribute__((packed)) { uint8 all; } W;
    uint8 seven = ((W *)(buffer + at))->all;
    vstore4((uchar4)(9, 8, 7, 6), 0, buffer + 32 + at);
    out[at * 9] = p->a >> 32;
    out[at * 9 + 1] = p->b;
    out[at * 9 + 2] = p->c;
    out[at * 9 + 3] = p->d.y;
    out[at * 9 + 4] = seven.s3 + seven.s7;
    out[at * 9 + 5] = buffer[at + 14] | buffer[at + 22] << 8 | buffer[39] << 16;
    out[at * 9 + 6] = as_uint(vload4(0, buffer + at + 7));
    out[at * 9 + 7] = as_uint(vload2(0, (ushort *)(buffer + (at & ~1) + 30)));
    out[at * 9 + 8] = buffer[35 + at];
}
