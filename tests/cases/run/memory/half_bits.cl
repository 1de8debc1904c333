// The bits of halves as integers of 16, 8 and 32 bits and back, where there are no 16-bit integers, too (OpenCL C §6.4.4.2).
// no-diagnostics
// run: --kernel k --global 4 --local 1 --arg ushort[4]:values=15360,49152,13653,31744 --arg ushort[4] --arg uint[4] --arg uchar[8] --arg ushort[8] --print sum --print word --print bytes --print lanes
// prints: sum: 16384 50176 14677 31744
// prints: word: 1006648320 1073790976 939537749 1006664704
// prints: bytes: 0 60 0 192 85 53 0 124
// prints: lanes: 15361 49153 13654 31745 17408 13653 31744 1
// refused[swiftshader phone-1.1]: cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global const ushort *in, global ushort *sum, global uint *word, global uchar *bytes, global ushort *lanes) {
    size_t i = get_global_id(0);
    half h = as_half(in[i]);
    sum[i] = as_ushort((half)(h + h));
    // The second half is 1, 2, 0.5 or 1.
    half2 pair = (half2)(h, i == 1 ? (half)2 : i == 2 ? (half)0.5f : (half)1);
    word[i] = as_uint(pair);
    vstore2(as_uchar2(h), i, bytes);
    if (i == 0) {
        half4 four = as_half4(vload4(0, in));
        vstore4(as_ushort4(four) + (ushort4)1, 0, lanes);
        four.x += 3;
        half3 three = (half3)(four.x, four.z, four.w);
        vstore3(as_ushort3(three), 0, lanes + 4);
        lanes[7] = as_ushort(as_half(as_ushort((uchar2)(1, 0))));
    }
}
