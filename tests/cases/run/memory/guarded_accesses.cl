// no-diagnostics
// run: --kernel k --global 4 --arg null --arg n=uint:0 --arg idx=int[4]:values=0,1,2,-1 --arg a=uint[4]:range=5 --arg out=uint[4] --print out
// prints: out: 5 6 7 99
// run: --kernel rounds --global 4 --arg null --arg n=uint:0 --arg step=uint:1 --arg out=uint[4] --print out
// prints: out: 0 0 0 0
// run: --kernel div --global 4 --arg n=int:0 --arg m=long:0 --arg out=uint[4] --print out
// prints: out: 7 7 7 7
// What a test guards is not done where it fails: loads of null and before a buffer, divisions by zero, rounds that do not take place.
kernel void k(global const uint *p, uint n, global const int *idx, global const uint *a, global uint *out) {
    size_t g = get_global_id(0);
    uint r = 99;
    if (p) r = p[g];
    int i = idx[g];
    if (i >= 0) { uint v = a[i]; if (v) r = v; }
    for (uint j = 0; j < n; j++) { if (p && p[j] == r) { r = j; break; } r += p[j]; }
    out[g] = r;
}
kernel void rounds(global const uint *p, uint n, uint step, global uint *out) {
    uint s = 0;
    for (uint i = get_global_id(0); i < n; i += step) s += p[i];
    out[get_global_id(0)] = s;
}
kernel void div(int n, long m, global uint *out) {
    uint r = 7;
    for (int i = 0; i < 5; i++) {
        if (n != 0) r += 100 / n;
        if (m != 0) r += (uint)(100 / m) + (uint)(i % m);
    }
    out[get_global_id(0)] = r;
}
