// A zero that is stored and loaded again is a factor: the product with an infinity is no number, though the driver's compiler may know what was
// stored. The volatile access between is what keeps Pumice from knowing it (found by random programs, seed 920002057).
// no-diagnostics
// run: --kernel k --global 1 --local 1 --arg big=uint[1]:values=2229797078 --arg out=int[4]:zero --print out
// prints: out: 1 1 1 0
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global uint *big, global int *out) {
    local uint kept[2];
    local float floats[2];
    kept[1] = 0u;
    floats[1] = 0.0f;
    uint x = *(volatile global uint *)big;
    half infinite = (half)x;
    out[0] = isnan(fma(infinite, (half)kept[1], (half)1)) != 0;
    out[1] = isnan(infinite * (half)kept[1]) != 0;
    out[2] = isnan((float)infinite * floats[1]) != 0;
}
