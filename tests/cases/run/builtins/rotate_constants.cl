// Rotations by constants, by name and by shifts, of 64-bit numbers and their vectors (§6.15.3): the lowering splits them.
// run: --kernel k --global 1 --arg ulong[12] --arg ulong:81985529216486895 --print out
// prints: out: 163971058432973790 7542668687916785700 14183496552161583795 9920249030613615975 1393753987517680335 16642912310959260885 9264364801463019255 10618391465619688406 12379813738877118345 2541551405711092225 5618570799116249114 81985529216486895
// no-diagnostics
kernel void k(global ulong *out, ulong x) {
    out[0] = rotate(x, 1UL);
    out[1] = rotate(x, 13UL);
    out[2] = rotate((long)x, 31L);
    out[3] = rotate(x, 32UL);
    out[4] = (x << 33) | (x >> 31);
    out[5] = (x >> 17) ^ (x << 47);
    out[6] = (x << 63) + (x >> 1);
    out[7] = rotate(x, 14UL) ^ rotate(x, 18UL) ^ rotate(x, 41UL);
    ulong2 v = rotate((ulong2)(x, x ^ 5), (ulong2)(40, 8));
    out[8] = v.x;
    out[9] = v.y;
    out[10] = ((x << 20) | (x >> 44)) + rotate(x, (ulong)(64 - 9));
    out[11] = rotate(x, 64UL);
}
