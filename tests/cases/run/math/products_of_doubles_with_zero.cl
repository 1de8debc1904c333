// The same of doubles.
// run: --kernel k --global 4 --arg double[4]:values=1,-2,inf,nan --arg double[4]:const=9 --arg double2[4]:const=9 --print plain --print lanes
// prints: plain: 1 1 NaN NaN
// prints: lanes: (0, 1) (-0, -2) (NaN, inf) (NaN, NaN)
// no-diagnostics
kernel void k(global const double *x, global double *plain, global double2 *lanes) {
    size_t i = get_global_id(0);
    plain[i] = fma(x[i], -0.0, 1.0);
    lanes[i] = (double2)(0.0, 1.0) * x[i];
}
