// Even roots of negative numbers are NaN, that of minus infinity too (OpenCL C §7.5.1; C99 F.9.4.4).
// run: --kernel k --global 6 --arg float[6]:values=-inf,-inf,-inf,inf,-8,-0.0 --arg int[6]:values=2,3,-3,-2,3,-3 --arg uint[6]:const=9 --arg ulong[6]:const=9 --print f --print d
// prints: f: 2143289344 4286578688 2147483648 0 3221225472 4286578688
// prints: d: 9221120237041090560 18442240474082181120 9223372036854775808 0 13835058055282163712 18442240474082181120
// no-diagnostics
kernel void k(global const float *x, global const int *n, global uint *f, global ulong *d) {
    size_t i = get_global_id(0);
    f[i] = as_uint(rootn(x[i], n[i]));
    d[i] = as_ulong(rootn((double)x[i], n[i]));
}
