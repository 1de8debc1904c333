// no-diagnostics
// A vector that goes round a loop and gets another one that does: llvmpipe moves it on before the loop is left.
// run: --kernel copied --global 4 --local 4 --arg n=uint[4]:values=63,60,0,57 --arg out=uint[8] --print out
// prints: out: 65 66 64 65 0 1 63 64
// run: --kernel swapped --global 4 --local 4 --arg n=uint[4]:values=63,60,0,57 --arg out=uint[8] --print out
// prints: out: 189 126 60 61 0 1 171 114
// run: --kernel three --global 4 --local 4 --arg n=uint[4]:values=63,60,0,57 --arg out=uint[8] --print out
// prints: out: 189 126 240 120 0 1 229 115
// run: --kernel two_exits --global 4 --local 4 --arg n=uint[4]:values=63,60,0,30 --arg out=uint[8] --print out
// prints: out: 189 126 182 122 0 1 112 82
// run: --kernel floats --global 4 --local 4 --arg n=uint[4]:values=63,60,0,57 --arg out=float[8] --print out
// prints: out: 189 1 184 5 0 1 179 9

kernel void copied(global const uint *n, global uint *out) {
    uint id = get_global_id(0), i = n[id];
    uint2 a = (uint2)(i, i + 1), b = (uint2)(i + 2, i + 3);
    while (i > 9) { a = b; b += 2u; i = (i + 3) & 63; }
    out[id * 2] = a.x;
    out[id * 2 + 1] = a.y;
}

kernel void swapped(global const uint *n, global uint *out) {
    uint id = get_global_id(0), i = n[id];
    uint2 a = (uint2)(i, i + 1), b = (uint2)(i * 3, i * 2);
    while (i > 9) { uint2 c = a; a = b; b = c; i = (i + 3) & 63; }
    out[id * 2] = a.x;
    out[id * 2 + 1] = a.y;
}

kernel void three(global const uint *n, global uint *out) {
    uint id = get_global_id(0), i = n[id];
    uint2 a = (uint2)(i, i + 1), b = (uint2)(i * 3, i * 2), c = (uint2)(i * 4, i * 2);
    while (i > 9) { a = b; b = c; c += 1u; i = (i + 3) & 63; }
    out[id * 2] = a.x;
    out[id * 2 + 1] = a.y;
}

kernel void two_exits(global const uint *n, global uint *out) {
    uint id = get_global_id(0), i = n[id];
    uint2 a = (uint2)(i, i + 1), b = (uint2)(i * 3, i * 2);
    for (;;) {
        if (i <= 9) break;
        a = b;
        b += 2u;
        if (a.x == 112) break;
        i = (i + 3) & 63;
    }
    out[id * 2] = a.x;
    out[id * 2 + 1] = a.y;
}

kernel void floats(global const uint *n, global float *out) {
    uint id = get_global_id(0), i = n[id];
    float4 a = (float4)(i, i, i, 1), b = (float4)(i * 2, i * 2, i * 3, 1);
    while (i > 9) { a = b; b += (float4)(2, 3, 4, 4); i = (i + 3) & 63; }
    out[id * 2] = a.z;
    out[id * 2 + 1] = a.w;
}
