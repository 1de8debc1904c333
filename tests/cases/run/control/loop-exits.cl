// no-diagnostics
// What work-items that leave a loop at different times found there: llvmpipe keeps it only in phis.
// run: --kernel search --global 8 --local 8 --arg in=uint[8]:values=16,1,2,3,18,20,16,17 --arg out=uint[8] --print out
// prints: out: 1 1 3 3 17 17 17 17
// run: --kernel bound --global 8 --local 8 --arg in=uint[8]:values=16,1,2,3,18,19,16,17 --arg out=uint[8] --print out
// prints: out: 16 2 4 6 20 22 16 18
// run: --kernel nested --global 8 --local 8 --arg in=uint[8]:values=16,1,2,3,18,20,16,17 --arg out=uint[16] --print out
// prints: out: 1 1 3 3 17 17 17 17 16 1 2 3 18 20 16 17
// run: --kernel ways --global 8 --local 8 --arg in=uint[8]:values=16,1,2,3,18,20,16,17 --arg out=uint[8] --print out
// prints: out: 1 101 102 3 120 116 117 116
// run: --kernel shared --global 8 --local 8 --arg in=uint[8]:values=16,1,2,3,18,20,16,17 --arg out=uint[8] --print out
// prints: out: 1 1 3 3 17 17 17 17

kernel void search(global uint *in, global uint *out) {
    uint g = get_global_id(0), v;
    for (uint i = 0;; i++) {
        v = in[(g + i) & 7];
        if (v & 1)
            break;
    }
    out[g] = v;
}

// The load of the loop's condition serves behind it, too.
kernel void bound(constant uint *in, global uint *out) {
    uint g = get_global_id(0), i;
    for (i = 0; i < (in[g] & 3); i++) {
    }
    out[g] = in[g] + i;
}

// Out of two loops; what the outer one loaded is used behind both.
kernel void nested(global uint *in, global uint *out) {
    uint g = get_global_id(0), first, v;
    for (uint j = 0;; j++) {
        first = in[(g + 8 * j) & 7];
        for (uint i = 0; i < 8; i++) {
            v = in[(g + i) & 7];
            if (v & 1)
                goto found;
        }
    }
found:
    out[g] = v;
    out[8 + g] = first;
}

// Several ways out, to several places.
kernel void ways(global uint *in, global uint *out) {
    uint g = get_global_id(0);
    for (uint i = 0;; i++) {
        uint v = in[(g + i) & 7], w = in[(g + 2 * i + 1) & 7];
        if (v == 1 && g == 0 || v == 3) {
            out[g] = v;
            return;
        }
        if (w > 15 || v == 1 || v == 2 && g == 2) {
            out[g] = 100 + (g < 4 ? v : w);
            return;
        }
    }
}

// A loop with a barrier, left together; one within it, left one by one.
kernel void shared(global uint *in, global uint *out) {
    local uint tile[8];
    uint g = get_global_id(0), v = 0;
    for (uint turn = 0; turn < 2; turn++) {
        tile[g] = in[g];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = 0;; i++) {
            v = tile[(g + i) & 7];
            if (v & 1)
                break;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[g] = v;
}
