// no-diagnostics
// run: --kernel k --global 8 --local 8 --arg out=uint[20] --arg zero=uint[3] --print out
// prints: out: 3 78615 4 1887061 29 3879241023 4 1887065 4 1887061 29 3879241024 4 3731955 4 4951199 7 994602865 9 65120348
// Counters that are lanes of vectors, of structures' too, and wrap around or are floats: compilers of drivers part vectors, and count wrongly then
// (Mesa 22.3, 25.0) as they do with counters that are alone.
kernel void k(global uint *out, global const uint *zero) {
    uint z = *zero, size = get_local_size(0);
    {
        uint a = z + 3u, c = z;
        uint4 h = (uint4)(z, 4294967285u, z, 3);
        while (h.y >= 62u) { a = a * 31u + h.y; c++; h.y += 5u; }
        out[0] = c, out[1] = a + h.x;
    }
    {
        uint a = z + 3u, c = z;
        uint2 h = (uint2)(4294967267u, z);
        while (h.x > 70u - size) { a = a * 31u + h.x; c++; h.x += 9u; }
        out[2] = c, out[3] = a + h.y;
    }
    {
        uint a = z + 3u, c = z;
        float16 h = (float16)(z);
        while (h.sd < (float)size * 0.35f) { a = a * 31u + (uint)h.sd; c++; h.sd += 0.1f; }
        out[4] = c, out[5] = a + (uint)h.s0;
    }
    {
        uint a = z + 3u, c = z;
        uint4 h = (uint4)(z, 4294967267u, z, z);
        while (h.y > 70u - size) { a = a * 31u + h.y; c++; h += (uint4)(1, 9, 1, 2); }
        out[6] = c, out[7] = a + h.x;
    }
    {
        uint a = z + 3u, c = z;
        uint2 h = (uint2)(z, 4294967267u);
        while (h.y > 70u - size) { a = a * 31u + h.y; c++; h = h.yx; h.x += 9; h = h.yx; }
        out[8] = c, out[9] = a + h.x;
    }
    {
        uint a = z + 3u, c = z;
        struct { int a; float4 i; float f; } h = { 1, (float4)(z), 2 };
        h.i = (float4)(0, z, 1, 2);
        while (h.i.x < 2.8f) { a = a * 31u + (uint)h.i.x; c++; h.i += 0.1f; h.a += z; }
        out[10] = c, out[11] = a + h.a;
    }
    // With two ways to the next round.
    {
        uint a = z + 3u, c = z;
        uint2 h = (uint2)(4294967267u, z);
        while (h.x > 70u - size) {
            a = a * 31u + h.x;
            c++;
            if (a & 1) { h.x += 9u; h.y ^= a; } else { h = (uint2)(h.x + 9u, h.y + 1); }
        }
        out[12] = c, out[13] = a + h.y;
    }
    {
        uint a = z + 3u, c = z;
        uint2 h = (uint2)(4294967285u, z);
        do { a = a * 31u + h.x; c++; h += (uint2)(3, a); } while (h.x >= 49u - size);
        out[14] = c, out[15] = a + h.y;
    }
    // As ordinary loops do.
    {
        uint a = z + 3u, c = z;
        uint2 h = (uint2)(z, 1);
        while (h.y < size) { a = a * 31u + h.x; c++; h += (uint2)(2, 1); }
        out[16] = c, out[17] = a + h.x;
    }
    {
        uint a = z + 3u, c = z;
        int3 h = (int3)(5, 6, 7);
        while (any(h > (int3)(3, (int)size, -2))) { a = a * 31u + h.x; c++; h -= (int3)(1, z, 1); }
        out[18] = c, out[19] = a + h.z;
    }
}
