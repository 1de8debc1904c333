// C = Aᵀ × B, all row-major: A is K by M, B is K by N, C is N by M (each row of it a column of the product). As tuned GEMM
// libraries have it: a work-group's tile is TILE_M by TILE_N, each work-item keeps ITEM_M by ITEM_N of it in private arrays of
// float4, slices of SLICE pass through local memory (LOCAL=1) or come from global memory as they are needed. UNROLL steps along K
// are written out. All sizes are given as macros; the matrices' are multiples of the tiles'.
#define ACROSS (TILE_M / ITEM_M)
#define DOWN (TILE_N / ITEM_N)
#define ITEMS (ACROSS * DOWN)
#define QUADS_M (ITEM_M / 4)
#define QUADS_N (ITEM_N / 4)

inline float4 multiply_add(float4 c, float4 a, float b) {
    c.x += a.x * b;
    c.y += a.y * b;
    c.z += a.z * b;
    c.w += a.w * b;
    return c;
}

inline void clear(float4 *acc) {
#pragma unroll
    for (int i = 0; i < ITEM_N * QUADS_M; i++)
        acc[i] = (float4)(0.0f);
}

inline void multiply(float4 *acc, const float4 *a, const float4 *b) {
#pragma unroll
    for (int j = 0; j < QUADS_N; j++) {
#pragma unroll
        for (int i = 0; i < QUADS_M; i++) {
            acc[(j * 4 + 0) * QUADS_M + i] = multiply_add(acc[(j * 4 + 0) * QUADS_M + i], a[i], b[j].x);
            acc[(j * 4 + 1) * QUADS_M + i] = multiply_add(acc[(j * 4 + 1) * QUADS_M + i], a[i], b[j].y);
            acc[(j * 4 + 2) * QUADS_M + i] = multiply_add(acc[(j * 4 + 2) * QUADS_M + i], a[i], b[j].z);
            acc[(j * 4 + 3) * QUADS_M + i] = multiply_add(acc[(j * 4 + 3) * QUADS_M + i], a[i], b[j].w);
        }
    }
}

#if LOCAL
// The slice's rows, each tile / 4 of a matrix that is `quads` wide, by all work-items, or by the first where they are more.
inline void fetch(__local float4 *to, const __global float4 *from, int quads, int tile, int id) {
#pragma unroll
    for (int i = 0; i * ITEMS < SLICE * tile / 4; i++) {
        const int at = i * ITEMS + id;
        if (SLICE * tile / 4 % ITEMS == 0 || at < SLICE * tile / 4)
            to[at] = from[at / (tile / 4) * quads + at % (tile / 4)];
    }
}
#endif

__kernel __attribute__((reqd_work_group_size(ACROSS, DOWN, 1)))
void gemm_tiles(int m, int n, int k, const __global float4 *restrict A, const __global float4 *restrict B,
                __global float4 *C) {
    const int x = get_local_id(0), y = get_local_id(1);
    const int column = get_group_id(0) * (TILE_M / 4), row = get_group_id(1) * (TILE_N / 4);
    float4 acc[ITEM_N * QUADS_M];
    clear(acc);
#if LOCAL
    __local float4 as[SLICE * TILE_M / 4], bs[SLICE * TILE_N / 4];
    const int id = y * ACROSS + x;
#endif
    for (int slice = 0; slice < k; slice += SLICE) {
#if LOCAL
        fetch(as, A + slice * (m / 4) + column, m / 4, TILE_M, id);
        fetch(bs, B + slice * (n / 4) + row, n / 4, TILE_N, id);
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
        for (int step = 0; step < SLICE; step += UNROLL) {
#pragma unroll
            for (int u = 0; u < UNROLL; u++) {
                float4 a[QUADS_M], b[QUADS_N];
#pragma unroll
                for (int i = 0; i < QUADS_M; i++)
#if LOCAL
                    a[i] = as[(step + u) * (TILE_M / 4) + i * ACROSS + x];
#else
                    a[i] = A[(slice + step + u) * (m / 4) + column + i * ACROSS + x];
#endif
#pragma unroll
                for (int j = 0; j < QUADS_N; j++)
#if LOCAL
                    b[j] = bs[(step + u) * (TILE_N / 4) + j * DOWN + y];
#else
                    b[j] = B[(slice + step + u) * (n / 4) + row + j * DOWN + y];
#endif
                multiply(acc, a, b);
            }
        }
#if LOCAL
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
    }
#pragma unroll
    for (int j = 0; j < QUADS_N; j++)
#pragma unroll
        for (int lane = 0; lane < 4; lane++)
#pragma unroll
            for (int i = 0; i < QUADS_M; i++)
                C[((row + j * DOWN + y) * 4 + lane) * (m / 4) + column + i * ACROSS + x] =
                    acc[(j * 4 + lane) * QUADS_M + i];
}
