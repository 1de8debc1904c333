// Attributes on what cannot have them (OpenCL C §6.13).
// options: -cl-std=CL2.0
typedef struct { char a; int b; } S __attribute__((packed)); //~ warning[ignored-attribute]: attribute 'packed' is ignored
typedef int T __attribute__((packed)); //~ warning[ignored-attribute]: attribute 'packed' is ignored
__attribute__((packed)) void f(int a __attribute__((packed))) {} //~ warning[ignored-attribute]: attribute 'packed' is ignored
//~^ warning[ignored-attribute]: attribute 'packed' is ignored
__attribute__((overloadable)) int x; //~ error[attribute-needs-function]: attribute 'overloadable' can only be applied to a function
__attribute__((opencl_unroll_hint(2))) void g(void); //~ warning[misplaced-unroll]: an unroll hint has no effect on anything but a loop
int h(int a) { return a; } //~ note: previous declaration is here
int h(float a) { return 1; } //~ error[conflicting-types]: conflicting types for 'h'
int x __attribute__((ifunc("h"))); //~ error[unsupported-attribute]: attribute 'ifunc' is not supported
__attribute__((vec_type_hint(bool))) kernel void k1() {} //~ error[attribute-argument]: 'vec_type_hint' takes a scalar or vector type, not 'bool'
kernel __attribute__((vec_type_hint(int))) __attribute__((vec_type_hint(float))) void k2() {} //~ warning[conflicting-attribute]: attribute 'vec_type_hint' is given twice
kernel __attribute__((work_group_size_hint(1, 1, 1), work_group_size_hint(2, 1, 1))) void k3() {} //~ warning[conflicting-attribute]: attribute 'work_group_size_hint' is given twice
kernel void k4() {
    __attribute__((opencl_unroll_hint(2))) int i; //~ warning[misplaced-unroll]: an unroll hint has no effect on anything but a loop
    __attribute__((opencl_unroll_hint(2))) if (1); //~ warning[misplaced-unroll]: an unroll hint has no effect on anything but a loop
}
