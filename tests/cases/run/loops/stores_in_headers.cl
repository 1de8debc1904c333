// no-diagnostics
// A loop's header stores. Work-items whose loops a driver ended before their last test do that, too.
// run: --kernel numbers --global 12 --arg uint[12] --print out
// prints: out: 65529 65530 65531 65532 65533 65534 65535 65536 65537 65538 65539 65540
// or-fails[masked]: the driver ended loops
kernel void numbers(global uint *out) {
    uint id = get_global_id(0), n = 65529 + id, i = 0;
    while (1) {
        out[id] = i;
        if (i >= n) break;
        i++;
    }
}
