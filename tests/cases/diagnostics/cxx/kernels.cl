// Kernels are no templates; destructors of objects of the program are not called.
// options: -cl-std=CLC++1.0
struct D { int n; constexpr D(int v) : n(v) {} ~D() {} };
D object(1); //~ warning[global-destructor]: is not called
kernel void k(global int *p) { *p = object.n; }
