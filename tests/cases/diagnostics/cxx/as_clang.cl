// C++ for OpenCL: what clang's own tests ask to be refused.
// options: -cl-std=CLC++1.0
class Mixed { public: int a; private: int b; };
struct One { int a; int b; };
kernel void atomic_value(atomic_int in) {} //~ error[kernel-parameter-type]: it is an atomic object
kernel void mixed_value(Mixed in) {} //~ error[kernel-parameter-type]: no standard layout
kernel void mixed_pointer(global Mixed *in) {} //~ error[kernel-parameter-type]: no standard layout
kernel void mixed_reference(global Mixed &in) {} //~ error[kernel-parameter-type]: no standard layout
kernel void plain(One a, global One *b, global One &c, constant One *d) {}
struct Spaces {
    void twice() local local;
    void both() global local; //~ error[multiple-address-spaces]: two address spaces
};
private int qualified(); //~ error[return-address-space]: a return type cannot be qualified
template <class X> auto bits(X x) { return as_int2(x); } //~ error[no-matching-builtin]: as_int2
kernel void k(global int *o) {
    try { //~ error[unsupported-cxx]: exceptions
        o[0] = 1;
    } catch (int i) {
        o[0] = 2;
    }
    One one = {1, 2};
    auto same = reinterpret_cast<One>(one); //~ error[invalid-cast]: does not convert
    o[1] = bits(3);
}
