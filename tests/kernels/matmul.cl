// Tiled matrix multiply: C = A × B, square, n a multiple of the tile.
#define TS 8
__kernel void matmul(int n, __global const float *A, __global const float *B, __global float *C) {
    const int row = get_local_id(1), col = get_local_id(0);
    const int grow = TS * get_group_id(1) + row, gcol = TS * get_group_id(0) + col;
    __local float As[TS][TS], Bs[TS][TS];
    float acc = 0.0f;
    for (int t = 0; t < n / TS; t++) {
        As[row][col] = A[grow * n + TS * t + col];
        Bs[row][col] = B[(TS * t + row) * n + gcol];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TS; k++)
            acc += As[row][k] * Bs[k][col];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    C[grow * n + gcol] = acc;
}
