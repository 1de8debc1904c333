// Loads of what was loaded or stored before, with something between that may or may not have written there.
// no-diagnostics
// run: --kernel views --global 4 --local 4 --arg uint[32]:range --arg uint:0 --print p
// prints: p: 100 10 1069547520 2 1073741824 100 1793 1893 108 10 1069547520 2 1073741824 108 1801 1909 116 10 1069547520 2 1073741824 116 1809 1925 124 10 1069547520 2 1073741824 124 1817 1941
// run: --kernel loops --global 4 --local 4 --arg uint[32]:range --arg uint:2 --print p
// prints: p: 1 2 3 4 5 120 6 12 1 2 3 4 5 360 1000 1014 1 2 3 4 5 600 22 44 1 2 3 4 5 840 1000 1030
// run: --kernel groups --global 8 --local 8 --arg uint[64]:zero --arg uint:1 --print p
// prints: p: 1 4 3 8 2 6 3 8 3 8 3 8 4 10 3 8 5 12 3 8 6 14 3 8 7 0 3 8 0 2 3 8 2 3 3 0 4 3 3 0 6 3 3 0 8 3 3 0 10 3 3 0 12 3 3 0 14 3 3 0 0 3 3 0
// run: --kernel own --global 4 --local 4 --arg uint[32]:range --arg uint:3 --print p
// prints: p: 3 3 3 60 3 50 60 7 11 11 60 1 60 50 1 15 19 19 19 60 19 50 60 23 27 50 60 1 60 60 1 31
// run: --kernel ordered --global 4 --local 4 --arg uint[8]:range --print p
// prints: p: 40 44 48 48 15 16 17 18
kernel void views(global uint *p, uint nothing) {
    const uint g = get_global_id(0) * 8;
    // One memory by two pointers, of which the compiler cannot know that they are alike.
    global uint *a = p + g, *b = p + g + nothing;
    uint x = a[0];
    b[0] = x + 100;
    uint y = a[0];
    // A part of a word, and a word over parts.
    ((global uchar *)b)[5] = 7;
    uint z = a[1];
    ((global ushort *)a)[4] = 9;
    *(global ulong *)(b + 2) += 1;
    ushort u = ((global ushort *)a)[4];
    // The same bytes as another type.
    ((global float *)a)[4] = 1.5f;
    uint f = a[4];
    a[4] = 0x40000000;
    float h = ((global float *)b)[4];
    // Vectors over what was stored by itself.
    a[5] = x;
    vstore2((uint2)(y, z), 0, b + 5);
    a[7] = a[5] + a[6];
    a[1] = u;
    a[2] = f;
    a[3] = h;
}

kernel void loops(global uint *p, uint n) {
    const uint g = get_global_id(0) * 8;
    global uint *a = p + g;
    uint first = a[n], sum = 0;
    for (uint i = 0; i < 5; i++) {
        // Not what it was before the loop, from the second turn on.
        sum += a[n] * 10;
        a[i] = i + 1;
    }
    a[5] = sum;
    // One way writes.
    uint before = a[6];
    if (first & 8)
        a[6 + (n >> 8)] = 1000;
    a[7] = a[6] + before;
}

kernel void groups(global uint *p, uint one) {
    local uint l[16], seen;
    const uint i = get_local_id(0);
    l[i] = i;
    l[i + 8] = 100;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint x = l[(i + 1) & 7];
    barrier(CLK_LOCAL_MEM_FENCE);
    l[i] = x * 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint y = l[(i + 1) & 7];
    // Its own by another pointer and another size.
    ((local ushort *)(l + i * one))[16] = 3;
    uint z = l[i + 8];
    if (i == 0)
        seen = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint s = seen;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&seen, 1u);
    barrier(CLK_LOCAL_MEM_FENCE);
    vstore4((uint4)(x, y, z, s + seen), i, p);
    vstore4((uint4)(l[i], l[i + 8], l[8], 0), i + 8, p);
}

kernel void own(global uint *p, uint n) {
    const uint g = get_global_id(0);
    uint a[8], b[8];
    for (uint i = 0; i < 8; i++) {
        a[i] = p[g * 8 + i];
        b[i] = 1;
    }
    uint *q = g & 1 ? a : b;
    // a[n] may be a[g], and *q one of either.
    uint x = a[n];
    a[g] = 50;
    uint y = a[n];
    q[3] = 60;
    uint z = a[n], w = b[n];
    b[a[7] & 7] = a[n];
    uint v = b[7];
    p[g * 8] = x;
    p[g * 8 + 1] = y;
    p[g * 8 + 2] = z;
    p[g * 8 + 3] = w;
    p[g * 8 + 4] = v;
    p[g * 8 + 5] = a[g];
    p[g * 8 + 6] = b[3];
}

kernel void ordered(global uint *p) {
    const uint g = get_global_id(0);
    global volatile uint *v = p;
    uint x = p[g + 4];
    // Both are loaded, and the store between is seen.
    uint y = v[g + 4];
    v[g + 4] = y + 1;
    x += p[g + 4];
    atomic_add(p + g + 4, 10u);
    x += p[g + 4];
    barrier(CLK_GLOBAL_MEM_FENCE);
    x += p[(g + 1) % 4 + 4];
    p[g] = x;
}
