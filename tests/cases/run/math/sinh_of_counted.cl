// sinh of numbers that are made from integers in the kernel: LLVM 15 made a wrong instruction of it (AVX-512, llvmpipe).
// run: --kernel k --global 4 --arg uint:1000000000 --arg float[4]:const=9 --print out
// prints: out: 0.0047238050028681755 0.03718111664056778 0.2966246008872986 NaN
// no-diagnostics
kernel void k(uint first, global float *out) {
    size_t i = get_global_id(0);
    float x = as_float(first + (uint)i * 25000000u);
    if (i == 3) x = as_float(0x7fc00000u);
    out[i] = sinh(x);
}
