// no-diagnostics
// What work-items that leave a loop behind its end computed of counters: llvmpipe has the next turn's in their registers by then.
// run: --kernel words --global 4 --local 4 --arg a=int[4]:values=0,5,-4,100 --arg out=uint[4] --print out
// prints: out: 7 20500 4293529460 501
// run: --kernel tests --global 4 --local 4 --arg a=int[4]:values=0,5,-4,100 --arg out=uint[4] --print out
// prints: out: 7 26 2490 501
// run: --kernel shorts --global 4 --local 4 --arg a=int[4]:values=0,5,-4,100 --arg out=uint[4] --print out
// prints: out: 65535 10 65531 945
// run: --kernel steps --global 4 --local 4 --arg a=int[4]:values=0,5,-4,100 --arg out=uint[4] --print out
// prints: out: 7 20500 27008 501

kernel void words(global const int *a, global uint *out) {
    uint id = get_global_id(0);
    uint x = a[id], y = 0, t;
    do { x = x * 5 + 1; t = y + x; y = t & 65535; } while ((t & 12) != 4);
    out[id] = t;
}

kernel void tests(global const int *a, global uint *out) {
    uint id = get_global_id(0);
    uint x = a[id], y = 0, t;
    do { x = (x * 5 + 1) & 1023; t = y + x; y = t & 65535; } while ((x & 12) != 4 && (y & 16) == 0);
    out[id] = t;
}

kernel void shorts(global const int *a, global uint *out) {
    uint id = get_global_id(0);
    short x = a[id], y = 0;
    do { x -= 1; y += x; } while (x > 0 && y < 900);
    out[id] = (ushort)y;
}

kernel void steps(global const int *a, global uint *out) {
    uint id = get_global_id(0);
    short x = a[id], y = 0;
    do { x = x * 5 + 1; y += x; } while ((x & 12) != 4);
    out[id] = (ushort)y;
}
