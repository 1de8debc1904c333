// Accesses that differ by constants from each other: around a place that memory tells, which may lie before the buffer; indices that wrap
// around, of 64 bits, in two arms; bytes.
// run: --kernel around --global 4 --arg int[4]:values=1,6,-1,3 --arg int[8]:values=10,11,12,13,14,15,16,17 --arg int[16]:zero --print out
// prints: out: 11 12 12 13 16 17 17 10 10 11 10 11 13 14 14 15
// run: --kernel wrapped --global 3 --arg uint[3]:values=4294967295,4294967294,2 --arg int[8]:range --arg int[9]:zero --print out
// prints: out: 0 1 2 7 0 1 3 4 5
// run: --kernel wide --global 3 --arg long[3]:values=-5,-3,2 --arg int[8]:range --arg int[6]:zero --print out
// prints: out: 0 1 2 3 7 6
// run: --kernel arms --global 4 --arg int[4]:values=7,-1,3,-2 --arg int[8]:range --arg int[8]:zero --print out
// prints: out: 6 5 0 1 2 1 7 0
// run: --kernel bytes --global 3 --arg uchar[12]:range --arg uchar[13]:zero --print out
// prints: out: 3 2 1 0 7 6 5 4 11 10 9 8 0
// run: --kernel odd --global 2 --arg uchar[16]:range --arg uint[2]:values=1,6 --arg uchar[16]:zero --print out
// prints: out: 0 1 2 3 4 5 6 7 8 0 0 0 0 0 0 0
// no-diagnostics
kernel void around(global const int *at, global const int *in, global int *out) {
    int i = get_global_id(0), n = at[i];
    out[4 * i] = in[n & 7];
    if (n >= 0) {
        out[4 * i] = in[n];
        out[4 * i + 1] = in[n + 1];
    } else {
        out[4 * i] = in[n + 1];
        out[4 * i + 1] = in[n + 2];
    }
    n = n < 0 ? -1 : n;
    out[4 * i + 2] = n == 6 ? in[n + 1] : in[n + 1];
    out[4 * i + 3] = n == 6 ? in[n - 6] : in[n + 2];
}

kernel void wrapped(global const uint *at, global const int *in, global int *out) {
    uint i = get_global_id(0), n = at[i];
    out[3 * i] = n == 4294967294u ? 7 : in[n + 1];
    out[3 * i + 1] = in[n + 2];
    out[3 * i + 2] = in[n + 3];
}

kernel void wide(global const long *at, global const int *in, global int *out) {
    size_t i = get_global_id(0);
    long n = at[i];
    out[2 * i] = in[n + 5];
    out[2 * i + 1] = in[n + (n > 0 ? 4 : 6)];
}

kernel void arms(global const int *at, global const int *in, global int *out) {
    int i = get_global_id(0), n = at[i];
    if (n > 0) {
        out[2 * i] = in[n - 1];
        out[2 * i + 1] = in[n - 2];
    } else {
        out[2 * i] = n == -2 ? 7 : in[n + 1];
        out[2 * i + 1] = in[n + 2];
    }
}

kernel void bytes(global const uchar *in, global uchar *out) {
    int i = get_global_id(0);
    out[4 * i] = in[4 * i + 3];
    out[4 * i + 1] = in[4 * i + 2];
    out[4 * i + 2] = in[4 * i + 1];
    out[4 * i + 3] = in[4 * i];
}

kernel void odd(global const uchar *in, global const uint *at, global uchar *out) {
    uint n = at[get_global_id(0)];
    out[n - 1] = in[n - 1];
    out[n] = in[n];
    out[n + 1] = in[n + 1];
    out[n + 2] = in[n + 2];
    if (n == 1) {
        out[n + 3] = in[n + 3];
    }
}
