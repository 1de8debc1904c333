// A 3-D range with offsets: every work-item function (OpenCL C §6.15.1).
// run: --kernel k --global 4,2,3 --local 2,1,3 --offset 10,20,30 --arg uint[24] --arg uint[16] --print order --print facts
// prints: order: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23
// prints: facts: 4 2 3 2 1 3 2 2 1 10 20 30 3 1 0 0
// no-diagnostics
kernel void k(global uint *order, global uint *facts) {
    uint x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - 20, z = get_global_id(2) - 30;
    uint at = (z * 2 + y) * 4 + x;
    uint again = get_group_id(0) * get_local_size(0) + get_local_id(0) == x;
    order[at] = again ? at : 99;
    if (at) return;
    for (uint d = 0; d < 3; d++) {
        facts[d] = get_global_size(d);
        facts[3 + d] = get_local_size(d);
        facts[6 + d] = get_num_groups(d);
        facts[9 + d] = get_global_offset(d);
    }
    facts[12] = get_work_dim();
    facts[13] = get_global_size(3);
    facts[14] = get_local_id(7);
    facts[15] = get_global_offset(4);
}
