// Functions of sub-groups and work-groups.
// options: -cl-std=CL3.0
kernel void k(global int *p, global float *f) {
    int x = sub_group_reduce_add(p[get_sub_group_local_id()]) + sub_group_scan_exclusive_max(p[0]);
    uint4 ballot = sub_group_ballot(x > 1);
    p[1] = sub_group_shuffle(x, 3) + sub_group_ballot_bit_count(ballot) + work_group_all(x);
    f[0] = work_group_scan_inclusive_min(f[1]) + sub_group_clustered_reduce_add(f[2], 4);
}
