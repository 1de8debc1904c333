// shuffle and shuffle2 use the low bits of each mask component (OpenCL C §6.15.14).
// run: --kernel k --global 1 --arg int4[3] --arg uchar8[1] --print i --print c
// prints: i: (40, 30, 20, 10) (10, 10, 20, 40) (10, 50, 40, 80)
// prints: c: (2, 1, 2, 1, 1, 1, 2, 2)
// no-diagnostics
kernel void k(global int4 *i, global uchar8 *c) {
    int one = get_global_size(0);
    int4 v = (int4)(10, 20, 30, 40) * one, w = v + 40;
    i[0] = shuffle(v, (uint4)(3, 2, 1, 0) * (uint)one);
    i[1] = shuffle(v, (uint4)(4, 8, 5, 7));
    i[2] = shuffle2(v, w, (uint4)(0, 4, 3, 15));
    c[0] = shuffle((uchar2)(1, 2), (uchar8)(1, 0, 1, 0, 2, 4, 3, 5));
}
