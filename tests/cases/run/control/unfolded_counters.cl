// Loops whose rounds are known: none, one, all but one; counters of every type that wrap, go down, double, are floats; conditions that are NaN.
// no-diagnostics
// run: --kernel k --global 3 --arg out=uint[90] --arg zero=bytes:00000000 --print out
// prints: out: 0 0 3 10 2658668 2658672 2789592 2789592 64 229 4294967295 2789647 0 2789647 10 864026624 10 5 11 14 24 5 6 6 111 5118 110 0 0 0 0 0 3 10 2658668 2658672 2789592 2789592 64 229 4294967295 2789647 0 2789702 10 864026624 10 5 11 14 24 5 6 6 111 5118 110 0 0 0 0 0 3 10 2658668 2658672 2789592 2789592 64 229 4294967295 2789647 0 2789757 10 864026624 10 5 11 14 24 5 6 6 111 5118 110 0 0 0
kernel void k(global uint *out, uint zero) {
    uint id = get_global_id(0), n = 0, s = 0;
    global uint *p = out + 30 * id;
    for (uint i = 0; i < 0; i++) s += 1000;
    *p++ = s;
    for (int i = 5; i < 5; i++) s += 1000;
    *p++ = s;
    for (int i = 5; i <= 5; i++) s += 3;
    *p++ = s;
    do s += 7; while (zero);
    *p++ = s;
    for (uchar i = 250; i != 3; i++) s = s * 3 + i;
    *p++ = s;
    for (uchar i = 3; i <= 250; i -= 2) s += i;
    *p++ = s;
    for (short i = 32700; i > 0; i += 20) s += (uint)i;
    *p++ = s;
    for (uint i = 0xfffffff0u; i; i += 4) s ^= i;
    *p++ = s;
    for (ulong i = 1; i; i <<= 1) n++;
    *p++ = n;
    for (long i = -9; i < 9; i += 4) n += (uint)(i * i);
    *p++ = n;
    n = 11;
    while (n--) s += n;
    *p++ = n;
    *p++ = s;
    n = 11;
    while (--n) s += n * id;
    *p++ = n;
    *p++ = s;
    for (float f = 0.0f; f < 1.0f; f += 0.1f) n++;
    *p++ = n;
    float last = 1.0f;
    while (1.0f + last != 1.0f) last *= 0.5f;
    *p++ = as_uint(last);
    for (float f = NAN; f < 3.0f; f += 1.0f) n += 100;
    *p++ = n;
    float g = NAN;
    n = 0;
    while (!(g >= 3.0f)) g = n++ == 4 ? 3.5f : g;
    *p++ = n;
    for (float f = 1.0f; f == f; f = f < 100.0f ? f * 3.0f : f - f > 0 ? 1.0f : NAN) n++;
    *p++ = n;
    for (double d = 1e300; !isinf(d); d *= 1e3) n++;
    *p++ = n;
    uint bits = 0;
    for (uint i = 0; i < 32; i++)
        if ((0xdeadbeefu >> i) & 1) bits++;
    *p++ = bits;
    // All but one, exactly, one more than the test within allows.
    for (uint limit = 5; limit < 8; limit++) {
        uint i;
        for (i = 0; i < 6; i++)
            if (i == limit) break;
        *p++ = i;
    }
    // Ten thousand rounds and more.
    uint c = 27, steps = 0;
    while (c != 1) c = c & 1 ? 3 * c + 1 : c / 2, steps++;
    *p++ = steps;
    uint lfsr = 1, period = 0;
    do lfsr = lfsr >> 1 ^ (-(lfsr & 1) & 0x240u), period++; while (lfsr != 1);
    do lfsr = lfsr >> 1 ^ (-(lfsr & 1) & 0xe08u), period++; while (lfsr != 1);
    *p++ = period;
    // The division by zero is in a round that does not come.
    int q = 0;
    for (int i = 3; i > -3; i--) {
        if (i == 0) break;
        q += 60 / i;
    }
    *p++ = (uint)q;
}
