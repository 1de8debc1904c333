// A barrier that names no memory is a barrier, and orders what the group shares.
// run: --kernel k --global 32 --local 32 --arg int[32]:range --arg int[32] --print a:4
// prints: a: 31 30 29 28 …
// no-diagnostics
kernel void k(global int *a, global int *b) {
    local int l[32];
    int i = get_local_id(0);
    l[i] = a[i];
    barrier(0);
    b[i] = l[31 - i];
    barrier(0);
    a[i] = b[i ^ 1] == 31 - (i ^ 1) ? b[i] : -1;
}
