// A 1-D range: the other dimensions have one work-item.
// run: --kernel k --global 6 --arg uint[6] --print out
// prints: out: 1 1111 1111 1111 1111 1111
// no-diagnostics
kernel void k(global uint *out) {
    uint i = get_global_id(0);
    out[i] = i ? get_global_size(1) + get_global_size(2) * 10 + get_num_groups(1) * 100 + get_local_size(2) * 1000 : get_work_dim();
    out[i] += get_global_id(1) + get_local_id(2) + get_group_id(1);
}
