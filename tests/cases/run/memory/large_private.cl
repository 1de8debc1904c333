// Private arrays of more than 4,096 elements, one of them with an initializer.
// run: --kernel k --global 2 --arg int[2]:range --print a
// prints: a: 1044486 1044494
// or-fails: which may be more than the driver has
// no-diagnostics
kernel void k(global int *a) {
    uchar bytes[8192];
    ushort words[5000] = {3, 4};
    int id = get_global_id(0), sum = 0;
    for (int i = 0; i < 8192; i++) bytes[i] = i + id;
    for (int i = 0; i < 5000; i++) words[i] += words[(i + id) % 5000];
    for (int i = 0; i < 8192; i++) sum += bytes[i * 7 & 8191];
    a[id] = sum + words[0] + words[4999];
}
