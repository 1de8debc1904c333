// Work-group and sub-group functions of halves, and how printf shows them (cl_khr_fp16, cl_khr_subgroup_extended_types).
// options: -cl-std=CL3.0
// features: __opencl_c_work_group_collective_functions __opencl_c_subgroups cl_khr_subgroup_extended_types cl_khr_subgroup_shuffle
// run: --kernel k --global 8 --local 8 --arg half[8]:values=1,2,3,4,5,6,7,8 --arg half[8] --arg int[4] --print out --print n
// prints: 1.500000 2.5 -1.500,0.250,0.000,4.000
// prints: out: 1 3 6 10 15 21 28 36
// prints: n: 36 8 3 1
// no-diagnostics
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global const half *in, global half *out, global int *n) {
    size_t i = get_local_id(0);
    half x = in[i];
    out[i] = work_group_scan_inclusive_add(x);
    half sum = work_group_reduce_add(x), most = work_group_reduce_max(x), third = work_group_broadcast(x, 2);
    half of_sub_group = sub_group_reduce_add(x), first = sub_group_broadcast(x, 0);
    half same = sub_group_shuffle(x, get_sub_group_local_id());
    float check = sub_group_reduce_add((float)x);
    int right = of_sub_group == (half)check && same == x && first == (half)sub_group_broadcast((float)x, 0);
    right = work_group_all(right);
    if (i == 0) {
        n[0] = (int)sum;
        n[1] = (int)most;
        n[2] = (int)third;
        n[3] = right != 0;
        half4 v = (half4)(-1.5h, 0.25h, 0.0h, 4.0h);
        printf("%f %.1f %.3v4hf\n", (half)1.5h, (half)2.5h, v);
    }
}
