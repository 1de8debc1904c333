// no-diagnostics
// A loop that ends where memory says so, for each work-item elsewhere.
// run: --kernel k --global 4 --arg uint[4]:values=3,70000,200000,11 --arg uint[4] --print out
// prints: out: 3 70000 200000 11
// or-fails[masked]: kernel 'k': the driver ended loops
// run: --kernel k --global 4 --arg uint[4]:values=3,7000,20000,11 --arg uint[4] --print out
// prints: out: 3 7000 20000 11
kernel void k(global const volatile uint *end, global uint *out) {
    uint n = 0;
    while (end[get_global_id(0)] != n) n++;
    out[get_global_id(0)] = n;
}
