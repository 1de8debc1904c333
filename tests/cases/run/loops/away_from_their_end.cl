// no-diagnostics
// run: --kernel k --global 8 --local 8 --arg out=uint[42] --arg zero=uint[3]:values=0,1,4294967293 --arg n=uint:5 --arg wide=ulong:18446744073709551603 --print out
// prints: out: 3 78619 4 1887068 4 2435018 1 89 4 2861888 3 94271 2 2913 4 2149949451 2 2147486063 2 2147486807 3 94271 1 1407774306 3 91325 2 2700 2 2790 3 78619 3 81385 1 98 2 2099846 2 4293954431 3 91581
// Counters that move away from their end and come to it by wrapping around, and some that need not move. Mesa (22.3, 25.0) takes a later round for the last where
// start, step and end are constants, work-groups' sizes among them; NVIDIA's driver takes them not to wrap, known or not (580).
kernel void k(global uint *out, global const uint *zero, uint n, ulong wide) {
    uint z = *zero;
    {
        uint a = z + 3u, c = z;
        uint i = 4294967285u;
        while (i >= 62u) { a = a * 31u + (uint)i; c++; i = i + 5u; }
        out[0] = c, out[1] = a + (uint)i;
    }
    {
        uint a = z + 3u, c = z;
        uint i = 4294967267u;
        while (i > 70u - (uint)get_local_size(0)) { a = a * 31u + (uint)i; c++; i = i + 9u; }
        out[2] = c, out[3] = a + (uint)i;
    }
    {
        uint a = z + 3u, c = z;
        uint i = 4294967285u;
        do { a = a * 31u + (uint)i; c++; i = i + 3u; } while (i >= 41u);
        out[4] = c, out[5] = a + (uint)i;
    }
    {
        uint a = z + 3u, c = z;
        uint i = 4294967293u;
        while (i + 2u >= n) { a = a * 31u + (uint)i; c++; i = i + 2u; }
        out[6] = c, out[7] = a + (uint)i;
    }
    {
        uint a = z + 3u, c = z;
        uint i = 3u;
        while (i < n) { a = a * 31u + (uint)i; c++; i = i + -1u; }
        out[8] = c, out[9] = a + (uint)i;
    }
    {
        uint a = z + 3u, c = z;
        uint i = n;
        while (i < 4294967290u) { a = a * 31u + (uint)i; c++; i = i + -2u; }
        out[10] = c, out[11] = a + (uint)i;
    }
    {
        uint a = z + 3u, c = z;
        uint i = 1u;
        do { a = a * 31u + (uint)i; c++; i = i + -1u; } while (i <= 4294967293u - (uint)get_local_size(0));
        out[12] = c, out[13] = a + (uint)i;
    }
    {
        uint a = z + 3u, c = z;
        int i = 0x7ffffff6;
        while (i >= (int)(0x8000001fu - (uint)get_local_size(0))) { a = a * 31u + (uint)i; c++; i = (int)((uint)i + 3u); }
        out[14] = c, out[15] = a + (uint)i;
    }
    {
        uint a = z + 3u, c = z;
        int i = 0x7ffffff1;
        do { a = a * 31u + (uint)i; c++; i = (int)((uint)i + 9u); } while (i >= (int)(0x80000038u - (uint)get_local_size(0)));
        out[16] = c, out[17] = a + (uint)i;
    }
    {
        uint a = z + 3u, c = z;
        int i = (int)0x80000009u;
        while (i < 0x7fffffdc) { a = a * 31u + (uint)i; c++; i = (int)((uint)i + -7u); }
        out[18] = c, out[19] = a + (uint)i;
    }
    {
        uint a = z + 3u, c = z;
        int i = (int)0x80000005u;
        do { a = a * 31u + (uint)i; c++; i = (int)((uint)i + -2u); } while (i <= (int)(0x7fffffd5u - (uint)get_local_size(0)));
        out[20] = c, out[21] = a + (uint)i;
    }
    {
        uint a = z + 3u, c = z;
        int i = -369854721;
        while (i < (int)(1777628934u - (uint)get_local_size(0) + n)) { a = a * 31u + (uint)i; c++; i = (int)((uint)i + -2147483641u); }
        out[22] = c, out[23] = a + (uint)i;
    }
    {
        uint a = z + 3u, c = z;
        ulong i = 2ul;
        while (i < wide) { a = a * 31u + (uint)i; c++; i = i + -1ul; }
        out[24] = c, out[25] = a + (uint)i;
    }
    {
        uint a = z + 3u, c = z;
        ulong i = 0xfffffffffffffffaul;
        while (i > 36ul - (uint)get_local_size(0)) { a = a * 31u + (uint)i; c++; i = i + 5ul; }
        out[26] = c, out[27] = a + (uint)i;
    }
    {
        uint a = z + 3u, c = z;
        ulong i = 0xfffffffffffffffdul;
        do { a = a * 31u + (uint)i; c++; i = i + 2ul; } while (i > 58ul - (uint)get_local_size(0));
        out[28] = c, out[29] = a + (uint)i;
    }
    {
        uint a = z + 3u, c = z;
        long i = (long)0x7ffffffffffffff5ul;
        while (i > (long)0x800000000000001eul) { a = a * 31u + (uint)i; c++; i = (long)((ulong)i + 5ul); }
        out[30] = c, out[31] = a + (uint)i;
    }
    {
        uint a = z + 3u, c = z;
        long i = -8l;
        while ((long)((ulong)i + -1ul*(ulong)0x2000000000000001l) < (long)(uint)get_local_size(0)) { a = a * 31u + (uint)i; c++; i = (long)((ulong)i + -1ul*(ulong)0x2000000000000001l); }
        out[32] = c, out[33] = a + (uint)i;
    }
    {
        uint a = z + 3u, c = z;
        long i = 3l;
        do { a = a * 31u + (uint)i; c++; i = (long)((ulong)i + -1ul); } while (i < (long)n - 13l);
        out[34] = c, out[35] = a + (uint)i;
    }
    {
        uint a = z + 3u, c = z;
        ushort i = 65530;
        while (i >= 20) { a = a * 31u + (uint)i; c++; i = (ushort)(i + 3); }
        out[36] = c, out[37] = a + (uint)i;
    }
    {
        uint a = z + 3u, c = z;
        short i = -32766;
        do { a = a * 31u + (uint)i; c++; i = (short)(i + -2); } while (i < 32760);
        out[38] = c, out[39] = a + (uint)i;
    }
    {
        uint a = z + 3u, c = z;
        uchar i = 2;
        while (i <= 240) { a = a * 31u + (uint)i; c++; i = (uchar)(i + 255); }
        out[40] = c, out[41] = a + (uint)i;
    }
}
