// Signed integers that do not hold a result: by name, for OpenCL devices wrap around and programs rely on it.
// run: --check=overflow --kernel sums --global 1 --arg int[4]:values=2147483647,1,5,-3 --arg int[4] --print out
// reports: 20 overflow: a result that a signed integer of 32 bits does not hold
// prints: out: -2147483648 2147483646 2147483647 -2147483647
// run: --check=overflow --kernel sums --global 1 --arg int[4]:values=2147483646,1,5,-3 --arg int[4] --print out
// prints: out: 2147483647 2147483645 2147483646 -2147483646
// run: --check --kernel sums --global 1 --arg int[4]:values=2147483647,1,5,-3 --arg int[4] --print out
// prints: out: -2147483648 2147483646 2147483647 -2147483647
// run: --check=overflow --kernel products --global 1 --arg long[2]:values=4294967296,2147483648 --arg int:65536 --arg long[3] --print out
// reports: 28 overflow: a result that a signed integer of 64 bits does not hold
// reports: 29 overflow: a result that a signed integer of 32 bits does not hold
// prints: out: -9223372036854775808 0 0
// run: --check=overflow --kernel products --global 1 --arg long[2]:values=4294967296,2147483647 --arg int:46340 --arg long[3] --print out
// prints: out: 9223372032559808512 2147395600 2147395600
// run: --check=overflow --kernel counts --global 1 --arg int:-2147483648 --arg int[2] --print out
// reports: 36 overflow: a result that a signed integer of 32 bits does not hold
// reports: 37 overflow: a result that a signed integer of 32 bits does not hold
// prints: out: -2147483648 2147483647
kernel void sums(global const int *a, global int *out) {
    out[0] = a[0] + a[1];
    out[1] = a[0] - a[1];
    out[2] = (a[0] ^ a[2] ^ a[2]) + a[3] + 3;
    out[3] = (int)((uint)-a[0] - 0u);
}

// Unsigned numbers wrap around by definition; vectors are not looked at.
kernel void products(global const long *a, int n, global long *out) {
    out[0] = a[0] * a[1];
    out[1] = n * n;
    out[2] = (uint)n * (uint)n;
    int4 four = (int4)(n) * (int4)(n);
    if (four.x == 7) out[0] = 0;
}

kernel void counts(int n, global int *out) {
    out[0] = -n;
    n--;
    out[1] = n;
}
