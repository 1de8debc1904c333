// run: --kernel k --global 6 --arg x=uint[700]:random=5 --arg out=uint[30] --arg n=int:93 --arg m=ulong:7 --print out
// prints: out: 4070867428 3902433442 1612092812 374614476 4208779970 4265089319 701282638 2703458965 4201720809 2721279712 4224603578 3588872916 965199308 2277760058 3506788496 4285460270 2901431106 1174296469 3607632287 1558776727 4288639303 1229695748 4110649532 3812779887 1471605583 4273348537 1595220520 956023040 3492107915 2270050531
// Loops over memory whose trip count only the launch knows: loads of several iterations come first, with addresses that follow from the
// first one's. The values are those of the loops as they are, on llvmpipe.
kernel void k(global const uint *x, global uint *out, int n, ulong m) {
    size_t i = get_global_id(0);
    global const uchar *p = (global const uchar *)x;
    uint largest = 0, sum = 0, bytes = 0, fnv = 2166136261u, down = 0;
    for (int k = 0; k < n; k++) largest = max(largest, x[k * m + i]);
    for (int k = 0; k < n; k++) sum += x[i * 3 + k] * x[k];
    for (int k = 0; k < n; k++) bytes = bytes * 31u + p[i + k];
    for (int k = 0; k < n; k++) fnv = (fnv ^ ((bytes >> (k % 4 * 8)) & 255u)) * 16777619u;
    for (int k = n - 1; k >= 0; k--) down = down * 5u + x[k + i];
    out[5 * i] = largest, out[5 * i + 1] = sum, out[5 * i + 2] = bytes, out[5 * i + 3] = fnv, out[5 * i + 4] = down;
}
