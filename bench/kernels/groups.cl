// What sub-groups and dot products of bytes are for, each with the form that does without where the OpenCL at hand has none.
#if defined(__opencl_c_subgroups) || defined(cl_khr_subgroups)
#define SUB_GROUPS
#endif
#if defined(__opencl_c_integer_dot_product_input_4x8bit_packed) || defined(cl_khr_integer_dot_product)
#define DOT(a, b) dot_4x8packed_ss_int(a, b)
#else
inline int products(char4 a, char4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
#define DOT(a, b) products(as_char4(a), as_char4(b))
#endif

// The sum of each 256 words.
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
    part[id] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint half_of_them = 128; half_of_them > 0; half_of_them /= 2) {
        if (id < half_of_them)
            part[id] += part[id + half_of_them];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (id == 0)
        sums[get_group_id(0)] = part[0];
#endif
}

// The running sums of each 256 words.
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void group_scans(__global const uint *restrict in, __global uint *restrict out) {
    __local uint part[2][256];
    const uint id = get_local_id(0);
    uint value = in[get_global_id(0)];
#ifdef SUB_GROUPS
    value = sub_group_scan_inclusive_add(value);
    if (get_sub_group_local_id() == get_sub_group_size() - 1)
        part[0][get_sub_group_id()] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < get_sub_group_id(); i++)
        value += part[0][i];
#else
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

// A matrix times a vector: eight rows to a work-group.
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void matrix_vector(__global const float *restrict matrix, __global const float *restrict vector,
                   __global float *restrict result, int columns) {
    const int first = get_group_id(0) * 8;
#ifdef SUB_GROUPS
    for (int row = get_sub_group_id(); row < 8; row += get_num_sub_groups()) {
        float sum = 0.0f;
        for (int i = get_sub_group_local_id(); i < columns; i += get_sub_group_size())
            sum += matrix[(first + row) * columns + i] * vector[i];
        sum = sub_group_reduce_add(sum);
        if (get_sub_group_local_id() == 0)
            result[first + row] = sum;
    }
#else
    __local float part[8][32];
    const int row = get_local_id(0) / 32, lane = get_local_id(0) % 32;
    float sum = 0.0f;
    for (int i = lane; i < columns; i += 32)
        sum += matrix[(first + row) * columns + i] * vector[i];
    part[row][lane] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_of_them = 16; half_of_them > 0; half_of_them /= 2) {
        if (lane < half_of_them)
            part[row][lane] += part[row][lane + half_of_them];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lane == 0)
        result[first + row] = part[row][0];
#endif
}

// C = A times B of signed bytes, n by n: four of a row of A are a word, and four of a column of B. 64 by 64 to a work-group, four by
// four to a work-item.
__kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void bytes_product(int n, __global const uint *restrict a, __global const uint *restrict b, __global int *restrict c) {
    __local uint as[16][64 + 1], bs[16][64 + 1];
    const int x = get_local_id(0), y = get_local_id(1), id = y * 16 + x;
    const int column = get_group_id(0) * 64, row = get_group_id(1) * 64, words = n / 4;
    int sums[4][4];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            sums[i][j] = 0;
    for (int slice = 0; slice < words; slice += 16) {
        for (int i = id; i < 16 * 64; i += 256) {
            as[i % 16][i / 16] = a[(row + i / 16) * words + slice + i % 16];
            bs[i / 64][i % 64] = b[(slice + i / 64) * n + column + i % 64];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 16; k++) {
            uint left[4], right[4];
            for (int i = 0; i < 4; i++) {
                left[i] = as[k][y + 16 * i];
                right[i] = bs[k][x + 16 * i];
            }
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    sums[i][j] += DOT(left[i], right[j]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            c[(row + y + 16 * i) * n + column + x + 16 * j] = sums[i][j];
}
