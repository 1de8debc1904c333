// Initialised arrays of more elements than a SPIR-V instruction has operands.
// run: --kernel k --global 1 --arg int[6]:const=0 --print out
// prints: out: 1 70002 3 0 9 80000
// no-diagnostics
constant int table[80000] = { 1, [32768] = 3, [70000] = 70002, [79999] = 80000 };
constant uchar bytes[] = { [200000] = 9 };

kernel void k(global int *out) {
    int zero = out[0];
    out[0] = table[zero];
    out[1] = table[zero + 70000];
    out[2] = table[zero + 32768];
    out[3] = table[zero + 65536];
    out[4] = bytes[zero + 200000];
    constant int *p = table + 79990;
    out[5] = p[zero + 9];
}
