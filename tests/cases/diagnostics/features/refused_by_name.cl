// What the device does not have is read, and refused by its feature's name: pipes, device-side enqueue, blocks.
// options: -cl-std=CL2.0
kernel void pipes(read_only pipe int in, write_only pipe float4 out) { //~ error[unsupported-feature]: needs pipes (__opencl_c_pipes), which is not supported
//~^ error[unsupported-feature]: needs pipes (__opencl_c_pipes), which is not supported
    int x;
    read_pipe(in, &x); //~ error[unsupported-feature]: 'read_pipe' needs pipes
    commit_read_pipe(in, CLK_NULL_RESERVE_ID); //~ error[unsupported-feature]: 'CLK_NULL_RESERVE_ID' needs pipes
//~^ error[unsupported-feature]: 'commit_read_pipe' needs pipes
    reserve_id_t id; //~ error[unsupported-feature]: type 'reserve_id_t' needs pipes
}
kernel void enqueue(global int *p) {
    queue_t q = get_default_queue(); //~ error[unsupported-feature]: type 'queue_t' needs device-side enqueue (__opencl_c_device_enqueue)
//~^ error[unsupported-feature]: 'get_default_queue' needs device-side enqueue
    clk_event_t e; //~ error[unsupported-feature]: type 'clk_event_t' needs device-side enqueue
    ndrange_t r = ndrange_1D(1); //~ error[unsupported-feature]: type 'ndrange_t' needs device-side enqueue
//~^ error[unsupported-feature]: 'ndrange_1D' needs device-side enqueue
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, r, ^{ p[0] = 1; }); //~ error[unsupported-feature]: a block needs device-side enqueue
//~^ error[unsupported-feature]: 'enqueue_kernel' needs device-side enqueue
//~^^ error[unsupported-feature]: 'CLK_ENQUEUE_FLAGS_NO_WAIT' needs device-side enqueue
    int (^twice)(int) = ^(int x) { return 2 * x; }; //~ error[unsupported-feature]: a block needs device-side enqueue
//~^ error[unsupported-feature]: a block needs device-side enqueue
    p[0] = missing; //~ error[undeclared-identifier]: use of undeclared identifier 'missing'
}
