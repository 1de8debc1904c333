// no-diagnostics
// run: --kernel k --global 8 --local 8 --arg out=uint[22] --arg zero=uint[3]:values=0,1,4294967293 --arg n=uint:4294967295 --print out
// prints: out: 3 86571 2 2799 4 2150077741 11 2349229419 4 2711053 16 2137997064 8 824430859 1 94 4 2687125123 6 464735570 9 2165570664
// Tests of the next round's counter behind a round, where the first step wraps around, or the counter starts at its end.
kernel void k(global uint *out, global const uint *zero, uint n) {
    uint z = *zero;
    {
        uint a = z + 3u, c = z;
        uint i = 4294967293u;
        do { a = a * 31u + (uint)i; c++; i = i + 5u; } while (i < 10u);
        out[0] = c, out[1] = a + (uint)i;
    }
    {
        uint a = z + 3u, c = z;
        uint i = 4294967293u;
        do { a = a * 31u + (uint)i; c++; i = i + 5u; } while (i < 3u);
        out[2] = c, out[3] = a + (uint)i;
    }
    {
        uint a = z + 3u, c = z;
        int i = (int)(z + 0x7ffffffau);
        do { a = a * 31u + (uint)i; c++; i = (int)((uint)i + 8u); } while (i < -2147483629);
        out[4] = c, out[5] = a + (uint)i;
    }
    {
        uint a = z + 3u, c = z;
        uint i = n;
        do { a = a * 31u + (uint)i; c++; i = i + 1u; } while (i < 10u);
        out[6] = c, out[7] = a + (uint)i;
    }
    {
        uint a = z + 3u, c = z;
        uint i = zero[0] - 2u;
        do { a = a * 31u + (uint)i; c++; i = i + 2u; } while (i < 6u);
        out[8] = c, out[9] = a + (uint)i;
    }
    {
        uint a = z + 3u, c = z;
        uint i = 5u;
        do { a = a * 31u + (uint)i; c++; i = i + 268435456u; } while (i != 5u);
        out[10] = c, out[11] = a + (uint)i;
    }
    {
        uint a = z + 3u, c = z;
        uint i = (uint)get_local_size(0);
        do { a = a * 31u + (uint)i; c++; i = i + 536870912u; } while (i != 8u);
        out[12] = c, out[13] = a + (uint)i;
    }
    {
        uint a = z + 3u, c = z;
        uint i = 1u;
        do { a = a * 31u + (uint)i; c++; i = i + -1u; } while (i > 0u);
        out[14] = c, out[15] = a + (uint)i;
    }
    {
        uint a = z + 3u, c = z;
        int i = 0;
        do { a = a * 31u + (uint)i; c++; i = (int)((uint)i + -0x10000000u); } while (i > -0x40000000);
        out[16] = c, out[17] = a + (uint)i;
    }
    {
        uint a = z + 3u, c = z;
        int i = 0x7ffffffe;
        do { a = a * 31u + (uint)i; c++; i = (int)((uint)i + 9u); } while (i < -2147483600);
        out[18] = c, out[19] = a + (uint)i;
    }
    {
        uint a = z + 3u, c = z;
        ulong i = 0xfffffffffffffffful;
        do { a = a * 31u + (uint)i; c++; i = i + 1ul; } while (i <= 7ul);
        out[20] = c, out[21] = a + (uint)i;
    }
}
