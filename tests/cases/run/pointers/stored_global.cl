// Global pointers that are stored, and integers that are made of them, take the address model by themselves.
// run[address]: --kernel k --global 4 --arg int[16]:const=0 --arg int[4]:range=10 --arg int[4]:const=0 --print out
// prints: out: 10 11 12 13
// run: --kernel cast --global 4 --arg int[4]:range=10 --arg int[4]:const=0 --print out
// prints: out: 11 12 13 10
// no-diagnostics
typedef struct { global int *p; int n; } Entry;

kernel void k(global Entry *a, global int *b, global int *out) {
    int i = get_global_id(0);
    a[i].p = &b[i];
    a[i].n = i;
    out[i] = *a[i].p + (a[i].n - i);
}

kernel void cast(global int *b, global int *out) {
    int i = get_global_id(0);
    uintptr_t at = (uintptr_t)(b + i);
    at += 4;
    if (i == 3)
        at -= 16;
    out[i] = *(global int *)at;
}
