// A typedef's access qualifier is its own; another beside it is one too many (§6.6).
// options: -cl-std=CL3.0
// features: __opencl_c_pipes __opencl_c_generic_address_space
typedef read_only pipe int In;
typedef write_only pipe int Out; //~ note: the typedef is here
typedef pipe int Default;
kernel void a(read_only In p, write_only Out q, read_only Default r, In s) {}
kernel void b(read_only Out p) {} //~ error[multiple-access-qualifiers]: a type can have only one access qualifier, and the typedef has one
kernel void c(read_write In p) {} //~ error[invalid-access-qualifier]: a pipe cannot be 'read_write'
kernel void d(read_only int p) {} //~ error[invalid-access-qualifier]: access qualifiers can only be used on images and pipes
