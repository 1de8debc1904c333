// The bytes of 16 bits swapped in the ways that programs have for it; a driver has an instruction of its own for them.
// run: --kernel k --global 1 --arg ushort[4]:values=65535,43707,4660,33023 --arg ushort[32] --arg uint[8] --print out --print wide
// prints: out: 65535 48042 13330 65408 65535 48042 13330 65408 65535 48042 13330 65408 65535 48042 13330 65408 65535 48042 13330 65408 65535 48042 13330 65408 0 48043 13331 65409 65535 48042 13330 65408
// prints: wide: 16777215 11189162 1192978 8454016 4294967295 3148528554 873608210 4286644096
kernel void k(global const ushort *in, global ushort *out, global uint *wide) {
    for (int i = 0; i < 4; i++) {
        ushort s = in[i];
        uint u = in[i] * 0x10001u;
        out[i] = (s & 0x00ff) << 8 | (s & 0xff00) >> 8;
        out[4 + i] = s << 8 | s >> 8;
        out[8 + i] = rotate(s, (ushort)8);
        out[12 + i] = (u & 0xff) << 8 ^ (u >> 8 & 0xff);
        out[16 + i] = (short)(((short)s << 8 & 0xff00) + ((short)s >> 8 & 0xff));
        out[20 + i] = as_ushort(as_uchar2(s).yx);
        out[24 + i] = (u << 8 | (u >> 8 & 0xff)) + 1;
        ushort2 v = (ushort2)(s, 0);
        out[28 + i] = (v << (ushort)8 | v >> (ushort)8).x;
        wide[i] = s << 8 | s >> 8;
        wide[4 + i] = u << 8 | (u >> 8 & 0xff);
    }
}
