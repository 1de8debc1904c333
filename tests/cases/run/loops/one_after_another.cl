// no-diagnostics
// Two loops that are short enough each, and too long together; the second would be ended.
// run: --kernel k --global 2 --arg uint:40000 --arg uint:50000 --arg uint[2] --arg uint[2] --print a --print b
// prints: a: 799980000 799980001
// prints: b: 1249975000 1249975001
// or-fails[masked]: kernel 'k': the driver ended loops
kernel void k(uint n, uint m, global uint *a, global uint *b) {
    uint sum = get_global_id(0), other = sum;
    for (uint i = 0; i < n; i++) sum += i ^ (sum == 0xffffffffu);
    a[get_global_id(0)] = sum;
    for (uint i = 0; i < m; i++) other += i ^ (other == 0xffffffffu);
    b[get_global_id(0)] = other;
}
