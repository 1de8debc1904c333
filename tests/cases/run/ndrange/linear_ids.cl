// get_global_linear_id, get_local_linear_id and get_enqueued_local_size (OpenCL C §6.15.1; 2.0 and later).
// options: -cl-std=CL3.0
// run: --kernel k --global 4,4 --local 2,2 --offset 1,1 --arg uint[16] --arg uint[16] --print g --print l
// prints: g: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
// prints: l: 0 1 0 1 2 3 2 3 0 1 0 1 2 3 2 3
// no-diagnostics
kernel void k(global uint *g, global uint *l) {
    uint at = (get_global_id(1) - 1) * 4 + get_global_id(0) - 1;
    g[at] = get_global_linear_id();
    l[at] = get_local_linear_id() + (get_enqueued_local_size(0) - 2);
}
