// Dot products of bytes, packed and as vectors, saturated or not, against sums of products: 0 of 4096 differ.
// no-diagnostics
// features: cl_khr_integer_dot_product
// run: --kernel products --global 4096 --arg int[1] --print wrong
// prints: wrong: 0
// run: --kernel edges --global 1 --arg int[8] --print out
// prints: out: 2147483647 -2147483648 -1 65536 -65024 260100 2147483647 -2147483648
#define CHECK(a, b) bad += (a) != (b)

kernel void products(global int *wrong) {
    uint i = get_global_id(0), x = i * 2654435761u ^ i << 7, y = (i + 77) * 2246822519u ^ i >> 3;
    char4 a = as_char4(x), b = as_char4(y);
    uchar4 c = as_uchar4(x), d = as_uchar4(y);
    int acc = (int)(x * 31 + y), bad = 0;
    int ss = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    int su = a.x * d.x + a.y * d.y + a.z * d.z + a.w * d.w;
    int us = c.x * b.x + c.y * b.y + c.z * b.z + c.w * b.w;
    uint uu = c.x * d.x + c.y * d.y + c.z * d.z + c.w * d.w;
    CHECK(dot(a, b), ss);
    CHECK(dot(a, d), su);
    CHECK(dot(c, b), us);
    CHECK(dot(c, d), uu);
    CHECK(dot_acc_sat(a, b, acc), add_sat(ss, acc));
    CHECK(dot_acc_sat(a, d, acc), add_sat(su, acc));
    CHECK(dot_acc_sat(c, b, acc), add_sat(us, acc));
    CHECK(dot_acc_sat(c, d, (uint)acc), add_sat(uu, (uint)acc));
    CHECK(dot_4x8packed_ss_int(x, y), ss);
    CHECK(dot_4x8packed_su_int(x, y), su);
    CHECK(dot_4x8packed_us_int(x, y), us);
    CHECK(dot_4x8packed_uu_uint(x, y), uu);
    CHECK(dot_acc_sat_4x8packed_ss_int(x, y, acc), add_sat(ss, acc));
    CHECK(dot_acc_sat_4x8packed_su_int(x, y, acc), add_sat(su, acc));
    CHECK(dot_acc_sat_4x8packed_us_int(x, y, acc), add_sat(us, acc));
    CHECK(dot_acc_sat_4x8packed_uu_uint(x, y, (uint)acc), add_sat(uu, (uint)acc));
    if (bad)
        atomic_add(wrong, 1);
}

kernel void edges(global int *out) {
    uint least = 0x80808080u, most = 0x7F7F7F7Fu, ones = ~0u;
    out[0] = dot_acc_sat_4x8packed_ss_int(least, least, INT_MAX - 3);
    out[1] = dot_acc_sat_4x8packed_ss_int(least, most, INT_MIN + 3);
    out[2] = dot_acc_sat_4x8packed_uu_uint(ones, ones, UINT_MAX - 5);
    out[3] = dot_4x8packed_ss_int(least, least);
    out[4] = dot_4x8packed_ss_int(least, most);
    out[5] = dot_4x8packed_uu_uint(ones, ones);
    out[6] = dot_acc_sat_4x8packed_ss_int(most, most, INT_MAX - 64515);
    out[7] = dot_acc_sat_4x8packed_su_int(least, ones, INT_MIN);
}
