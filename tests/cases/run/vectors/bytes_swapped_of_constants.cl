// Two bytes of a constant swapped and stored through a pointer from memory: NVIDIA's driver (580) gets another result (docs/archive/fuzzing-findings.md, 99516174).
// Three words of N2 are looked at: the fourth is a pointer where pointers have 32 bits.
// options: -cl-std=CL2.0
// run[address]: --kernel k1 --global 1 --local 1 --print k48:1 --arg k48=uint[1] --print k50:3 --arg k50=uint[6]
// prints: k48: 3333
// prints: k50: 0 0 0 …
#pragma OPENCL FP_CONTRACT OFF
typedef struct D0 {
    ushort m0;
    uchar2 m1;
} D0;
typedef struct N2 {
    char m0;
    uint m1;
    global struct N2 *m2;
    global struct D0 *m3;
} N2;
constant struct D0 c0[4] = {{0}, {((ushort)12), ((uchar2)(((uchar)13), ((uchar)5)))}, {0}, {0}};
constant struct D0 *constant t1[4] = {(c0 + 1), (c0 + 2), (c0 + 0), (c0 + 0)};
kernel void k1(global struct D0 *k48, global struct N2 *k50) {
    global struct D0 *p53 = k48;
    global struct N2 *p55 = k50;
    p55[0u].m3 = p53;
    (*p55[0u].m3).m0 = as_ushort((*t1[0u]).m1.s10);
}
