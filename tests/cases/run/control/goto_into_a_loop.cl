// no-diagnostics
// run: --kernel k --global 6 --arg out=uint[6] --arg n=uint:3 --print out
// prints: out: 5413 6306 333313 4913 303313 6306
// A jump into a case of a switch within a loop, which some work-items enter there; values by gcc.
kernel void k(global uint *out, uint n) {
    uint g = get_global_id(0), i = 0, s = 0;
    if (g & 1) goto middle;
    for (i = 10; i < 10 + n; i++) {
        s += i;
        switch (g) {
        case 2: s += 100;
        case 4: s += 1000; break;
        default:
            if (s > 50) goto out_;
            middle:
            s += 7;
            if (g == 3 && i < 11) { i += 2; goto middle; }
        }
    }
out_:
    out[g] = s * 100 + i;
}
