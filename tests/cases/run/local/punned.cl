// Local memory seen through another type: bytes of words, floats of ints, structs of bytes (rule L-5).
// run: --kernel k --global 4 --local 4 --arg uint[16] --print out
// prints: out: 16909060 67305985 33686018 1065353216 84281096 134678021 184944134 1073741824 151653132 202050057 336202250 1077936128 219025168 269422093 487460366 1082130432
// no-diagnostics
typedef struct { uchar a, b; ushort c; } S;

kernel void k(global uint *out) {
    local uint words[8];
    local float floats[4];
    int i = get_local_id(0);
    local uchar *bytes = (local uchar *)words;
    for (int b = 0; b < 4; b++)
        bytes[i * 4 + b] = i * 4 + 4 - b;
    words[4 + i] = 0;
    local S *s = (local S *)(words + 4);
    s[i].a = i * 4 + 2;
    s[i].c = (i * 9 + 2) << 8 | 2 + i * 4;
    s[i].b = s[i].a;
    floats[i] = i + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i * 4] = words[i];
    out[i * 4 + 1] = bytes[i * 4 + 3] | bytes[i * 4 + 2] << 8 | bytes[i * 4 + 1] << 16 | bytes[i * 4] << 24;
    out[i * 4 + 2] = words[4 + i];
    out[i * 4 + 3] = ((local uint *)floats)[i];
}
