// Bools that live across calls of a shared function are handed on from call to call: phis of phis, on which NVIDIA's compiler crashed in
// kernels with AES (John the Ripper's pgpwde, ssh, office). This kernel has two such phis, and did not crash without the row.
// run: --kernel k --global 4 --local 2 --print out --arg out=uint[4] --arg uint[4]:values=1,2,3,400000000 --arg n=bytes:0500000000000000
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
// As in AES: counts are compared before a shared function is called, and again behind it.
#define CIPHER(name, f) \
    void name(uint *s, uint *k, ulong left) { \
        uint r = 1; \
        for (; left > 0; left = left > 1 ? left - 2 : left - 1) { \
            s[0] ^= k[0]; \
            if (left > 1) s[4] ^= k[1]; \
            for (r = 1; r < 10; r++) { f(s, k); s[r & 7] ^= k[r]; f(s, k); if (r == 4) f(s, k); } \
            f(s, k); \
            s[1] += k[2]; \
            if (left > 1) s[5] += k[3]; \
        } \
    }
CIPHER(cipher, unrolled)
CIPHER(cipher_by_loops, loop)
#define ENCRYPT(f, g, sum) \
    for (uint i = 0; i < 2; i++) { f(s, k, n); FOUR(g, 1) FOUR(g, 2) FOUR(g, 3) FOUR(g, 4) FOUR(g, 5) f(s, k, n + i); FOUR(g, 3) f(s, k, 3); sum = sum * 31 + s[5]; }
kernel void k(global uint *out, global const uint *seeds, ulong n) {
    uint g = get_global_id(0), s[8], k[16], sum = 0, want = 0;
    start(s, k, seeds[g]);
    ENCRYPT(cipher, unrolled, sum)
    start(s, k, seeds[g]);
    ENCRYPT(cipher_by_loops, loop, want)
    out[g] = sum == want;
}
