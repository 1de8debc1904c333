// What the runtime's measurements launch. The work is small and its result depends on the order of the launches.

// One turn of a value that every launch depends on.
__kernel void advance(__global uint *p, uint value) {
    p[0] = p[0] * 1664525u + value;
}

// Does nothing but say that it was here.
__kernel void stamp(__global uint *p, uint value) {
    p[get_global_id(0)] = value;
}

// A word in each page of 4 KiB.
__kernel void touch(__global uint *pages, uint seed) {
    size_t i = get_global_id(0);
    pages[i * 1024] = seed ^ (uint)i;
}

// Sums of the pages' words.
__kernel void gather(__global const uint *pages, uint count, __global uint *sums) {
    uint sum = 0;
    for (uint i = get_global_id(0); i < count; i += get_global_size(0))
        sum += pages[(size_t)i * 1024];
    sums[get_global_id(0)] = sum;
}

#define S x ^= x << 13; x ^= x >> 17; x ^= x << 5;
#define S4 S S S S
#define S16 S4 S4 S4 S4

// Keeps a work-item busy for as long as it is told: 64 steps of a generator in each turn, each of which needs the one before.
__kernel void spin(__global uint *out, uint turns) {
    uint x = get_global_id(0) + 1;
    for (uint i = 0; i < turns; i++) {
        S16 S16 S16 S16
    }
    out[get_global_id(0)] = x;
}
