// A default that stands before a case, and falls through to it: naga loses such code.
// no-diagnostics
// run: --kernel k --global 4 --arg int[]:values=0,1,7,9 --arg out=int[4] --print out
// prints: out: 110 100 5 1005
kernel void k(global const int *p, global int *out) {
    int i = get_global_id(0), s = 0;
    switch (p[i]) {
        case 0: s += 10;
        case 1: s += 100; break;
        default: s += 1000;
        case 7: s += 5; break;
    }
    out[i] = s;
}
