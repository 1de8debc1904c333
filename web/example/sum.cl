// Sums of the work-groups' numbers.
kernel void sum(global const int *numbers, global int *sums, local int *part) {
    uint item = get_local_id(0);
    part[item] = numbers[get_global_id(0)];
    for (uint half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < half_size) part[item] += part[item + half_size];
    }
    if (item == 0) sums[get_group_id(0)] = part[0];
}
