// Elements behind the end of a private array are read and not used. That is undefined, but programs do it without knowing, and a
// GPU on which the read is a fault loses the whole device. (NVIDIA's Vulkan driver does; its OpenCL has room there.)
// run: --kernel k --global 8 --local 4 --print out --arg out=int[8] --arg at=int[8]:values=3,9,0,20,1,2,23,0
// prints: out: 13 0 10 0 11 12 0 10
kernel void k(global int *out, global const int *at) {
    int g = get_global_id(0), a[8], i = at[g];
    for (int n = 0; n < 8; n++) a[n] = at[n & 1 ? 2 : 7] + n + 10;
    volatile int *p = a;
    int read = p[i];
    out[g] = i < 8 ? read : 0;
}
