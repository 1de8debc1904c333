// The sign of one number with the rest of another, or one of the two: LLVM's instruction for both at once takes them for each other (AVX-512).
// no-diagnostics
// run: --kernel choice --global 4 --arg x=float[8]:values=1,0,-1,3,4,9,16,25 --arg o=float[4] --print o
// prints: o: 2 0 -4 5
kernel void choice(global const float *x, global float *o) {
    size_t i = get_global_id(0);
    float s = x[i], f = sqrt(x[i + 4]);
    o[i] = s == 0 ? s : copysign(f, s);
}

// run: --kernel other --global 4 --arg x=float[8]:values=1,0,-1,3,4,9,16,25 --arg o=float[4] --print o
// prints: o: 2 3 -4 5
kernel void other(global const float *x, global float *o) {
    size_t i = get_global_id(0);
    float s = x[i], f = sqrt(x[i + 4]);
    o[i] = s == 0 ? f : copysign(f, s);
}

// run: --kernel branch --global 4 --arg x=float[8]:values=1,0,-1,3,4,9,16,25 --arg o=float[4] --print o
// prints: o: 2 0 -4 5
kernel void branch(global const float *x, global float *o) {
    size_t i = get_global_id(0);
    float s = x[i], v = s;
    if (s != 0) v = copysign(sqrt(x[i + 4]), s);
    o[i] = v;
}

// run: --kernel bits --global 4 --arg x=uint[8]:values=2147483653,7,6,2147483655,1,2,3,4 --arg o=uint[12] --print o
// prints: o: 2147483652 7 10 2147483655 4 4294967288 10 2147483661 2147483652 7 10 2147483655
kernel void bits(global const uint *x, global uint *o) {
    size_t i = get_global_id(0);
    uint b = x[i], a = x[i + 4] * 3 + 1, d = x[i] & 7;
    uint f = a ^ (i == 1 ? ~0u : 0);
    o[i] = d == 7 ? b : (a & 0x7fffffff) | (b & 0x80000000);
    o[i + 4] = d == 5 ? f : i == 3 ? (f & 0x7fffffff) + (b & 0x80000000) : f;
    o[i + 8] = d != 7 ? b ^ ((a ^ b) & 0x7fffffff) : b;
}

// run: --kernel wide --global 4 --arg x=double[8]:values=1,0,-1,3,4,9,16,25 --arg o=double[8] --print o
// prints: o: 2 0 -4 5 2 3 -4 5
kernel void wide(global const double *x, global double *o) {
    size_t i = get_global_id(0);
    double s = x[i], f = sqrt(x[i + 4]);
    o[i] = s == 0 ? s : copysign(f, s);
    o[i + 4] = s == 0 ? f : copysign(f, s);
}
