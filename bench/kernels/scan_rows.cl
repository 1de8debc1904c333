// Inclusive sums of an array in two passes, as libraries of array primitives make them: an array is cut into intervals, one to a
// work-group, and these into units of K times WG elements. A unit comes into local memory by coalesced loads, so that each
// work-item finds K consecutive elements in its column; the columns' sums are scanned by a tree (Hillis and Steele, 1986).
// The rows are padded: columns begin in different banks.

// Pass 1: sums within each interval, and each interval's sum.
__kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void scan_intervals(__global const int *restrict in, __global int *restrict partial, __global int *restrict sums, uint n,
                    uint interval) {
    __local int rows[K + 1][WG + 1];
    const uint lid = get_local_id(0);
    const uint begin = get_group_id(0) * interval, end = min(begin + interval, n);
    int carry = 0;
    for (uint unit = begin; unit < end; unit += K * WG) {
        for (uint k = 0; k < K; k++) {
            const uint at = k * WG + lid;
            if (unit + at < end)
                rows[at % K][at / K] = in[unit + at];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int sum = lid == 0 ? carry : 0;
        for (uint k = 0; k < K; k++) {
            if (unit + lid * K + k < end)
                sum += rows[k][lid];
            rows[k][lid] = sum;
        }
        rows[K][lid] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint distance = 1; distance < WG; distance *= 2) {
            const int other = lid >= distance ? rows[K][lid - distance] : 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            rows[K][lid] += other;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (lid > 0)
            for (uint k = 0; k < K; k++)
                rows[k][lid] += rows[K][lid - 1];
        carry = rows[K][WG - 1];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < K; k++) {
            const uint at = k * WG + lid;
            if (unit + at < end)
                partial[unit + at] = rows[at % K][at / K];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0)
        sums[get_group_id(0)] = carry;
}

// Pass 2: what came before each interval is added; the result is moved by one (an exclusive scan) through local memory.
__kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void scan_update(__global const int *restrict partial, __global const int *restrict before, __global int *restrict out,
                 uint n, uint interval) {
    __local int last[WG + 1];
    const uint lid = get_local_id(0);
    const uint begin = get_group_id(0) * interval, end = min(begin + interval, n);
    const int carry = get_group_id(0) == 0 ? 0 : before[get_group_id(0) - 1];
    if (lid == 0)
        last[0] = carry;
    for (uint unit = begin; unit < end; unit += WG) {
        const uint at = unit + lid;
        if (at < end)
            last[lid + 1] = partial[at] + carry;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (at < end)
            out[at] = last[lid];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid == 0)
            last[0] = last[WG];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
