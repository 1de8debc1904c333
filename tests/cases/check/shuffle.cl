// Shuffles of a sub-group with an index that no member has.
// options: -cl-std=CL3.0
// features: __opencl_c_subgroups cl_khr_subgroup_shuffle
// run: --check=shuffles --kernel from --global 8 --local 8 --arg int[8] --arg uint:0 --print out
// prints: out: 7 7 7 7 7 7 7 7
// run: --check=shuffles --kernel from --global 8 --local 8 --arg int[8] --arg uint:200
// reports: 12 shuffles: a shuffle with the index 200, which no member of the sub-group has
// run: --check=1,races --kernel from --global 8 --local 8 --arg int[8] --arg uint:200

kernel void from(global int *out, uint lane) {
    int seven = get_sub_group_local_id() == 0 ? 7 : 1;
    out[get_global_id(0)] = sub_group_shuffle(seven, lane);
}
