// -cl-single-precision-constant, -cl-fast-relaxed-math: what the language shows of them.
// options: -cl-single-precision-constant -cl-fast-relaxed-math -cl-mad-enable -cl-no-signed-zeros -cl-denorms-are-zero -cl-finite-math-only -cl-unsafe-math-optimizations -cl-opt-disable -cl-strict-aliasing -cl-uniform-work-group-size -cl-no-subgroup-ifp -cl-kernel-arg-info -g
// no-diagnostics
#ifndef __FAST_RELAXED_MATH__
#error __FAST_RELAXED_MATH__
#endif
_Static_assert(_Generic(1.0, float: 1, default: 0), "unsuffixed constants are float");
kernel void k(global float *p) { p[0] = p[1] * 2.0 + 1e-3; }
