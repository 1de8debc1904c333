// Iteration counts of the Mandelbrot set, with a break out of the loop. At the border every rounding counts: no
// contraction.
#pragma OPENCL FP_CONTRACT OFF
__kernel void mandelbrot(__global uint *out, float x0, float y0, float step, uint limit) {
    uint px = get_global_id(0), py = get_global_id(1);
    float cx = x0 + step * px, cy = y0 + step * py, x = 0, y = 0;
    uint n = 0;
    while (true) {
        float xx = x * x, yy = y * y;
        if (xx + yy > 4.0f || n >= limit)
            break;
        y = 2 * x * y + cy;
        x = xx - yy + cx;
        n++;
    }
    out[py * get_global_size(0) + px] = n;
}
