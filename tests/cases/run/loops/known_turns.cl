// run: --kernel k --global 3 --arg uint[3] --print out
// prints: out: 365295416 3687426873 2714591034
// Mesa's llvmpipe before version 25 ends the loops of a work-item after 65,535 turns. Where the turns are known, several rounds become one.
// run: --kernel wait --global 5 --local 5 --arg float[5]:range --arg int[5] --print out
// prints: out: 0 3 6 9 12
kernel void k(global uint *out) {
    uint x = 1, g = get_global_id(0), sum = g, last = 0;
    for (uint i = 0; i < 100000; i++) {
        x = x * 1664525u + 1013904223u;
        sum += x >> 20;
    }
    for (int i = 0; i < 400; i++)
        for (int j = 0; j < 400; j++) {
            sum = sum * 3 + i + j;
            if (sum >> 13 == g + 77777)
                break;
            last = j;
        }
    out[g] = sum + last;
}

// As the conformance tests' events suite keeps a device busy.
kernel void wait(global float *src, global int *out) {
    int i, g = get_global_id(0);
    for (i = 0; i < 100000; i++)
        out[g] = (int)src[g] * 3;
}
