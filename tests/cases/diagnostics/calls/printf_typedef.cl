// A typedef of that name is no prototype of printf.
typedef int printf(constant const char *, ...); //~ error[variadic-function]: variadic functions are not allowed in OpenCL C
