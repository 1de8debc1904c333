// Pipes and queues, where there are any.
// options: -cl-std=CL2.0
kernel void k(read_only pipe int in, write_only pipe int out, global int *p) {
    int x; reserve_id_t r = reserve_write_pipe(out, 2);
    if (is_valid_reserve_id(r)) { write_pipe(out, r, 0, &x); commit_write_pipe(out, r); }
    if (read_pipe(in, &x) == 0) p[0] = x + get_pipe_num_packets(in);
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4), ^{ p[1] = x; });
}
