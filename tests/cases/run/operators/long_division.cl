// 64-bit quotients and remainders of numbers of all lengths: q b + r = a, and r is below b. By constants, too, and beside a private
// array in memory (NVIDIA's driver has launches of such that never end).
// no-diagnostics
// run: --kernel unsigned_ones --global 256 --arg wrong=int[1]:const=0 --print wrong
// prints: wrong: 0
// run: --kernel signed_ones --global 256 --arg wrong=int[1]:const=0 --print wrong
// prints: wrong: 0
// run: --kernel constants --global 256 --arg wrong=int[1]:const=0 --print wrong
// prints: wrong: 0
// run: --kernel beside_an_array --global 4 --arg long[4]:values=-1000000000007,12,9000000000000000000,-5 --arg int[4]:values=3,1,2,0 --arg out=long[4] --print out
// prints: out: -142857142858 4 1800000000000000000 -5
ulong mixed(ulong x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ul;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebul;
    return x ^ (x >> 31);
}
ulong number(uint n) {
    ulong x = mixed(n + 1ul);
    uint length = mixed(n + 77777ul) & 63;
    return (n & 3) == 3 ? (1ul << length) - (n >> 2 & 1) : x >> length;
}
kernel void unsigned_ones(global int *wrong) {
    uint i = get_global_id(0);
    for (uint n = 0; n < 16; n++) {
        ulong a = number(i * 32 + n), b = number(i * 32 + 16 + n) | (n == 0);
        if (b == 0) continue;
        ulong q = a / b, r = a % b;
        if (q * b + r != a || r >= b || mul_hi(q, b) != 0) atomic_inc(wrong);
    }
}
kernel void signed_ones(global int *wrong) {
    uint i = get_global_id(0);
    for (uint n = 0; n < 16; n++) {
        long a = (long)number(i * 32 + n), b = (long)number(i * 32 + 16 + n);
        if (n & 1) a = -a;
        if (n & 2) b = -b;
        if (b == 0 || b == -1) continue;
        long q = a / b, r = a % b;
        if (q * b + r != a || abs(r) >= abs(b) || (r != 0 && (r < 0) != (a < 0))) atomic_inc(wrong);
    }
}
#define CHECK(b) wrong_ones += a / b * b + a % b != a || a % b >= b || ((long)a / (long)b) * (long)b + (long)a % (long)b != (long)a
kernel void constants(global int *wrong) {
    ulong a = number(get_global_id(0));
    int wrong_ones = 0;
    CHECK(3ul);
    CHECK(7ul);
    CHECK(10ul);
    CHECK(16ul);
    CHECK(641ul);
    CHECK(1000000007ul);
    CHECK(4294967297ul);
    CHECK(6148914691236517205ul);
    CHECK(11114852795603988623ul);
    CHECK(15869559710964646319ul);
    if (a / 18446744073709551557ul != (a >= 18446744073709551557ul)) wrong_ones++;
    if (wrong_ones) atomic_inc(wrong);
}
kernel void beside_an_array(global const long *in, global const int *at, global long *out) {
    long own[4];
    int i = get_global_id(0);
    for (int n = 0; n < 4; n++) own[(n + at[i]) & 3] = in[i] / (n * 250000000 + 1 + at[i] * 2);
    own[at[i & 1]] += in[i] % 16 - in[i] % 16;
    out[i] = own[at[i]];
}
