// Passes of sorting. A radix sort by four bits (Satish, Harris and Garland, 2009): a work-group counts its block's digits; a block
// is sorted in local memory by one bit after the other and scattered to where its digits begin. And a bitonic sort
// (Batcher, 1968): blocks in local memory, then steps that are too far apart for it, eight elements to a work-item in a private array.
#define DIGITS 16
#define BLOCK 1024
#define WG 256
#define EACH (BLOCK / WG)

__kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void radix_count(__global const uint *restrict keys, __global uint *restrict counts, uint shift) {
    __local uint bins[DIGITS];
    const uint lid = get_local_id(0), group = get_group_id(0);
    if (lid < DIGITS)
        bins[lid] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < EACH; i++)
        atomic_inc(&bins[keys[group * BLOCK + i * WG + lid] >> shift & (DIGITS - 1)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < DIGITS)
        counts[lid * get_num_groups(0) + group] = bins[lid];
}

// Sums of what the work-items before this one have, and of all.
inline uint before(uint value, __local uint *sums, uint *all) {
    const uint lid = get_local_id(0);
    sums[lid] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint distance = 1; distance < WG; distance *= 2) {
        const uint other = lid >= distance ? sums[lid - distance] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        sums[lid] += other;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    *all = sums[WG - 1];
    const uint result = sums[lid] - value;
    barrier(CLK_LOCAL_MEM_FENCE);
    return result;
}

__kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void radix_scatter(__global const uint *restrict keys, __global const uint *restrict begins, __global uint *restrict out,
                   uint shift) {
    __local uint block[BLOCK], sums[WG], first[DIGITS];
    const uint lid = get_local_id(0), group = get_group_id(0);
    uint key[EACH];
    for (uint i = 0; i < EACH; i++)
        key[i] = keys[group * BLOCK + lid * EACH + i];
    for (uint bit = shift; bit < shift + 4; bit++) {
        uint zeros = 0, all;
        for (uint i = 0; i < EACH; i++)
            zeros += ~key[i] >> bit & 1;
        uint zero = before(zeros, sums, &all);
        uint one = all + lid * EACH - zero;
        for (uint i = 0; i < EACH; i++)
            block[key[i] >> bit & 1 ? one++ : zero++] = key[i];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = 0; i < EACH; i++)
            key[i] = block[lid * EACH + i];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint at = lid; at < BLOCK; at += WG) {
        const uint digit = block[at] >> shift & (DIGITS - 1);
        if (at == 0 || (block[at - 1] >> shift & (DIGITS - 1)) != digit)
            first[digit] = at;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint at = lid; at < BLOCK; at += WG) {
        const uint value = block[at], digit = value >> shift & (DIGITS - 1);
        out[begins[digit * get_num_groups(0) + group] + at - first[digit]] = value;
    }
}

inline void order(float *a, float *b, bool up) {
    const float low = *a, high = *b;
    const bool swap = (low > high) == up;
    *a = swap ? high : low;
    *b = swap ? low : high;
}

// Blocks of 2 * WG elements sorted in local memory, up and down in turns.
__kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void bitonic_local(__global const float *restrict in, __global float *restrict out) {
    __local float list[2 * WG];
    const uint lid = get_local_id(0), base = get_group_id(0) * 2 * WG;
    list[lid] = in[base + lid];
    list[lid + WG] = in[base + lid + WG];
    for (uint length = 2; length <= 2 * WG; length *= 2)
        for (uint distance = length / 2; distance > 0; distance /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            const uint at = 2 * lid - (lid & (distance - 1));
            float a = list[at], b = list[at + distance];
            order(&a, &b, ((base + at) & length) == 0);
            list[at] = a;
            list[at + distance] = b;
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[base + lid] = list[lid];
    out[base + lid + WG] = list[lid + WG];
}

// Three steps at once, of distances 4, 2 and 1 times `distance`.
__kernel void bitonic_eight(__global const float *restrict in, __global float *restrict out, uint length, uint distance) {
    const uint id = get_global_id(0), low = id & (distance - 1), at = (id - low) * 8 + low;
    const bool up = (at & length) == 0;
    float list[8];
    for (uint i = 0; i < 8; i++)
        list[i] = in[at + i * distance];
    for (uint step = 4; step > 0; step /= 2)
        for (uint i = 0; i < 8; i++)
            if ((i & step) == 0)
                order(&list[i], &list[i + step], up);
    for (uint i = 0; i < 8; i++)
        out[at + i * distance] = list[i];
}
