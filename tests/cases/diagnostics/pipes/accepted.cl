// Pipes where the device has them: every function, packets of all kinds (OpenCL C §6.15.18).
// options: -cl-std=CL3.0 -g
// features: __opencl_c_pipes __opencl_c_generic_address_space __opencl_c_subgroups
// lowering: cannot run this: sub-groups
// no-diagnostics
#if !defined(__opencl_c_pipes)
#error "the feature's macro"
#endif
typedef struct {
    int key;
    float4 values[2];
} record_t;
enum colour { red, green };

int first(read_only pipe record_t in, record_t *r) {
    return read_pipe(in, r);
}

kernel void transfer(read_only pipe int in, __write_only pipe record_t out, pipe float3 assumed_read,
                     write_only pipe enum colour colours, global int *p, local int *l) {
    int x;
    record_t r = {1, {(float4)(0), (float4)(1)}};
    p[0] = read_pipe(in, &x) + read_pipe(in, p) + read_pipe(in, l);
    const record_t *constant_record = &r;
    if (write_pipe(out, constant_record) < 0)
        p[1] = x;
    float3 f;
    p[2] = read_pipe(assumed_read, &f);
    enum colour c = green;
    write_pipe(colours, &c);
}

kernel void reserve(read_only pipe int in, write_only pipe int out, global int *p) {
    reserve_id_t r = reserve_read_pipe(in, 4), w = CLK_NULL_RESERVE_ID;
    int x;
    if (is_valid_reserve_id(r)) {
        for (uint i = 0; i < 4; i++)
            p[i] = read_pipe(in, r, i, &x);
        commit_read_pipe(in, r);
    }
    w = reserve_write_pipe(out, 1);
    write_pipe(out, w, 0, &x);
    commit_write_pipe(out, w);
    reserve_id_t g = work_group_reserve_read_pipe(in, 2);
    work_group_commit_read_pipe(in, g);
    g = work_group_reserve_write_pipe(out, 2);
    work_group_commit_write_pipe(out, g);
    g = sub_group_reserve_read_pipe(in, 2);
    sub_group_commit_read_pipe(in, g);
    g = sub_group_reserve_write_pipe(out, 2);
    sub_group_commit_write_pipe(out, g);
    p[5] = get_pipe_num_packets(in) + get_pipe_max_packets(in);
    p[6] = get_pipe_num_packets(out) + get_pipe_max_packets(out);
}

kernel void callee(read_only pipe record_t in, global int *p) {
    record_t r;
    p[0] = first(in, &r);
}
