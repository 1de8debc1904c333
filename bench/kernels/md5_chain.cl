// A password hash as md5crypt is one: a chain of MD5 (RFC 1321) over messages that are put together of a password, a salt and the
// digest before, at byte offsets that differ by round and by password, in a private buffer. FORM says how bytes get into it:
// 0 through a pointer to bytes; 1 into words by shifts and masks; 2 as 0, but the eight patterns of a message are made once and
// only the digest is put in, as password crackers do it.
#if FORM == 1
#define PUT(buffer, at, value)                                                                                     \
    (buffer)[(at) >> 2] = ((buffer)[(at) >> 2] & ~(0xffu << (((at) & 3) << 3))) | (uint)(value) << (((at) & 3) << 3)
#define GET(buffer, at) ((buffer)[(at) >> 2] >> (((at) & 3) << 3) & 0xff)
#else
#define PUT(buffer, at, value) ((uchar *)(buffer))[at] = (value)
#define GET(buffer, at) ((const uchar *)(buffer))[at]
#endif

#define F(x, y, z) ((z) ^ ((x) & ((y) ^ (z))))
#define G(x, y, z) ((y) ^ ((z) & ((x) ^ (y))))
#define H(x, y, z) ((x) ^ (y) ^ (z))
#define I(x, y, z) ((y) ^ ((x) | ~(z)))
#define STEP(f, a, b, c, d, word, constant, left) a = b + rotate(a + f(b, c, d) + (word) + constant, (uint)(left))
#define FOUR(f, w, i0, k0, s0, i1, k1, s1, i2, k2, s2, i3, k3, s3)                                                 \
    STEP(f, a, b, c, d, w[i0], k0, s0);                                                                            \
    STEP(f, d, a, b, c, w[i1], k1, s1);                                                                            \
    STEP(f, c, d, a, b, w[i2], k2, s2);                                                                            \
    STEP(f, b, c, d, a, w[i3], k3, s3)

// The digest of a message of one block, which has its padding and its length.
inline void md5(const uint *w, uint *digest) {
    uint a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
    FOUR(F, w, 0, 0xd76aa478, 7, 1, 0xe8c7b756, 12, 2, 0x242070db, 17, 3, 0xc1bdceee, 22);
    FOUR(F, w, 4, 0xf57c0faf, 7, 5, 0x4787c62a, 12, 6, 0xa8304613, 17, 7, 0xfd469501, 22);
    FOUR(F, w, 8, 0x698098d8, 7, 9, 0x8b44f7af, 12, 10, 0xffff5bb1, 17, 11, 0x895cd7be, 22);
    FOUR(F, w, 12, 0x6b901122, 7, 13, 0xfd987193, 12, 14, 0xa679438e, 17, 15, 0x49b40821, 22);
    FOUR(G, w, 1, 0xf61e2562, 5, 6, 0xc040b340, 9, 11, 0x265e5a51, 14, 0, 0xe9b6c7aa, 20);
    FOUR(G, w, 5, 0xd62f105d, 5, 10, 0x02441453, 9, 15, 0xd8a1e681, 14, 4, 0xe7d3fbc8, 20);
    FOUR(G, w, 9, 0x21e1cde6, 5, 14, 0xc33707d6, 9, 3, 0xf4d50d87, 14, 8, 0x455a14ed, 20);
    FOUR(G, w, 13, 0xa9e3e905, 5, 2, 0xfcefa3f8, 9, 7, 0x676f02d9, 14, 12, 0x8d2a4c8a, 20);
    FOUR(H, w, 5, 0xfffa3942, 4, 8, 0x8771f681, 11, 11, 0x6d9d6122, 16, 14, 0xfde5380c, 23);
    FOUR(H, w, 1, 0xa4beea44, 4, 4, 0x4bdecfa9, 11, 7, 0xf6bb4b60, 16, 10, 0xbebfbc70, 23);
    FOUR(H, w, 13, 0x289b7ec6, 4, 0, 0xeaa127fa, 11, 3, 0xd4ef3085, 16, 6, 0x04881d05, 23);
    FOUR(H, w, 9, 0xd9d4d039, 4, 12, 0xe6db99e5, 11, 15, 0x1fa27cf8, 16, 2, 0xc4ac5665, 23);
    FOUR(I, w, 0, 0xf4292244, 6, 7, 0x432aff97, 10, 14, 0xab9423a7, 15, 5, 0xfc93a039, 21);
    FOUR(I, w, 12, 0x655b59c3, 6, 3, 0x8f0ccc92, 10, 10, 0xffeff47d, 15, 1, 0x85845dd1, 21);
    FOUR(I, w, 8, 0x6fa87e4f, 6, 15, 0xfe2ce6e0, 10, 6, 0xa3014314, 15, 13, 0x4e0811a1, 21);
    FOUR(I, w, 4, 0xf7537e82, 6, 11, 0xbd3af235, 10, 2, 0x2ad7d2bb, 15, 9, 0xeb86d391, 21);
    digest[0] = a + 0x67452301;
    digest[1] = b + 0xefcdab89;
    digest[2] = c + 0x98badcfe;
    digest[3] = d + 0x10325476;
}

inline uint append(uint *buffer, uint at, const uint *text, uint length) {
    for (uint i = 0; i < length; i++)
        PUT(buffer, at + i, GET(text, i));
    return at + length;
}

inline void finish(uint *buffer, uint length) {
    PUT(buffer, length, 0x80);
    buffer[14] = length * 8;
}

inline void clear(uint *buffer) {
    for (int i = 0; i < 16; i++)
        buffer[i] = 0;
}

// What stands around the digest in round i's message; gives where the digest goes.
inline uint pattern(uint *buffer, uint i, const uint *password, uint length, const uint *salt, const uint *digest) {
    uint at = 0, where = 0;
    clear(buffer);
    at = i & 1 ? append(buffer, at, password, length) : append(buffer, at, digest, 16);
    if (i % 3)
        at = append(buffer, at, salt, 8);
    if (i % 7)
        at = append(buffer, at, password, length);
    if (i & 1) {
        where = at;
        at = append(buffer, at, digest, 16);
    } else {
        at = append(buffer, at, password, length);
    }
    finish(buffer, at);
    return where;
}

// Passwords of 16 bytes each: up to 15 characters, then their number.
__kernel void md5_chain(__global const uint4 *passwords, uint salt0, uint salt1, uint rounds, __global uint4 *out) {
    const uint4 packed = passwords[get_global_id(0)];
    const uint length = packed.w >> 24;
    uint password[4] = {packed.x, packed.y, packed.z, packed.w & 0xffffff};
    uint salt[2] = {salt0, salt1};
    uint digest[4] = {0, 0, 0, 0};
#if FORM == 2
    uint buffers[8][16], places[8];
    for (uint p = 0; p < 8; p++) {
        // A round with these three properties.
        uint i = 0;
        while ((i & 1) != (p & 1) || (i % 3 != 0) != (p >> 1 & 1) || (i % 7 != 0) != (p >> 2 & 1))
            i++;
        places[p] = pattern(buffers[p], i, password, length, salt, digest);
    }
#else
    uint buffer[16];
#endif
    for (uint i = 0; i < rounds; i++) {
#if FORM == 2
        const uint p = (i & 1) | (uint)(i % 3 != 0) << 1 | (uint)(i % 7 != 0) << 2;
        append(buffers[p], places[p], digest, 16);
        md5(buffers[p], digest);
#else
        pattern(buffer, i, password, length, salt, digest);
        md5(buffer, digest);
#endif
    }
    out[get_global_id(0)] = (uint4)(digest[0], digest[1], digest[2], digest[3]);
}
