// no-diagnostics
// run: --kernel k --global 8 --local 8 --arg out=uint[16] --arg zero=uint[3]:values=0,1,4294967293 --arg n=uint:616119410 --arg e=int:-1714476572 --print out
// prints: out: 291 4065335117 1 2147483756 1 1848019761 5 85881090 3 289203111 1 3379722560 6 2518538242 1 4294967294
// Steps by which the end is passed beyond the greatest number or below the least, or met behind it, which NVIDIA's driver (580) does not see.
kernel void k(global uint *out, global const uint *zero, uint n, int e) {
    uint z = *zero;
    {
        uint a = z + 3u, c = z;
        int i = 290;
        while (i < 300) { a = a * 31u + (uint)i; c++; i = (int)((uint)i + 0x7fffffffu); }
        out[0] = c, out[1] = a + (uint)i;
    }
    {
        uint a = z + 3u, c = z;
        uint i = 4u;
        while (i <= 22u) { a = a * 31u + (uint)i; c++; i = i + 2147483655u; }
        out[2] = c, out[3] = a + (uint)i;
    }
    {
        uint a = z + 3u, c = z;
        uint i = 2147483652u;
        while (i < n + 2831691659u) { a = a * 31u + (uint)i; c++; i = i + 1848019660u; }
        out[4] = c, out[5] = a + (uint)i;
    }
    {
        uint a = z + 3u, c = z;
        uint i = 0u;
        while (i <= 4294967292u) { a = a * 31u + (uint)i; c++; i = i + 858993459u; }
        out[6] = c, out[7] = a + (uint)i;
    }
    {
        uint a = z + 3u, c = z;
        int i = -626061433;
        while (i != e) { a = a * 31u + (uint)i; c++; i = (int)((uint)i + 1068850719u); }
        out[8] = c, out[9] = a + (uint)i;
    }
    {
        uint a = z + 3u, c = z;
        uint i = 2763603057u;
        while (i != n) { a = a * 31u + (uint)i; c++; i = i + 2147483649u; }
        out[10] = c, out[11] = a + (uint)i;
    }
    {
        uint a = z + 3u, c = z;
        uint i = 4294967291u;
        while (i + 4u != 23u) { a = a * 31u + (uint)i; c++; i = i + 4u; }
        out[12] = c, out[13] = a + (uint)i;
    }
    {
        uint a = z + 3u, c = z;
        char i = -102;
        while (i <= -31) { a = a * 31u + (uint)i; c++; i = (char)(i + 109); }
        out[14] = c, out[15] = a + (uint)i;
    }
}
