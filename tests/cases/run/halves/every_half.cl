// Conversions of all 65,536 halves, and of the floats around each limit of rounding: vload_half and vstore_half_rte (OpenCL C §6.15.7).
// run: --kernel loads --global 65536 --arg ushort[65536]:range --arg int[3] --print wrong
// prints: wrong: 0 0 0
// run: --kernel stores --global 65536 --arg ushort[458752] --arg int[3] --print wrong
// prints: wrong: 0 0 0
// run: --kernel trips --global 65536 --arg int[3] --print wrong
// prints: wrong: 0 0 0
// no-diagnostics

// The bits of the float that equals a half.
uint float_of(uint h) {
    uint sign = (h & 0x8000) << 16, exponent = (h >> 10) & 31, fraction = h & 0x3ff;
    if (exponent == 31) return sign | 0x7f800000 | fraction << 13;
    if (exponent != 0) return sign | (exponent + 112) << 23 | fraction << 13;
    if (fraction == 0) return sign;
    uint up = clz(fraction) - 21;
    return sign | (113 - up) << 23 | ((fraction << up) & 0x3ff) << 13;
}

kernel void loads(global const ushort *halves, global int *wrong) {
    uint h = get_global_id(0);
    float got = vload_half(h, (global const half *)halves);
    float4 four = vload_half4(h / 4, (global const half *)halves);
    uint lane = h & 3;
    float other = lane == 0 ? four.x : lane == 1 ? four.y : lane == 2 ? four.z : four.w;
    bool nan = (h & 0x7fff) > 0x7c00;
    bool fits = nan ? isnan(got) : as_uint(got) == float_of(h);
    bool fits4 = nan ? isnan(other) : as_uint(other) == float_of(h);
    if (!fits) atomic_inc(&wrong[0]);
    if (!fits4) atomic_inc(&wrong[1]);
    if (halves[h] != h) atomic_inc(&wrong[2]);
}

// The half itself, and the floats below, at and above the middle between it and the next one, whose magnitude is larger.
kernel void stores(global ushort *out, global int *wrong) {
    uint h = get_global_id(0), sign = h & 0x8000, size = h & 0x7fff;
    global half *to = (global half *)(out + 7 * h);
    uint at = float_of(h);
    vstore_half_rte(as_float(at), 0, to);
    vstore_half(as_float(at), 1, to);
    uint expected[5] = {h, h, h, h, h};
    if (size < 0x7c00) {
        // The half behind the largest one stands for 65536, whose place is that of infinity.
        uint next = size == 0x7bff ? 0x47800000u | sign << 16 : float_of(h + 1);
        // Floats of one sign are ordered as their bits are. Below the smallest normal float of the pair the middle is exact, too.
        float middle = as_float(at) * 0.5f + as_float(next) * 0.5f;
        uint m = as_uint(middle);
        vstore_half_rte(as_float(m - 1), 2, to);
        vstore_half_rte(as_float(m), 3, to);
        vstore_half_rte(as_float(m + 1), 4, to);
        expected[3] = h + (h & 1);
        expected[4] = h + 1;
    } else {
        for (int i = 2; i < 5; i++) vstore_half_rte(as_float(at), i, to);
    }
    vstore_half2_rte((float2)(as_float(at), as_float(at)), 0, to + 5);
    for (int i = 0; i < 7; i++) {
        uint got = out[7 * h + i], wanted = i < 5 ? expected[i] : h;
        bool nan = (wanted & 0x7fff) > 0x7c00;
        bool fits = nan ? (got & 0x7fff) > 0x7c00 : got == wanted;
        if (!fits) atomic_inc(&wrong[i < 2 ? 0 : i < 5 ? 1 : 2]);
    }
}

// A float that is rounded in registers, by a store to private memory and a load from it.
kernel void trips(global int *wrong) {
    uint h = get_global_id(0);
    if ((h & 0x7fff) >= 0x7bff) return;
    uint at = float_of(h), above = at + 1;
    ushort halves[4];
    vstore_half_rte(as_float(above), 0, (half *)halves);
    vstore_half_rtz(as_float(above), 1, (half *)halves);
    vstore_half2_rte((float2)(as_float(above), as_float(at)), 1, (half *)halves);
    if (as_uint(vload_half(0, (half *)halves)) != at) atomic_inc(&wrong[0]);
    if (as_uint(vload_half(1, (half *)halves)) != at) atomic_inc(&wrong[1]);
    float2 both = vload_half2(1, (half *)halves);
    if (as_uint(both.x) != at || as_uint(both.y) != at) atomic_inc(&wrong[2]);
}
