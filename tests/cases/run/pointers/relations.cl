// Pointer differences and comparisons within an array, and null pointers (C99 §6.5.6, §6.5.8).
// run: --kernel k --global 1 --arg int[8]:range --arg int[12]:const=0 --print out
// prints: out: 5 -5 1 0 1 1 1 0 40 2 1 1
// no-diagnostics
kernel void k(global int *a, global int *out) {
    global int *p = a + 1, *q = a + 6;
    out[0] = q - p;
    out[1] = p - q;
    out[2] = p < q;
    out[3] = p >= q;
    out[4] = p != q;
    out[5] = p + 5 == q;
    global int *null = 0;
    out[6] = null == NULL;
    out[7] = !p;
    out[8] = (global char *)(a + 8) - (global char *)(q - 8);
    out[9] = (int2 *)0 == 0 ? 2 : 3;
    int x[4];
    int *e = x + 4;
    out[10] = &x[3] < e;
    out[11] = p && q;
}
