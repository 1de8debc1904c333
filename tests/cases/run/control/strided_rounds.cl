// no-diagnostics
// Loops whose step is no constant, of fewer and more rounds than are taken together (passes/optimize/unroll/unroll_runtime, on NVIDIA's driver), and steps that wrap.
// run: --kernel hashed --global 8 --local 4 --arg x=uint[64]:values=3,10,17,24,31,38,45,52,59,2,9,16,23,30,37,44,51,58,1,8,15,22,29,36,43,50,57,0,7,14,21,28,35,42,49,56,63,6,13,20,27,34,41,48,55,62,5,12,19,26,33,40,47,54,61,4,11,18,25,32,39,46,53,60 --arg n=uint[8]:values=0,1,9,64,63,57,33,8 --arg steps=uint[8]:values=1,2,1,2,1,2,1,2 --arg out=uint[8] --print out
// prints: out: 0 0 17 423680992 1863094112 245018318 1377072 52
// run: --kernel each --global 8 --local 4 --arg x=uint[64]:values=3,10,17,24,31,38,45,52,59,2,9,16,23,30,37,44,51,58,1,8,15,22,29,36,43,50,57,0,7,14,21,28,35,42,49,56,63,6,13,20,27,34,41,48,55,62,5,12,19,26,33,40,47,54,61,4,11,18,25,32,39,46,53,60 --arg n=uint[8]:values=0,1,9,64,63,57,33,8 --arg steps=uint[8]:values=1,1,1,1,1,1,1,1 --arg out=uint[8] --print out
// prints: out: 0 3 2040404511 1969011680 202063836 69117511 416262195 1728387484
// run: --kernel largest --global 8 --local 4 --arg x=uint[64]:values=3,10,17,24,31,38,45,52,59,2,9,16,23,30,37,44,51,58,1,8,15,22,29,36,43,50,57,0,7,14,21,28,35,42,49,56,63,6,13,20,27,34,41,48,55,62,5,12,19,26,33,40,47,54,61,4,11,18,25,32,39,46,53,60 --arg n=uint[8]:values=0,1,9,64,63,57,33,8 --arg steps=uint[8]:values=1,2,1,2,1,2,1,2 --arg out=uint[8] --print out
// prints: out: 9900 9900 859 4562 3663 4562 859 752
// run: --kernel wraps --global 8 --local 4 --arg x=uint[64]:values=3,10,17,24,31,38,45,52,59,2,9,16,23,30,37,44,51,58,1,8,15,22,29,36,43,50,57,0,7,14,21,28,35,42,49,56,63,6,13,20,27,34,41,48,55,62,5,12,19,26,33,40,47,54,61,4,11,18,25,32,39,46,53,60 --arg n=uint[8]:values=0,1,9,64,63,57,33,8 --arg steps=uint[8]:values=4294967289,613566757,1,3,2147483648,4294967295,7,64 --arg out=uint[8] --print out
// prints: out: 51 44 2181814066 30568072 21 3550371794 1066 62
// run: --kernel indirect --global 8 --local 4 --arg x=uint[64]:values=3,10,17,24,31,38,45,52,59,2,9,16,23,30,37,44,51,58,1,8,15,22,29,36,43,50,57,0,7,14,21,28,35,42,49,56,63,6,13,20,27,34,41,48,55,62,5,12,19,26,33,40,47,54,61,4,11,18,25,32,39,46,53,60 --arg n=uint[8]:values=0,1,9,64,63,57,33,8 --arg steps=uint[8]:values=1,2,3,1,2,3,1,2 --arg out=uint[8] --print out
// prints: out: 0 0 56173 372142825 3419759742 1089498699 4070404827 47
// run: --kernel pointers --global 8 --local 4 --arg x=uint[64]:values=3,10,17,24,31,38,45,52,59,2,9,16,23,30,37,44,51,58,1,8,15,22,29,36,43,50,57,0,7,14,21,28,35,42,49,56,63,6,13,20,27,34,41,48,55,62,5,12,19,26,33,40,47,54,61,4,11,18,25,32,39,46,53,60 --arg n=uint[8]:values=0,1,9,64,63,57,33,8 --arg steps=uint[8]:values=1,2,1,2,1,2,1,2 --arg out=uint[8] --print out
// prints: out: 0 3 2319319 3007076416 3975979732 2326159075 3440085651 1000
// run: --kernel nested --global 8 --local 4 --arg x=uint[64]:values=3,10,17,24,31,38,45,52,59,2,9,16,23,30,37,44,51,58,1,8,15,22,29,36,43,50,57,0,7,14,21,28,35,42,49,56,63,6,13,20,27,34,41,48,55,62,5,12,19,26,33,40,47,54,61,4,11,18,25,32,39,46,53,60 --arg n=uint[8]:values=0,1,9,64,63,57,33,8 --arg steps=uint[8]:values=1,2,1,2,1,2,1,2 --arg out=uint[8] --print out
// prints: out: 0 3 2353306197 3157937677 2106751600 91629055 2740089825 1751032673
// run: --kernel chased --global 8 --local 4 --arg x=uint[64]:values=3,10,17,24,31,38,45,52,59,2,9,16,23,30,37,44,51,58,1,8,15,22,29,36,43,50,57,0,7,14,21,28,35,42,49,56,63,6,13,20,27,34,41,48,55,62,5,12,19,26,33,40,47,54,61,4,11,18,25,32,39,46,53,60 --arg n=uint[8]:values=0,1,9,64,63,57,33,8 --arg steps=uint[8]:values=1,2,1,2,1,2,1,2 --arg out=uint[8] --print out
// prints: out: 0 10 273085 2367761008 1434831924 1401410996 783306077 1886
// run: --kernel down --global 8 --local 4 --arg x=uint[64]:values=3,10,17,24,31,38,45,52,59,2,9,16,23,30,37,44,51,58,1,8,15,22,29,36,43,50,57,0,7,14,21,28,35,42,49,56,63,6,13,20,27,34,41,48,55,62,5,12,19,26,33,40,47,54,61,4,11,18,25,32,39,46,53,60 --arg n=uint[8]:values=0,1,9,64,63,57,33,8 --arg steps=uint[8]:values=1,2,1,2,1,2,1,2 --arg out=uint[8] --print out
// prints: out: 0 3 546207 1525990176 2085853964 53710831 2147534387 1828

#define ARGS global const uint *x, global const uint *n, global const uint *steps, global uint *out

kernel void hashed(ARGS) {
    uint id = get_global_id(0), end = n[id], s = 0;
    for (uint i = id; i < end; i += get_global_size(0)) s = s * 31 + x[i];
    out[id] = s;
}

kernel void each(ARGS) {
    uint id = get_global_id(0), end = n[id], step = steps[id], s = 0;
    for (uint i = 0; i < end; i += step) s = s * 31 + x[i];
    out[id] = s;
}

kernel void largest(ARGS) {
    int id = get_global_id(0), end = n[id], step = steps[id], most = -1, where = 99;
    for (int i = id; i < end; i += step) {
        int value = x[i];
        if (value > most) { most = value; where = i; }
    }
    out[id] = where * 100 + max(most, 0);
}

// A later round's test may hold where an earlier one's does not: seven steps of the second are 2^32 + 3.
kernel void wraps(ARGS) {
    uint id = get_global_id(0), step = steps[id], s = 0;
    for (uint i = 10 + id * 5; i < 64u; i += step) s = s * 3 + x[i];
    out[id] = s;
}

kernel void indirect(ARGS) {
    uint id = get_global_id(0), end = n[id], step = steps[id], s = 0;
    for (uint i = id; i < end; i += step) s = s * 31 + x[x[i]];
    out[id] = s;
}

kernel void pointers(ARGS) {
    uint id = get_global_id(0), step = steps[id], s = 0;
    global const uint *end = x + n[id];
    for (global const uint *p = x; p < end; p += step) s = s * 5 + *p;
    out[id] = s;
}

kernel void nested(ARGS) {
    uint id = get_global_id(0), end = n[id], step = steps[id], s = 0;
    for (uint j = 0; j < 3; j++)
        for (uint i = j; i < end; i += step) s = s * 7 + x[i] + j;
    out[id] = s;
}

// What a round loads tells the next one where: nothing to take together.
kernel void chased(ARGS) {
    uint id = get_global_id(0), end = n[id], step = steps[id], i = id, s = 0;
    for (uint k = 0; k < end; k += step) {
        i = x[i];
        s = s * 3 + i;
    }
    out[id] = s;
}

kernel void down(ARGS) {
    int id = get_global_id(0), step = steps[id];
    uint s = 0;
    for (int i = (int)n[id] - 1; i >= 0; i -= step) s = s * 3 + x[i];
    out[id] = s;
}
