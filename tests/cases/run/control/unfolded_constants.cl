// Loops over the program's constants: lengths of strings, tables, pointers in tables; what is written or ends too late stays.
// no-diagnostics
// run: --kernel k --global 2 --arg out=uint[24] --print out
// prints: out: 503 3421780262 520 5 505 334 1063256064 60 3 2054781047 421 18 503 3421780262 520 2 510 334 1063256064 60 3 2054781047 421 18
constant char words[3][6] = { "alpha", "be", "" };
constant uint polynomial[16] = { 0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c, 0xedb88320,
                                 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c };
constant char *constant names[2] = { "first", "the second" };
constant ushort3 triples[2] = { (ushort3)(1, 2, 3), (ushort3)(40, 50, 60) };
constant float weights[4] = { 0.5f, 0.25f, 0.125f, -1.0f };
typedef struct { uchar next[2]; ushort value; } state;
constant state machine[4] = { { { 1, 2 }, 10 }, { { 2, 2 }, 20 }, { { 3, 1 }, 30 }, { { 3, 3 }, 99 } };
uint length(constant char *s) { uint n = 0; while (s[n]) n++; return n; }
uint crc(constant char *s) {
    uint crc = 0xffffffff;
    for (; *s; s++) {
        crc = polynomial[(crc ^ *s) & 15] ^ crc >> 4;
        crc = polynomial[(crc ^ (*s >> 4)) & 15] ^ crc >> 4;
    }
    return ~crc;
}
kernel void k(global uint *out) {
    uint id = get_global_id(0);
    global uint *p = out + 12 * id;
    p[0] = length("hello") * 100 + length("") * 10 + length("two\0three");
    p[1] = crc("123456789");
    uint n = 0;
    for (int i = 0; i < 3; i++) n = n * 10 + length(words[i]);
    p[2] = n;
    p[3] = length(words[id]);
    p[4] = length(names[0]) * 100 + length(names[id]);
    uint s = 0;
    for (int i = 0; i < 2; i++) { ushort3 t = triples[i]; s += t.x + t.y * 2 + t.z * 3; }
    p[5] = s;
    float w = 0;
    for (int i = 0; weights[i] > 0; i++) w += weights[i];
    p[6] = as_uint(w);
    uint at = 0, sum = 0;
    for (int i = 0; at != 3; i++) { sum += machine[at].value; at = machine[at].next[i & 1]; }
    p[7] = sum;
    at = 0;
    for (int i = 0; i < 4; i++) at = machine[at].next[id >> (i & 1) & 1];
    p[8] = at;
    for (int i = 0; i < 4; i++) ((global uchar *)(p + 9))[i] = "wxyz"[i];
    p[10] = 0;
    for (int i = 0; i < 4; i++) p[10] += words[0][i + id];
    p[11] = sizeof(words);
}
