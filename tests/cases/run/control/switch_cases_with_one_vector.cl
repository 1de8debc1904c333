// no-diagnostics
// run: --kernel k --global 1 --arg out=uint[4] --arg n=uint:3 --arg m=uint:2 --print out
// prints: out: 0 2147483648 0 2147483648
// Cases that leave a vector with a constant -0 as it is, and one that changes it: where such zeros are hidden from the driver (NVIDIA's) each case got one of its own, and the
// lowering found that two cases give one block different values.
kernel void k(global uint *out, uint n, uint m) {
    for (uint i = 0; i < 2; i++) {
        float8 v = (float8)(0.0f, 0.0f, 0.0f, -0.0f, 0.0f, 0.0f, 0.0f, 0.0f);
        switch (i == 0 ? n : m) {
        case 2: break;
        case 3: v = (float8)(0.0f);
        case 1: case 0: break;
        }
        out[i * 2] = as_uint(v.s1);
        out[i * 2 + 1] = as_uint(v.s3) ^ (i == 0 ? 0x80000000u : 0u);
    }
}
