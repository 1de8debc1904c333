// One generation of Conway's Game of Life on a torus of bytes.
__kernel void life(__global const uchar *now, __global uchar *next) {
    int w = get_global_size(0), h = get_global_size(1);
    int x = get_global_id(0), y = get_global_id(1);
    int alive = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx || dy)
                alive += now[(y + dy + h) % h * w + (x + dx + w) % w];
    uchar self = now[y * w + x];
    next[y * w + x] = alive == 3 || (self && alive == 2) ? 1 : 0;
}
