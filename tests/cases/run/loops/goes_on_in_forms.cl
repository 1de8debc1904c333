// no-diagnostics
// Work-items go on where Mesa's llvmpipe before version 25 ended a loop: a test at the head is repeated behind the loop, other ways out are told.
// run: --kernel floats --global 3 --arg float:90000 --arg float[3] --print out
// prints: out: 90000 90000 90000
// or-fails[masked]: the driver ended loops
// run: --kernel wide --global 2 --arg ulong:100000 --arg ulong[2] --print out
// prints: out: 4999950000 4999950001
// or-fails[masked]: the driver ended loops
// run: --kernel several_ways_out --global 5 --arg int[5]:values=70000,3,150000,-1,90001 --arg int[5] --print out
// prints: out: 70000 3 150000 -100000 90001
// or-fails[masked]: the driver ended loops
// run: --kernel three_deep --global 2 --arg uint:50 --arg uint:60 --arg uint:70 --arg uint[2] --print out
// prints: out: 210000 210001
// or-fails[masked]: the driver ended loops
// run: --kernel stores --global 2 --arg uint:80000 --arg uint[80000] --arg uint[2] --print out
// prints: out: 3199960000 3199960000
// or-fails[masked]: the driver ended loops
// run: --kernel chain --global 2 --arg uint:100000 --arg uint[100000]:range=1 --arg uint[2] --print out
// prints: out: 100000 99999
// or-fails[masked]: the driver ended loops
// run: --kernel downward --global 3 --arg int:66000 --arg int[3] --print out
// prints: out: 66000 66001 66002
// or-fails[masked]: the driver ended loops
// run: --kernel counted --global 4 --arg uint[1] --arg uint:100000 --print sum
// prints: sum: 400000
// or-fails[masked]: the driver ended loops
// run: --kernel tells --global 1 --arg uint:150000
// prints: 0
// prints: 50000
// prints: 100000
// prints: done
// or-fails[masked]: the driver ended loops
kernel void floats(float n, global float *out) {
    float x = 0;
    while (x < n) x += 1;
    out[get_global_id(0)] = x;
}
kernel void wide(ulong n, global ulong *out) {
    ulong sum = get_global_id(0);
    for (ulong i = 0; i != n; i++) sum += i;
    out[get_global_id(0)] = sum;
}
kernel void several_ways_out(global const int *ends, global int *out) {
    int end = ends[get_global_id(0)], i = 0;
    for (;; i++) {
        if (i == end) break;
        if (i == 100000 && end < 0) {
            out[get_global_id(0)] = -i;
            return;
        }
    }
    out[get_global_id(0)] = i;
}
kernel void three_deep(uint n, uint m, uint k, global uint *out) {
    uint sum = get_global_id(0);
    for (uint i = 0; i < n; i++) {
        uint rows = 0;
        for (uint j = 0; j < m; j++) {
            uint row = 0;
            for (uint l = 0; l < k; l++) row += (l ^ sum) != 0xffffffff;
            rows += row;
        }
        sum += rows;
    }
    out[get_global_id(0)] = sum;
}
kernel void stores(uint n, global uint *list, global uint *out) {
    if (get_global_id(0) == 0)
        for (uint i = 0; i < n; i++) list[i] += i;
    uint sum = 0;
    for (uint i = 0; i < n; i++) sum += i;
    out[get_global_id(0)] = sum;
}
kernel void chain(uint n, global const uint *next, global uint *out) {
    uint at = get_global_id(0), steps = 0;
    do {
        at = next[at];
        steps++;
    } while (at != n);
    out[get_global_id(0)] = steps;
}
kernel void downward(int n, global int *out) {
    int left = n + get_global_id(0), count = 0;
    while (left-- > 0) count++;
    out[get_global_id(0)] = count;
}
kernel void counted(global uint *sum, uint n) {
    for (uint i = 0; i < n; i++) atomic_inc(sum);
}
kernel void tells(uint n) {
    for (uint i = 0; i < n; i++)
        if (i % 50000 == 0) printf("%u\n", i);
    printf("done\n");
}
