// Kernels of numerical libraries, each from its published algorithm.

// Philox 4x32-10 (Salmon and others, 2011) and Box-Muller: four normal numbers in each turn.
__kernel void philox_normal(__global float4 *out, uint seed, uint turns) {
    const uint id = get_global_id(0), stride = get_global_size(0);
    for (uint turn = 0; turn < turns; turn++) {
        uint4 c = (uint4)(id, turn, 0, 0);
        uint2 key = (uint2)(seed, 0xcafef00du);
        for (uint round = 0; round < 10; round++) {
            const uint high0 = mul_hi(0xd2511f53u, c.x), low0 = 0xd2511f53u * c.x;
            const uint high1 = mul_hi(0xcd9e8d57u, c.z), low1 = 0xcd9e8d57u * c.z;
            c = (uint4)(high1 ^ c.y ^ key.x, low1, high0 ^ c.w ^ key.y, low0);
            key += (uint2)(0x9e3779b9u, 0xbb67ae85u);
        }
        const float scale = 1.0f / 4294967296.0f;
        const float2 radius = sqrt(-2.0f * log((float2)((c.x >> 8) + 1, (c.z >> 8) + 1) * (1.0f / 16777216.0f)));
        const float2 angle = 6.2831853071795865f * scale * (float2)(c.y, c.w);
        out[turn * stride + id] = (float4)(radius.x * cos(angle.x), radius.x * sin(angle.x), radius.y * cos(angle.y),
                                           radius.y * sin(angle.y));
    }
}

__kernel void exp_sin_sqrt(__global const float *x, __global float *y) {
    const size_t i = get_global_id(0);
    y[i] = exp(x[i]) * sin(x[i]) * sqrt(x[i]);
}

// Sums over a stride that the launch decides, the number of its work-items: so reductions of libraries begin.
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void strided_sums(__global const uint *restrict in, __global uint *restrict sums, uint n) {
    uint sum = 0;
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        sum += in[i];
    sums[get_global_id(0)] = sum;
}

// One work-group for all: a line search's inner products end so.
__kernel __attribute__((reqd_work_group_size(1024, 1, 1)))
void dot_of_one_group(__global const float *restrict a, __global const float *restrict b, __global float *restrict result,
                      uint n) {
    __local float sums[1024];
    const uint lid = get_local_id(0);
    float sum = 0.0f;
    for (uint i = lid; i < n; i += 1024)
        sum += a[i] * b[i];
    sums[lid] = sum;
    for (uint half_of = 512; half_of > 0; half_of /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < half_of)
            sums[lid] += sums[lid + half_of];
    }
    if (lid == 0)
        result[0] = sums[0];
}

// The maximum's place and value, by one work-group.
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void largest_of_one_group(__global const float *restrict a, __global uint *restrict where, uint n) {
    __local float values[256];
    __local uint places[256];
    const uint lid = get_local_id(0);
    float value = -1.0f;
    uint place = 0;
    for (uint i = lid; i < n; i += 256)
        if (fabs(a[i]) > value) {
            value = fabs(a[i]);
            place = i;
        }
    values[lid] = value;
    places[lid] = place;
    for (uint half_of = 128; half_of > 0; half_of >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < half_of && (values[lid + half_of] > values[lid] ||
                              (values[lid + half_of] == values[lid] && places[lid + half_of] < places[lid]))) {
            values[lid] = values[lid + half_of];
            places[lid] = places[lid + half_of];
        }
    }
    if (lid == 0)
        where[0] = places[0];
}

inline float2 times(float2 a, float2 b) {
    return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

inline void fft2(float2 *a, float2 *b) {
    const float2 sum = *a + *b;
    *b = *a - *b;
    *a = sum;
}

// Eight points: the result in the order 0 4 2 6 1 5 3 7.
inline void fft8(float2 *v) {
    for (int i = 0; i < 4; i++)
        fft2(&v[i], &v[i + 4]);
    v[5] = times(v[5], (float2)(M_SQRT1_2_F, -M_SQRT1_2_F));
    v[6] = (float2)(v[6].y, -v[6].x);
    v[7] = times(v[7], (float2)(-M_SQRT1_2_F, -M_SQRT1_2_F));
    for (int half_at = 0; half_at < 8; half_at += 4) {
        fft2(&v[half_at], &v[half_at + 2]);
        fft2(&v[half_at + 1], &v[half_at + 3]);
        v[half_at + 3] = (float2)(v[half_at + 3].y, -v[half_at + 3].x);
        fft2(&v[half_at], &v[half_at + 1]);
        fft2(&v[half_at + 2], &v[half_at + 3]);
    }
}

constant int BACKWARDS[8] = {0, 4, 2, 6, 1, 5, 3, 7};

inline void twiddle(float2 *v, uint k, uint n) {
    for (int i = 1; i < 8; i++) {
        const float angle = -6.2831853071795865f * (BACKWARDS[i] * (float)k / n);
        v[i] = times(v[i], (float2)(cos(angle), sin(angle)));
    }
}

// 512 points by 64 work-items with eight each: three radix-8 steps (Cooley and Tukey, 1965; Stockham's order), which exchange
// through local memory, one component after the other.
inline void exchange(float2 *v, __local float *work, uint to, uint to_step, uint from, uint from_step) {
    for (int part = 0; part < 2; part++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < 8; i++)
            work[to + BACKWARDS[i] * to_step] = part ? v[i].y : v[i].x;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < 8; i++)
            if (part)
                v[i].y = work[from + i * from_step];
            else
                v[i].x = work[from + i * from_step];
    }
}

__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void fft_512(__global const float2 *restrict in, __global float2 *restrict out) {
    __local float work[8 * 8 * 9];
    const uint lid = get_local_id(0), high = lid / 8, low = lid % 8;
    in += get_group_id(0) * 512;
    out += get_group_id(0) * 512;
    float2 v[8];
    for (int i = 0; i < 8; i++)
        v[i] = in[i * 64 + lid];
    fft8(v);
    twiddle(v, lid, 512);
    exchange(v, work, high * 9 + low, 72, high * 72 + low, 9);
    fft8(v);
    twiddle(v, low, 64);
    exchange(v, work, high * 72 + low, 9, high * 72 + low * 9, 1);
    fft8(v);
    for (int i = 0; i < 8; i++)
        out[BACKWARDS[i] * 64 + low * 8 + high] = v[i];
}

// Rows of a sparse matrix (CSR), 32 work-items each (Bell and Garland, 2009).
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void spmv_rows(__global const uint *restrict begins, __global const uint *restrict columns, __global const float *restrict values,
               __global const float *restrict x, __global float *restrict y, uint rows) {
    __local float sums[256];
    const uint lid = get_local_id(0), lane = lid % 32, row = get_global_id(0) / 32;
    float sum = 0.0f;
    if (row < rows)
        for (uint at = begins[row] + lane; at < begins[row + 1]; at += 32)
            sum += values[at] * x[columns[at]];
    sums[lid] = sum;
    for (uint distance = 16; distance > 0; distance /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < distance)
            sums[lid] += sums[lid + distance];
    }
    if (lane == 0 && row < rows)
        y[row] = sums[lid];
}

// Seven points in three dimensions, each work-item a column.
__kernel void stencil_7(__global const float *restrict in, __global float *restrict out, int nx, int ny, int nz) {
    const int x = get_global_id(0), y = get_global_id(1);
    if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1)
        return;
    const int layer = nx * ny;
    int at = layer + y * nx + x;
    float below = in[at - layer], here = in[at];
    for (int z = 1; z < nz - 1; z++, at += layer) {
        const float above = in[at + layer];
        out[at] = 0.4f * here + 0.1f * (below + above + in[at - 1] + in[at + 1] + in[at - nx] + in[at + nx]);
        below = here;
        here = above;
    }
}

// Five by five points of a tile in local memory.
__kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void stencil_25(__global const float *restrict in, __global float *restrict out, __constant float *weights, int n) {
    __local float tile[20][20];
    const int x = get_local_id(0), y = get_local_id(1);
    const int left = get_group_id(0) * 16 - 2, top = get_group_id(1) * 16 - 2;
    for (int at = y * 16 + x; at < 400; at += 256)
        tile[at / 20][at % 20] = in[clamp(top + at / 20, 0, n - 1) * n + clamp(left + at % 20, 0, n - 1)];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f;
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++)
            sum += weights[i * 5 + j] * tile[y + i][x + j];
    out[get_global_id(1) * n + get_global_id(0)] = sum;
}

#ifdef cl_khr_fp64
// C = A times B in double: 64 by 64 to a work-group of 256, four by four to a work-item.
__kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void dgemm(int n, __global const double *restrict a, __global const double *restrict b, __global double *restrict c) {
    __local double as[16][64 + 1], bs[16][64 + 1];
    const int x = get_local_id(0), y = get_local_id(1), id = y * 16 + x;
    const int column = get_group_id(0) * 64, row = get_group_id(1) * 64;
    double sums[4][4];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            sums[i][j] = 0.0;
    for (int slice = 0; slice < n; slice += 16) {
        for (int i = id; i < 16 * 64; i += 256) {
            as[i % 16][i / 16] = a[(row + i / 16) * n + slice + i % 16];
            bs[i / 64][i % 64] = b[(slice + i / 64) * n + column + i % 64];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 16; k++) {
            double left[4], right[4];
            for (int i = 0; i < 4; i++) {
                left[i] = as[k][y + 16 * i];
                right[i] = bs[k][x + 16 * i];
            }
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    sums[i][j] += left[i] * right[j];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            c[(row + y + 16 * i) * n + column + x + 16 * j] = sums[i][j];
}
#endif
