// Bit fields of every width, offset and count, against bits one by one; bits in reverse.
// options: -cl-std=CL3.0
// no-diagnostics
// features: cl_khr_extended_bit_ops
// run: --kernel fields --global 32 --arg int[1] --print wrong
// prints: wrong: 0
#pragma OPENCL EXTENSION cl_khr_extended_bit_ops : enable
#define ALL(TYPE, STYPE, BITS) { \
    TYPE base = (TYPE)(0x9E3779B9u * ((uint)get_global_id(0) + 1)), put = (TYPE)(0xC2B2AE3Du >> ((uint)get_global_id(0) & 31)), back = 0; \
    for (uint offset = 0; offset < BITS; offset++) \
        for (uint count = 0; count + offset <= BITS; count++) { \
            TYPE in = base, out = 0; \
            for (uint n = 0; n < BITS; n++) \
                if (n >= offset && n < offset + count) { \
                    TYPE bit = (TYPE)((TYPE)1 << n); \
                    in = (TYPE)((in & ~bit) | ((put >> (n - offset) & 1) ? bit : 0)); \
                    out |= (TYPE)((base >> n & 1) ? (TYPE)1 << (n - offset) : 0); \
                } \
            TYPE fill = (TYPE)(count && count < BITS && (out >> (count - 1) & 1) ? (TYPE)~(((TYPE)1 << count) - 1) : 0); \
            bad += bitfield_insert(base, put, offset, count) != in; \
            bad += bitfield_extract_unsigned(base, offset, count) != out; \
            bad += bitfield_extract_unsigned((STYPE)base, offset, count) != out; \
            bad += (TYPE)bitfield_extract_signed(base, offset, count) != (TYPE)(out | fill); \
        } \
    for (uint n = 0; n < BITS; n++) back |= (TYPE)((base >> n & 1) ? (TYPE)1 << (BITS - 1 - n) : 0); \
    bad += bit_reverse(base) != back; }

kernel void fields(global int *wrong) {
    int bad = 0;
    ALL(uchar, char, 8)
    ALL(ushort, short, 16)
    ALL(uint, int, 32)
    uint4 v = (uint4)(1, 2, 3, 4) * 0x01234567u, w = bitfield_insert(v, v.wzyx, 5, 9);
    for (int n = 0; n < 4; n++)
        bad += ((uint *)&w)[n] != bitfield_insert(((uint *)&v)[n], ((uint *)&v)[3 - n], 5, 9);
    if (bad)
        atomic_add(wrong, 1);
}
