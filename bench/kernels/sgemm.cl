// C = A × B, row-major and square. A work-group of 16 by 16 computes a tile of 64 by 64, each work-item 4 by 4 of it; the tiles
// of A and B pass through local memory in slices of 16.
#define TILE 64
#define SLICE 16
#define ITEM 4
__kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void sgemm(int n, __global const float *A, __global const float *B, __global float *C) {
    __local float as[SLICE][TILE + 1], bs[SLICE][TILE];
    const int tx = get_local_id(0), ty = get_local_id(1), id = ty * 16 + tx;
    const int row = get_group_id(1) * TILE, column = get_group_id(0) * TILE;
    float acc[ITEM][ITEM];
#pragma unroll
    for (int i = 0; i < ITEM; i++)
#pragma unroll
        for (int j = 0; j < ITEM; j++)
            acc[i][j] = 0.0f;
    for (int k = 0; k < n; k += SLICE) {
#pragma unroll
        for (int s = 0; s < 4; s++) {
            int e = id + s * 256;
            as[e % SLICE][e / SLICE] = A[(row + e / SLICE) * n + k + e % SLICE];
            bs[e / TILE][e % TILE] = B[(k + e / TILE) * n + column + e % TILE];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int l = 0; l < SLICE; l++) {
            float a[ITEM], b[ITEM];
#pragma unroll
            for (int i = 0; i < ITEM; i++) {
                a[i] = as[l][ty + 16 * i];
                b[i] = bs[l][tx + 16 * i];
            }
#pragma unroll
            for (int i = 0; i < ITEM; i++)
#pragma unroll
                for (int j = 0; j < ITEM; j++)
                    acc[i][j] += a[i] * b[j];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#pragma unroll
    for (int i = 0; i < ITEM; i++)
#pragma unroll
        for (int j = 0; j < ITEM; j++)
            C[(row + ty + 16 * i) * n + column + tx + 16 * j] = acc[i][j];
}
