// char to every integer type: modulo the width, and saturating (OpenCL C §6.2.3).
// run: --kernel k --global 7 --arg char[7]:values=-128,-65,-1,3,64,100,127 --arg char[7] --arg char[7] --arg uchar[7] --arg uchar[7] --arg short[7] --arg short[7] --arg ushort[7] --arg ushort[7] --arg int[7] --arg int[7] --arg uint[7] --arg uint[7] --arg long[7] --arg long[7] --arg ulong[7] --arg ulong[7] --print char_ --print char_sat --print uchar_ --print uchar_sat --print short_ --print short_sat --print ushort_ --print ushort_sat --print int_ --print int_sat --print uint_ --print uint_sat --print long_ --print long_sat --print ulong_ --print ulong_sat
// prints: char_: -128 -65 -1 3 64 100 127
// prints: char_sat: -128 -65 -1 3 64 100 127
// prints: uchar_: 128 191 255 3 64 100 127
// prints: uchar_sat: 0 0 0 3 64 100 127
// prints: short_: -128 -65 -1 3 64 100 127
// prints: short_sat: -128 -65 -1 3 64 100 127
// prints: ushort_: 65408 65471 65535 3 64 100 127
// prints: ushort_sat: 0 0 0 3 64 100 127
// prints: int_: -128 -65 -1 3 64 100 127
// prints: int_sat: -128 -65 -1 3 64 100 127
// prints: uint_: 4294967168 4294967231 4294967295 3 64 100 127
// prints: uint_sat: 0 0 0 3 64 100 127
// prints: long_: -128 -65 -1 3 64 100 127
// prints: long_sat: -128 -65 -1 3 64 100 127
// prints: ulong_: 18446744073709551488 18446744073709551551 18446744073709551615 3 64 100 127
// prints: ulong_sat: 0 0 0 3 64 100 127
// no-diagnostics
kernel void k(global const char *in,
              global char *char_, global char *char_sat,
              global uchar *uchar_, global uchar *uchar_sat,
              global short *short_, global short *short_sat,
              global ushort *ushort_, global ushort *ushort_sat,
              global int *int_, global int *int_sat,
              global uint *uint_, global uint *uint_sat,
              global long *long_, global long *long_sat,
              global ulong *ulong_, global ulong *ulong_sat) {
    size_t i = get_global_id(0);
    char_[i] = convert_char2((char2)(0, in[i])).y;
    char_sat[i] = convert_char_sat(in[i]);
    uchar_[i] = convert_uchar2((char2)(0, in[i])).y;
    uchar_sat[i] = convert_uchar_sat(in[i]);
    short_[i] = convert_short2((char2)(0, in[i])).y;
    short_sat[i] = convert_short_sat(in[i]);
    ushort_[i] = convert_ushort2((char2)(0, in[i])).y;
    ushort_sat[i] = convert_ushort_sat(in[i]);
    int_[i] = convert_int2((char2)(0, in[i])).y;
    int_sat[i] = convert_int_sat(in[i]);
    uint_[i] = convert_uint2((char2)(0, in[i])).y;
    uint_sat[i] = convert_uint_sat(in[i]);
    long_[i] = convert_long2((char2)(0, in[i])).y;
    long_sat[i] = convert_long_sat(in[i]);
    ulong_[i] = convert_ulong2((char2)(0, in[i])).y;
    ulong_sat[i] = convert_ulong_sat(in[i]);
}
