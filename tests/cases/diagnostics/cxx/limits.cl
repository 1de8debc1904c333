// Instances of templates that nest without end.
// options: -cl-std=CLC++1.0
template <int N> struct Deep { static constexpr int v = Deep<N + 1>::v; }; //~ error[template-limit]: nest deeper than 256 levels
kernel void k(global int *p) { *p = Deep<0>::v; }
