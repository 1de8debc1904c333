// Vector ?: picks by the sign bit, vector && || ! and comparisons give -1; scalars do not (OpenCL C §6.4).
// run: --kernel k --global 1 --arg int4[9] --arg char4[2] --arg long2[1] --print i --print c --print l
// prints: i: (10, 2, 30, 4) (-1, 0, -1, 0) (0, -1, 0, 0) (-1, -1, 0, 0) (5, 5, 5, 5) (-1, 0, 0, -1) (0, -1, -1, -1) (1, 2, 3, 4) (-1, -1, 0, -1)
// prints: c: (-1, 0, -1, 0) (1, 2, 30, 4)
// prints: l: (-1, 0)
// no-diagnostics
kernel void k(global int4 *i, global char4 *c, global long2 *l) {
    int one = get_global_size(0);
    int4 a = (int4)(10, 20, 30, 40) * one, b = (int4)(1, 2, 3, 4) * one;
    i[0] = (int4)(-1, 1, INT_MIN, 0) ? a : b;
    i[1] = a > (int4)(9, 20, 29, 50);
    i[2] = !(int4)(1, 0, -1, 256);
    i[3] = (a > 5 && b < 3);
    i[4] = one ? 5 : a;
    float4 f = (float4)(1.0f, NAN, 2.0f, 3.0f) * one;
    i[5] = f == (float4)(1.0f, NAN, 3.0f, 3.0f);
    i[6] = f != (float4)(1.0f, NAN, 3.0f, 4.0f);
    i[7] = (one > 3) ? a : b;
    i[8] = (int4)(0, 2, 0, 0) || (f == f ? (int4)(-1, 0, 0, -1) : (int4)(0));
    char4 x = convert_char4(b);
    c[0] = x == (char4)(1, 3, 3, 0);
    c[1] = (x == (char)3) ? convert_char4(a) : x;
    l[0] = (double2)(1, 2) >= (double2)(1, 3);
}
