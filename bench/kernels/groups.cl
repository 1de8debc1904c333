// What sub-groups and dot products of bytes are for, each with the form that does without where the OpenCL at hand has none.
#if defined(cl_khr_subgroup_shuffle) && defined(cl_khr_subgroup_shuffle_relative)
#define SUB_GROUPS
// The benchmark says so where they have 32 members: forms without loops over what several of them have.
#if SUB_GROUP_SIZE == 32
#define SUB_GROUPS_OF_32
#endif
#endif
#if defined(__opencl_c_integer_dot_product_input_4x8bit_packed) || defined(cl_khr_integer_dot_product)
#define DOT(a, b) dot_4x8packed_ss_int(a, b)
#else
inline int products(char4 a, char4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
#define DOT(a, b) products(as_char4(a), as_char4(b))
#endif

// The forms are those that were fastest of several on an H200 (docs/results/performance.md), by Pumice with sub-groups and by NVIDIA's OpenCL without. Both read
// the same.

// The sum of each 256 words, of which each work-item has one, as where it has computed it.
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void group_sums(__global const uint *restrict in, __global uint *restrict sums) {
    __local uint part[256];
    const uint id = get_local_id(0);
    uint value = in[get_global_id(0)];
#ifdef SUB_GROUPS
    value = sub_group_reduce_add(value);
    if (get_sub_group_local_id() == 0)
        part[get_sub_group_id()] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id == 0) {
        for (uint i = 1; i < get_num_sub_groups(); i++)
            value += part[i];
        sums[get_group_id(0)] = value;
    }
#else
    // In two steps: a tree has a barrier for each of eight.
    part[id] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < 32) {
        value = 0;
        #pragma unroll
        for (uint i = 0; i < 8; i++)
            value += part[id + 32 * i];
        part[id] = value;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id == 0) {
        value = 0;
        #pragma unroll
        for (uint i = 0; i < 32; i++)
            value += part[i];
        sums[get_group_id(0)] = value;
    }
#endif
}

// The running sums of each 256 words, of which each work-item has one.
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void group_scans(__global const uint *restrict in, __global uint *restrict out) {
    uint value = in[get_global_id(0)];
#ifdef SUB_GROUPS
    __local uint part[256];
    const uint lane = get_sub_group_local_id(), sub = get_sub_group_id(), size = get_max_sub_group_size();
    for (uint step = 1; step < size; step *= 2) {
        const uint other = sub_group_shuffle_up(value, step);
        if (lane >= step)
            value += other;
    }
    if (lane == size - 1)
        part[sub] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint before = 0;
    for (uint i = 0; i < get_num_sub_groups(); i += size)
        before += i + lane < sub ? part[i + lane] : 0;
    value += sub_group_reduce_add(before);
#else
    __local uint part[2][256];
    const uint id = get_local_id(0);
    uint now = 0;
    part[0][id] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 1; step < 256; step *= 2) {
        if (id >= step)
            value += part[now][id - step];
        now ^= 1;
        part[now][id] = value;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#endif
    out[get_global_id(0)] = value;
}

// The rows of 32 that a sub-group of the work-group's 256 work-items has, four at a time: once, where there are eight sub-groups.
#ifdef SUB_GROUPS_OF_32
#define SUB_GROUP_MEMBERS 32
#define FOR_ROWS_OF_SUB_GROUP(row) const int row = get_sub_group_id() * 4;
#else
#define SUB_GROUP_MEMBERS get_max_sub_group_size()
#define FOR_ROWS_OF_SUB_GROUP(row) for (int row = get_sub_group_id() * 4; row < 32; row += get_num_sub_groups() * 4)
#endif

// A matrix times a vector, of floats and of bytes (four to a word): rows of 512 bytes, so that adding a row's products up weighs something beside
// reading it. A sub-group has four rows, or 32 work-items, which leave their sums in local memory; 32 rows to a work-group.
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void matrix_vector(__global const float4 *restrict matrix, __global const float4 *restrict vector,
                   __global float *restrict result, int columns) {
    const int fours = columns / 4, first = get_group_id(0) * 32;
#ifdef SUB_GROUPS
    const int lane = get_sub_group_local_id(), size = SUB_GROUP_MEMBERS;
    FOR_ROWS_OF_SUB_GROUP(row) {
        float sums[4] = {0.0f, 0.0f, 0.0f, 0.0f};
        for (int i = lane; i < fours; i += size) {
            const float4 factor = vector[i];
            #pragma unroll
            for (int r = 0; r < 4; r++)
                sums[r] += dot(matrix[(first + row + r) * fours + i], factor);
        }
        #pragma unroll
        for (int r = 0; r < 4; r++)
            for (int step = size / 2; step > 0; step /= 2)
                sums[r] += sub_group_shuffle_xor(sums[r], step);
        if (lane == 0) {
            #pragma unroll
            for (int r = 0; r < 4; r++)
                result[first + row + r] = sums[r];
        }
    }
#else
    __local float part[4][256];
    const int id = get_local_id(0), row = id / 32 * 4, lane = id % 32;
    float sums[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int i = lane; i < fours; i += 32) {
        const float4 factor = vector[i];
        #pragma unroll
        for (int r = 0; r < 4; r++)
            sums[r] += dot(matrix[(first + row + r) * fours + i], factor);
    }
    #pragma unroll
    for (int r = 0; r < 4; r++)
        part[r][id] = sums[r];
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll
    for (int half_of_them = 16; half_of_them > 0; half_of_them /= 2) {
        if (lane < half_of_them) {
            #pragma unroll
            for (int r = 0; r < 4; r++)
                part[r][id] += part[r][id + half_of_them];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lane < 4)
        result[first + row + lane] = part[lane][id - lane];
#endif
}

inline int products_of_16(uint4 a, uint4 b) {
    return DOT(a.x, b.x) + DOT(a.y, b.y) + DOT(a.z, b.z) + DOT(a.w, b.w);
}

__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void bytes_vector(__global const uint4 *restrict matrix, __global const uint4 *restrict vector, __global int *restrict result,
                  int words) {
    const int fours = words / 4, first = get_group_id(0) * 32;
#ifdef SUB_GROUPS
    const int lane = get_sub_group_local_id(), size = SUB_GROUP_MEMBERS;
    FOR_ROWS_OF_SUB_GROUP(row) {
        int sums[4] = {0, 0, 0, 0};
        for (int i = lane; i < fours; i += size) {
            const uint4 factor = vector[i];
            #pragma unroll
            for (int r = 0; r < 4; r++)
                sums[r] += products_of_16(matrix[(first + row + r) * fours + i], factor);
        }
        #pragma unroll
        for (int r = 0; r < 4; r++)
            sums[r] = sub_group_reduce_add(sums[r]);
        if (lane == 0) {
            #pragma unroll
            for (int r = 0; r < 4; r++)
                result[first + row + r] = sums[r];
        }
    }
#else
    __local int part[32][33];
    const int id = get_local_id(0), row = id / 32 * 4, lane = id % 32;
    int sums[4] = {0, 0, 0, 0};
    for (int i = lane; i < fours; i += 32) {
        const uint4 factor = vector[i];
        #pragma unroll
        for (int r = 0; r < 4; r++)
            sums[r] += products_of_16(matrix[(first + row + r) * fours + i], factor);
    }
    #pragma unroll
    for (int r = 0; r < 4; r++)
        part[row + r][lane] = sums[r];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < 32) {
        int sum = 0;
        #pragma unroll
        for (int i = 0; i < 32; i++)
            sum += part[id][i];
        result[first + id] = sum;
    }
#endif
}

// The same of data that the device's caches hold, which a launch reads again and again: what the kernels themselves cost.

// The running sums of each 256 words, of which each work-item has eight; `mask` + 1 vectors, over and over.
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void scans_of_eight(__global const uint4 *restrict in, __global uint4 *restrict out, uint mask) {
    const uint at = get_global_id(0) * 2 & mask;
    uint4 v = in[at], w = in[at + 1];
    v.y += v.x;
    v.z += v.y;
    v.w += v.z;
    w.x += v.w;
    w.y += w.x;
    w.z += w.y;
    w.w += w.z;
#ifdef SUB_GROUPS_OF_32
    const uint before = sub_group_scan_exclusive_add(w.w);
#else
    __local uint4 part[64];
    const uint id = get_local_id(0), lane = id % 32;
    uint before = 0;
    ((__local uint *)part)[id] = w.w;
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll
    for (uint i = 0; i < 8; i++) {
        const uint4 p = part[id / 32 * 8 + i];
        before += 4 * i < lane ? p.x : 0;
        before += 4 * i + 1 < lane ? p.y : 0;
        before += 4 * i + 2 < lane ? p.z : 0;
        before += 4 * i + 3 < lane ? p.w : 0;
    }
#endif
    out[at] = v + before;
    out[at + 1] = w + before;
}

// Softmax of rows of 256 floats, of which each work-item has eight; `mask` + 1 rows, over and over.
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void softmax(__global const float4 *restrict in, __global float4 *restrict out, uint mask) {
    const uint id = get_local_id(0), lane = id % 32, sub = id / 32;
    const uint at = (get_group_id(0) * 8 + sub & mask) * 64 + lane;
    float4 v = in[at], w = in[at + 32], a = fmax(v, w);
    float most = fmax(fmax(a.x, a.y), fmax(a.z, a.w));
#ifdef SUB_GROUPS_OF_32
    #pragma unroll
    for (uint step = 16; step > 0; step /= 2)
        most = fmax(most, sub_group_shuffle_xor(most, step));
#else
    __local float4 parts[64], more[64];
    ((__local float *)parts)[id] = most;
    barrier(CLK_LOCAL_MEM_FENCE);
    a = parts[sub * 8];
    #pragma unroll
    for (uint i = 1; i < 8; i++)
        a = fmax(a, parts[sub * 8 + i]);
    most = fmax(fmax(a.x, a.y), fmax(a.z, a.w));
#endif
    v = native_exp(v - most);
    w = native_exp(w - most);
    a = v + w;
    float sum = a.x + a.y + (a.z + a.w);
#ifdef SUB_GROUPS_OF_32
    #pragma unroll
    for (uint step = 16; step > 0; step /= 2)
        sum += sub_group_shuffle_xor(sum, step);
#else
    ((__local float *)more)[id] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    a = more[sub * 8];
    #pragma unroll
    for (uint i = 1; i < 8; i++)
        a += more[sub * 8 + i];
    sum = a.x + a.y + (a.z + a.w);
#endif
    const float part = native_recip(sum);
    out[at] = v * part;
    out[at + 32] = w * part;
}

// C = A times B of signed bytes, n by n: four of a row of A are a word, and four of a column of B. 64 by 64 to a work-group, four by
// four to a work-item; all memory is read by four words.
__kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void bytes_product(int n, __global const uint4 *restrict a, __global const uint4 *restrict b, __global int4 *restrict c) {
    // A place more for each row: two rows are read at once.
    __local uint4 as[64][4 + 1], bs[16][16];
    const uint x = get_local_id(0), y = get_local_id(1), id = y * 16 + x;
    const uint column = get_group_id(0) * 16, row = get_group_id(1) * 64, fours = n / 16, wide = n / 4;
    int sums[4][4];
    #pragma unroll
    for (uint i = 0; i < 4; i++)
        #pragma unroll
        for (uint j = 0; j < 4; j++)
            sums[i][j] = 0;
    for (uint slice = 0; slice < fours; slice += 4) {
        as[id / 4][id % 4] = a[(row + id / 4) * fours + slice + id % 4];
        bs[y][x] = b[(slice * 4 + y) * wide + column + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (uint k = 0; k < 4; k++) {
            uint4 left[4];
            #pragma unroll
            for (uint i = 0; i < 4; i++)
                left[i] = as[4 * y + i][k];
            #pragma unroll
            for (uint m = 0; m < 4; m++) {
                const uint4 right = bs[4 * k + m][x];
                #pragma unroll
                for (uint i = 0; i < 4; i++) {
                    const uint one = m == 0 ? left[i].x : m == 1 ? left[i].y : m == 2 ? left[i].z : left[i].w;
                    sums[i][0] += DOT(one, right.x);
                    sums[i][1] += DOT(one, right.y);
                    sums[i][2] += DOT(one, right.z);
                    sums[i][3] += DOT(one, right.w);
                }
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    #pragma unroll
    for (uint i = 0; i < 4; i++)
        c[(row + 4 * y + i) * wide + column + x] = (int4)(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
}
