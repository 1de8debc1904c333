// Pointers that lead to one of several objects: the report has the one of the work-item.
// run: --check --kernel either --global 4 --arg int[1] --arg int[2] --arg int:5 --print a --print b
// reports: 18 bounds: a write of 4 bytes beyond the buffer of argument
// prints: a: 2
// prints: b: 3 3
// run: --check --kernel walk --global 1 --arg int[4]:range --arg int[6]:range --arg int:5 --print b
// reports: 26 bounds: a read of 4 bytes beyond the buffer of argument 0 'a'
// prints: b: 6 1 2 3 4 5
// run: --check --kernel call --global 2 --arg int[1] --print out
// reports: 32 bounds: a write of 4 bytes beyond the buffer of argument 0 'out'
// prints: out: 0
// run: --check --kernel atomics --global 4 --arg int[2] --print a
// reports: 36 bounds: an atomic operation on 4 bytes beyond the buffer of argument 0 'a'
// prints: a: 1 1
kernel void either(global int *a, global int *b, int n) {
    int i = get_global_id(0);
    global int *p = (n & (1 << i)) ? a : b;
    for (int k = 0; k < 2; k++) { if (i > 1) *p++ = i; else p++; }
}

kernel void walk(global int *a, global int *b, int n) {
    global int *p = n > 4 ? a : b;
    global int *end = p + n;
    int sum = 0;
    while (p != end)
        sum += *p++;
    *b = sum;
}

void set(global int *p, int x) {
    // The line is that of the store, in the function that was inlined.
    *p = x;
}

kernel void call(global int *out) { set(out + get_global_id(0), get_global_id(0)); }
kernel void atomics(global int *a) { atomic_inc(a + get_global_id(0)); }

// Integers that hold addresses: indices are followed, distances to other variables are not.
// run: --check --kernel integers --global 2 --local 2 --arg int[4] --arg int:1 --print out
// prints: out: 4 5 2 3
// run: --check --kernel integers --global 2 --local 2 --arg int[4] --arg int:3 --print out
// reports: 48 bounds: beyond the private variable 'd'
// prints: out: 4 5 0 0
kernel void integers(global int *out, int n) {
    int i = get_global_id(0);
    int c[2] = {3 + i, 4 + i}, d[2] = {1, 2 + i};
    uintptr_t back = (uintptr_t)c - (uintptr_t)d; out[i] = *(int *)((uintptr_t)(d + 1) + back);
    out[2 + i] = *(int *)((uintptr_t)d + 4 * n);
}
