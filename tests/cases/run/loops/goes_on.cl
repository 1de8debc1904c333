// no-diagnostics
// Mesa's llvmpipe before version 25 ends the loops of a work-item after 65,535 iterations: they go on in another launch.
// run: --kernel serial --global 1 --arg uint:300000 --arg uint[2] --print out
// prints: out: 1210216161 300000
// or-fails[masked]: the driver ended loops
// run: --kernel nested --global 3 --arg uint:400 --arg uint:500 --arg uint[3] --print out
// prints: out: 200000 200800 201600
// or-fails[masked]: the driver ended loops
// run: --kernel divergent --global 9 --arg uint[9]:values=1,100000,5,70000,3,65535,65534,65536,200000 --arg uint[9] --print out
// prints: out: 1 100000 5 70000 3 65535 65534 65536 200000
// or-fails[masked]: the driver ended loops
// run: --kernel arrays --global 2 --arg uint:150000 --arg uint[2] --print out
// prints: out: 150000 150000
// or-fails[masked]: the driver ended loops
// run: --kernel calls --global 2 --arg uint:70000 --arg uint[2] --print out
// prints: out: 140000 140000
// or-fails[masked]: the driver ended loops
kernel void serial(uint n, global uint *out) {
    uint x = 1, sum = 0;
    for (uint i = 0; i < n; i++) {
        x = x * 1664525u + 1013904223u;
        sum += x >> 20;
    }
    out[0] = x;
    out[1] = (sum != 0) * n;
}
kernel void nested(uint n, uint m, global uint *out) {
    uint id = get_global_id(0), sum = 0;
    for (uint i = 0; i < n; i++) {
        for (uint j = 0; j < m; j++) sum += (j ^ i) != 0xffffffff;
        sum += 2 * id;
    }
    out[id] = sum;
}
kernel void divergent(global const uint *n, global uint *out) {
    uint id = get_global_id(0), i = 0;
    while (i != n[id]) i++;
    out[id] = i;
}
kernel void arrays(uint n, global uint *out) {
    uint bins[8] = {0};
    for (uint i = 0; i < n; i++) bins[(i * 2654435761u) >> 29]++;
    uint sum = 0;
    for (uint i = 0; i < 8; i++) sum += bins[i];
    out[get_global_id(0)] = sum;
}
uint steps(uint from, uint n) {
    uint count = 0;
    while (count < n && from != 0xffffffff) {
        count++;
        from = from / 2 + count;
    }
    return count;
}
kernel void calls(uint n, global uint *out) {
    out[get_global_id(0)] = steps(get_global_id(0), n) + steps(7, n);
}
