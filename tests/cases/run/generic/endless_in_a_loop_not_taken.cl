// A generic pointer to either of two __local arrays, behind a loop that is not taken: NVIDIA's driver (580) gets another result (docs/archive/fuzzing-findings.md, 97004963).
// options: -cl-std=CL2.0
// run: --kernel k0 --global 2 --local 2 --print k17:2 --arg k17=uint[2] --arg k21=bytes:0400
// prints: k17: 1 0
#pragma OPENCL FP_CONTRACT OFF
kernel void k0(global uint *k17, ushort k21) {
    global uint *p23 = (k17 + ((uint)get_global_id(0)));
    local int2 l24[8];
    local int2 *p25 = (l24 + ((uint)get_local_id(0)));
    p25[0u] = ((int2)(0));
    local int2 l26[8];
    local int2 *p27 = (l26 + (((uint)get_local_id(0)) * 2u));
    p27[0u] = ((int2)(1));
    p27[1u] = ((int2)(0));
    uint *v28 = ((uint *)0);
    v28 = ((((global uint *)0) != p23) ? ((uint *)((local uint *)(&p27[((uint)get_local_id(0))]))) : ((uint *)((local uint *)p25)));
    for (uint i30 = 0u; i30 < ((uint)((uintptr_t)p23 == (uintptr_t)((global uint *)0))); i30 += 2) {
        if ((0u >= p23[((uint)k21)])) {
            while ((((uint)get_local_id(0)) < 1u)) {
            }
        }
    }
    uint r33 = 0u;
    r33 = ((uint)p25[0u].s1);
    r33 = (r33 + (*v28));
    p23[0u] = r33;
}
