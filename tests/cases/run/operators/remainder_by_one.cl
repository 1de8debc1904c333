// A remainder by 1 that only the launch knows to be 1: NVIDIA's driver (580) gets another result (docs/archive/fuzzing-findings.md, 99002088).
// run: --kernel k0 --global 2 --local 2 --print k22:1 --arg k22=uint[1] --print k24:4 --arg k24=uint[4]
// prints: k22: 0
// prints: k24: 0 0 0 0
#pragma OPENCL FP_CONTRACT OFF
typedef struct D0 {
    ulong m0;
} D0;
kernel void k0(global uint *k22, global struct D0 *k24) {
    global struct D0 *p28 = (k24 + ((uint)get_global_id(0)));
    p28[0u].m0 += (18446744073709551615ul % ((((ulong)k22[0u]) & 1ul) | 1ul));
}
