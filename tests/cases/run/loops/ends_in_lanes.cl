// no-diagnostics
// run: --kernel k --global 1 --local 1 --arg out=uint[10] --print out
// prints: out: 1 92 3 90399 2 2540 4 2987077 2 35678
// Counters and their ends that are lanes of one vector: a lane that no round changes is a constant to drivers, which count wrongly where the counter wraps
// around (found by random programs).
kernel void k(global uint *out) {
    uint size = get_local_size(0);
    {
        uint a = 3, c = 0;
        ulong2 h = (ulong2)(1239281356972361732ul, (ulong)size - 2ul);
        while (h.y >= h.x) { a = a * 31u + (uint)h.y; c++; h.y += 137697928552484637ul; }
        out[0] = c, out[1] = a;
    }
    {
        uint a = 3, c = 0;
        uint4 h = (uint4)(4294967285u, 62u, 1, 2);
        while (h.x >= h.y) { a = a * 31u + h.z; c++; h += (uint4)(5, 0, 1, 2); }
        out[2] = c, out[3] = a;
    }
    {
        uint a = 3, c = 0;
        uint3 h = (uint3)(4294967285u, 70u - size, 9);
        while (h.x > h.y) { a = a * 31u + h.x; c++; h.x += h.z; }
        out[4] = c, out[5] = a;
    }
    {
        uint a = 3, c = 0;
        struct { uint2 x; uint end; } h = { (uint2)(4294967267u, 7), 70 };
        while (h.x.x > h.end - size) { a = a * 31u + h.x.y; c++; h.x += (uint2)(9, size); }
        out[6] = c, out[7] = a;
    }
    {
        uint a = 3, c = 0;
        short4 h = (short4)(32760, 32000, 5, 1);
        while (h.x >= h.y) { a = a * 31u + (uint)h.w; c++; h.x += h.z; h.w ^= h.x; }
        out[8] = c, out[9] = a;
    }
}
