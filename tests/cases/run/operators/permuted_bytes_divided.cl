// Bytes in another order, divided as 64 bits: NVIDIA's driver (580) gets another result (docs/archive/fuzzing-findings.md, 98045676).
// options: -cl-std=CL3.0
// run: --kernel k0 --global 1 --local 1 --print k31 --arg k31=ulong[1] --arg k34=bytes:5058324f0f000000
// prints: k31: 4309200817639512
#pragma OPENCL FP_CONTRACT OFF
kernel void k0(global ulong *k31, uchar8 k34) {
    global ulong *p36 = k31;
    p36[0u] += (as_ulong(k34.s10672346) / (((ulong)k34.s7) | 1ul));
}
