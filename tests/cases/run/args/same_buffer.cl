// Two arguments name one buffer: a write through one is read through the other (rule A-15).
// run: --kernel k --global 4 --arg int[4]:range=1 --arg @a --arg @a --print a
// prints: a: 103 104 105 106
// no-diagnostics
kernel void k(global int *a, global int *b, global uint *c) {
    int i = get_global_id(0);
    int before = a[i];
    b[i] = before + 1;
    int after = a[i];
    c[i] = after + 1;
    a[i] = b[i] + 100;
}
