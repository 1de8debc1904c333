// Conway's Game of Life on a torus. A cell is a byte: WebGPU stores words, and Pumice stores bytes as parts of them.
kernel void generation(global const uchar *now, global uchar *next) {
    int w = get_global_size(0), h = get_global_size(1);
    int x = get_global_id(0), y = get_global_id(1);
    int alive = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx || dy)
                alive += now[(y + dy + h) % h * w + (x + dx + w) % w];
    next[y * w + x] = alive == 3 || (now[y * w + x] && alive == 2);
}

kernel void develop(global const uchar *now, global uchar4 *picture) {
    uint i = get_global_id(1) * get_global_size(0) + get_global_id(0);
    picture[i] = now[i] ? (uchar4)(250, 220, 90, 255) : (uchar4)(18, 22, 34, 255);
}
