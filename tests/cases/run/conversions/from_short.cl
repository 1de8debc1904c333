// short to every integer type: modulo the width, and saturating (OpenCL C §6.2.3).
// run: --kernel k --global 8 --arg short[8]:values=-32768,-16385,-1,100,130,200,16384,32767 --arg char[8] --arg char[8] --arg uchar[8] --arg uchar[8] --arg short[8] --arg short[8] --arg ushort[8] --arg ushort[8] --arg int[8] --arg int[8] --arg uint[8] --arg uint[8] --arg long[8] --arg long[8] --arg ulong[8] --arg ulong[8] --print char_ --print char_sat --print uchar_ --print uchar_sat --print short_ --print short_sat --print ushort_ --print ushort_sat --print int_ --print int_sat --print uint_ --print uint_sat --print long_ --print long_sat --print ulong_ --print ulong_sat
// prints: char_: 0 -1 -1 100 -126 -56 0 -1
// prints: char_sat: -128 -128 -1 100 127 127 127 127
// prints: uchar_: 0 255 255 100 130 200 0 255
// prints: uchar_sat: 0 0 0 100 130 200 255 255
// prints: short_: -32768 -16385 -1 100 130 200 16384 32767
// prints: short_sat: -32768 -16385 -1 100 130 200 16384 32767
// prints: ushort_: 32768 49151 65535 100 130 200 16384 32767
// prints: ushort_sat: 0 0 0 100 130 200 16384 32767
// prints: int_: -32768 -16385 -1 100 130 200 16384 32767
// prints: int_sat: -32768 -16385 -1 100 130 200 16384 32767
// prints: uint_: 4294934528 4294950911 4294967295 100 130 200 16384 32767
// prints: uint_sat: 0 0 0 100 130 200 16384 32767
// prints: long_: -32768 -16385 -1 100 130 200 16384 32767
// prints: long_sat: -32768 -16385 -1 100 130 200 16384 32767
// prints: ulong_: 18446744073709518848 18446744073709535231 18446744073709551615 100 130 200 16384 32767
// prints: ulong_sat: 0 0 0 100 130 200 16384 32767
// no-diagnostics
kernel void k(global const short *in,
              global char *char_, global char *char_sat,
              global uchar *uchar_, global uchar *uchar_sat,
              global short *short_, global short *short_sat,
              global ushort *ushort_, global ushort *ushort_sat,
              global int *int_, global int *int_sat,
              global uint *uint_, global uint *uint_sat,
              global long *long_, global long *long_sat,
              global ulong *ulong_, global ulong *ulong_sat) {
    size_t i = get_global_id(0);
    char_[i] = convert_char2((short2)(0, in[i])).y;
    char_sat[i] = convert_char_sat(in[i]);
    uchar_[i] = convert_uchar2((short2)(0, in[i])).y;
    uchar_sat[i] = convert_uchar_sat(in[i]);
    short_[i] = convert_short2((short2)(0, in[i])).y;
    short_sat[i] = convert_short_sat(in[i]);
    ushort_[i] = convert_ushort2((short2)(0, in[i])).y;
    ushort_sat[i] = convert_ushort_sat(in[i]);
    int_[i] = convert_int2((short2)(0, in[i])).y;
    int_sat[i] = convert_int_sat(in[i]);
    uint_[i] = convert_uint2((short2)(0, in[i])).y;
    uint_sat[i] = convert_uint_sat(in[i]);
    long_[i] = convert_long2((short2)(0, in[i])).y;
    long_sat[i] = convert_long_sat(in[i]);
    ulong_[i] = convert_ulong2((short2)(0, in[i])).y;
    ulong_sat[i] = convert_ulong_sat(in[i]);
}
