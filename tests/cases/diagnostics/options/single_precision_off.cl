// Without the option an unsuffixed constant is a double where there are doubles.
// no-diagnostics
#ifdef __FAST_RELAXED_MATH__
#error __FAST_RELAXED_MATH__
#endif
_Static_assert(_Generic(1.0, double: 1, default: 0) && _Generic(1.0f, float: 1, default: 0), "double");
kernel void k(global float *p) { p[0] = p[1] * 2.0; }
