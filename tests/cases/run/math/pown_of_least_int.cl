// pown with the least int, which has no positive counterpart.
// run: --kernel k --global 4 --arg float[4]:values=0.5,2,-0.5,1 --arg float[4] --arg double[4] --print f --print d
// prints: f: inf 0 inf 1
// prints: d: inf 0 inf 1
// no-diagnostics
kernel void k(global const float *x, global float *f, global double *d) {
    size_t i = get_global_id(0);
    int n = (int)0x80000000;
    f[i] = pown(x[i], n);
    d[i] = pown((double)x[i], n);
}
