// C++ for OpenCL: a goto may not pass the declaration of an object with a destructor; one that leaves such an object is taken.
// options: -cl-std=CLC++2021
struct T { int v; T(int n) : v(n) {} ~T() { v = 0; } };
kernel void k(global int *o) {
    int n = 0;
again: { T t(1); if (n++ < t.v) goto again; }
    { T t(1); if (t.v) goto end; }
    {
    if (n) goto inside; //~ error[jump-into-scope]: bypasses the initialization
    T late(2);
inside: o[0] = late.v;
    }
end:;
}
