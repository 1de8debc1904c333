// no-diagnostics
// run: --kernel k --global 8 --local 8 --arg out=uint[12] --arg zero=uint[3]:values=0,1,4294967293 --print out
// prints: out: 9 32368100 9 32368100 4 3136893 5 85881090 1 94 4 2495558
// Mesa 22.3 takes the constant of an end that is min(x, constant) for the end, also where the loop goes on by less than that.
kernel void k(global uint *out, global const uint *zero) {
    uint z = *zero;
    {
        uint a = z + 3u, c = z;
        int i = 10;
        while (i > min((int)zero[1], 5)) { a = a * 31u + (uint)i; c++; i = (int)((uint)i + -1u); }
        out[0] = c, out[1] = a + (uint)i;
    }
    {
        uint a = z + 3u, c = z;
        int i = 10;
        while (i != min((int)zero[1], 5)) { a = a * 31u + (uint)i; c++; i = (int)((uint)i + -1u); }
        out[2] = c, out[3] = a + (uint)i;
    }
    {
        uint a = z + 3u, c = z;
        int i = 12;
        do { a = a * 31u + (uint)i; c++; i = (int)((uint)i + -3u); } while (i >= min(5, (int)zero[1]));
        out[4] = c, out[5] = a + (uint)i;
    }
    {
        uint a = z + 3u, c = z;
        uint i = 0u;
        while (i < (uint)min((int)zero[2], 8)) { a = a * 31u + (uint)i; c++; i = i + 0x33333333u; }
        out[6] = c, out[7] = a + (uint)i;
    }
    {
        uint a = z + 3u, c = z;
        int i = 0;
        while (i < min((int)zero[1], 5)) { a = a * 31u + (uint)i; c++; i = (int)((uint)i + 1u); }
        out[8] = c, out[9] = a + (uint)i;
    }
    {
        uint a = z + 3u, c = z;
        int i = -9;
        while (i <= min((int)zero[2], 5)) { a = a * 31u + (uint)i; c++; i = (int)((uint)i + 2u); }
        out[10] = c, out[11] = a + (uint)i;
    }
}
