// Sparse matrix (CSR) times vector.
__kernel void spmv(__global const uint *row_start, __global const uint *column, __global const float *value,
                   __global const float *x, __global float *y, uint rows) {
    for (uint row = get_global_id(0); row < rows; row += get_global_size(0)) {
        float sum = 0;
        for (uint k = row_start[row]; k < row_start[row + 1]; ++k)
            sum = mad(value[k], x[column[k]], sum);
        y[row] = sum;
    }
}
