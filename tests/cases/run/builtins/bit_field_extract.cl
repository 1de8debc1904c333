// Fields of words and of vectors of words whose offset and width are known at run time alone: none of the bits, some, all.
// options: -cl-std=CL3.0
// no-diagnostics
// features: cl_khr_extended_bit_ops
// run: --kernel fields --global 4 --arg uint[4]:values=0,4,28,0 --arg uint[4]:values=0,8,4,32 --arg uint[4] --arg int[4] --arg uint[4] --print bits --print extended --print lanes
// prints: bits: 0 249 15 2576980377
// prints: extended: 0 -7 -1 -1717986919
// prints: lanes: 0 510 30 4294967294
#pragma OPENCL EXTENSION cl_khr_extended_bit_ops : enable
kernel void fields(global const uint *offset, global const uint *count, global uint *bits, global int *extended,
                   global uint *lanes) {
    int i = get_global_id(0);
    uint base = i == 1 ? 0xABCD0F9Cu : i == 2 ? 0xF0000000u : 0x99999999u;
    bits[i] = bitfield_extract_unsigned(base, offset[i], count[i]);
    extended[i] = bitfield_extract_signed((int)base, offset[i], count[i]);
    uint8 all = bitfield_extract_unsigned((uint8)(base, ~base, base, base, base, base, base, ~base), offset[i], count[i]);
    lanes[i] = all.s0 + all.s1 + all.s2 + all.s7;
}
