// What is wrong with pipes even where the device has them (OpenCL C §6.15.18 "Restrictions", §6.11).
// options: -cl-std=CL2.0
// features: __opencl_c_pipes __opencl_c_images
kernel void both(read_write pipe int p) { } //~ error[invalid-access-qualifier]: a pipe cannot be 'read_write'
kernel void pointers(read_only pipe int *p) { } //~ error[invalid-pointee]: pointer to type '__read_only pipe int' is invalid
kernel void pointer_packets(read_only pipe global int *p) { } //~ error[invalid-pointee]: pointer to type
kernel void void_packets(read_only pipe void p) { } //~ error[invalid-pipe]: 'void' cannot be the type of a pipe's packets
kernel void bool_packets(read_only pipe bool p) { } //~ error[invalid-pipe]: 'bool' cannot be the type
kernel void image_packets(read_only pipe image2d_t p) { } //~ error[invalid-pipe]: cannot be the type of a pipe's packets
struct with_pointer {
    global int *p;
};
kernel void pointers_inside(read_only pipe struct with_pointer p) { } //~ error[invalid-pipe]: 'struct with_pointer' cannot be
kernel void id(reserve_id_t r) { } //~ error[kernel-parameter-type]: 'reserve_id_t' cannot be the type of a kernel parameter
reserve_id_t at_program_scope; //~ error[invalid-variable]: a program-scope variable cannot have type 'reserve_id_t'
read_only pipe int returned(void); //~ error[invalid-return-type]: a function cannot return '__read_only pipe int'
struct with_pipe {
    read_only pipe int p; //~ error[opaque-member]: type '__read_only pipe int' cannot be used in a structure
};
kernel void use(read_only pipe int in, write_only pipe int out, read_only pipe float other, global int *p) {
    read_only pipe int local_pipe; //~ error[invalid-variable]: can only be used as a function parameter
    float f;
    int x;
    const int c = 1;
    read_pipe(in, &f); //~ error[no-matching-builtin]: no overload of 'read_pipe' takes (__read_only pipe int, float *)
    read_pipe(in, &c); //~ error[no-matching-builtin]: no overload of 'read_pipe' takes
    read_pipe(out, &x); //~ error[no-matching-builtin]: no overload of 'read_pipe' takes (__write_only pipe int, int *)
    write_pipe(in, &x); //~ error[no-matching-builtin]: no overload of 'write_pipe' takes (__read_only pipe int, int *)
    reserve_write_pipe(in, 1); //~ error[no-matching-builtin]: no overload of 'reserve_write_pipe' takes
    commit_read_pipe(in, 5); //~ error[incompatible-types]: passing 'int' to a parameter of type 'reserve_id_t'
    in = in; //~ error[not-assignable]: pipes cannot be assigned
    p[0] = &in == 0; //~ error[address-of-opaque]: the address of a '__read_only pipe int' cannot be taken
    sub_group_reserve_read_pipe(in, 1); //~ error[needs-feature]: 'sub_group_reserve_read_pipe' needs __opencl_c_subgroups
    get_default_queue(); //~ error[unsupported-feature]: 'get_default_queue' needs device-side enqueue
}
