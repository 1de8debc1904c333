// A finite product beyond the largest double is no infinity beside an infinite addend (OpenCL C §7.4: fma is rounded once).
// run: --kernel k --global 4 --arg double[4]:values=1e300,-1e300,1e300,2 --arg double[4]:values=1e300,1e300,1e300,3 --arg double[4]:values=-inf,inf,nan,-inf --arg double[4] --print r
// prints: r: -inf inf NaN -inf
// no-diagnostics
kernel void k(global const double *x, global const double *y, global const double *z, global double *r) {
    size_t i = get_global_id(0);
    r[i] = fma(x[i], y[i], z[i]);
}
