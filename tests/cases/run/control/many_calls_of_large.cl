// A function of 1,200 instructions is called 48 times: with a copy for each call the kernel would have some 60,000 instructions. Kernels
// of more than 32,768 share one copy. (John the Ripper's sha512crypt: 118,000 instructions took NVIDIA's driver 14 s.)
// The second kernel is small, and keeps its copies.
// run: --kernel k --global 4 --local 2 --print out --arg out=uint[4] --arg uint[4]:values=1,2,3,400000000
// prints: out: 1 1 1 1
// run: --kernel small --global 4 --local 2 --print out --arg out=uint[4] --arg uint[4]:values=1,2,3,400000000
// prints: out: 1 1 1 1
#define ROUND(i) \
    { uint t = s[(i + 7) & 7] + rotate(s[(i + 3) & 7], 13u) + (s[(i + 2) & 7] ^ s[(i + 1) & 7]) + k[i & 15] + i; \
      s[i & 7] = t ^ (s[i & 7] & s[(i + 5) & 7]); s[(i + 4) & 7] += rotate(t, 7u) | k[(i + 9) & 15]; }
#define EIGHT(i) \
    ROUND(i) ROUND(i + 1) ROUND(i + 2) ROUND(i + 3) ROUND(i + 4) ROUND(i + 5) ROUND(i + 6) ROUND(i + 7)
void unrolled(uint *s, const uint *k) {
    EIGHT(0) EIGHT(8) EIGHT(16) EIGHT(24) EIGHT(32) EIGHT(40) EIGHT(48) EIGHT(56)
}
void loop(uint *s, const uint *k) {
    for (uint i = 0; i < 64; i++) ROUND(i)
}
void start(uint *s, uint *k, uint seed) {
    for (uint i = 0; i < 8; i++) s[i] = seed * 2654435761u + i;
    for (uint i = 0; i < 16; i++) k[i] = seed ^ i << 5;
}
#define FOUR(f, at) f(s, k); k[at & 15] += s[0]; f(s, k); if (s[1] & 1) f(s, k); f(s, k); k[(at + 1) & 15] ^= s[2];
#define ALL(f) FOUR(f, 0) FOUR(f, 1) FOUR(f, 2) FOUR(f, 3) FOUR(f, 4) FOUR(f, 5) FOUR(f, 6) FOUR(f, 7) FOUR(f, 8) \
    FOUR(f, 9) FOUR(f, 10) FOUR(f, 11)
kernel void k(global uint *out, global const uint *seeds) {
    uint g = get_global_id(0), s[8], k[16], sum = 0, want = 0;
    start(s, k, seeds[g]);
    ALL(unrolled)
    for (int i = 0; i < 8; i++) sum = sum * 31 + s[i];
    start(s, k, seeds[g]);
    ALL(loop)
    for (int i = 0; i < 8; i++) want = want * 31 + s[i];
    out[g] = sum == want;
}
kernel void small(global uint *out, global const uint *seeds) {
    uint g = get_global_id(0), s[8], k[16], sum = 0, want = 0;
    start(s, k, seeds[g]);
    FOUR(unrolled, 0)
    for (int i = 0; i < 8; i++) sum = sum * 31 + s[i];
    start(s, k, seeds[g]);
    FOUR(loop, 0)
    for (int i = 0; i < 8; i++) want = want * 31 + s[i];
    out[g] = sum == want;
}
