// Bytes and halves read of what was written as wider elements, in variables that become values.
// run: --kernel k --global 1 --arg bytes:090a0b0c0f000102 --arg uint[6] --print out
// prints: out: 9 3082 15 33619983 513 11
// no-diagnostics
typedef union { uint words[2]; short4 halves; uchar bytes[8]; ulong all; } U;

kernel void k(U u, global uint *out) {
    U copy = u;
    out[0] = copy.bytes[0];
    out[1] = (ushort)(copy.halves.y) & 0xff00 | copy.bytes[1];
    U words;
    words.words[0] = copy.words[1];
    out[2] = words.bytes[0] + words.bytes[1];
    out[3] = words.words[0];
    U wide;
    wide.all = copy.all;
    out[4] = wide.bytes[6] | wide.bytes[7] << 8;
    out[5] = (uchar)wide.halves.s1;
}
