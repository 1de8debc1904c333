// What a constant costs: TAPS has every work-item read the same ones, TABLE others. PROGRAM: they are the program's, else an argument's.
#define TAP(i) ((i) * 0x1p-10f)
#define ENTRY(i) ((uint)(i) * 2654435761u ^ 0x9e3779b9u)
#define FOUR(f, i) f(i), f(i + 1), f(i + 2), f(i + 3)
#define SIXTEEN(f, i) FOUR(f, i), FOUR(f, i + 4), FOUR(f, i + 8), FOUR(f, i + 12)
#define SIXTY_FOUR(f, i) SIXTEEN(f, i), SIXTEEN(f, i + 16), SIXTEEN(f, i + 32), SIXTEEN(f, i + 48)
#define ALL(f) { SIXTY_FOUR(f, 0), SIXTY_FOUR(f, 64), SIXTY_FOUR(f, 128), SIXTY_FOUR(f, 192) }

#if PROGRAM
__constant float taps[256] = ALL(TAP);
__constant uint table[256] = ALL(ENTRY);
#define CONSTANT(type, name)
#else
#define CONSTANT(type, name) , __constant type *name
#endif

// A polynomial of a degree that only the launch tells, 16 coefficients a round.
__kernel void polynomial(__global const float *in, __global float *out, uint rounds CONSTANT(float, taps)) {
    const float x = in[get_global_id(0)];
    float sum = 0;
    for (uint i = 0; i < rounds; i++)
        for (uint j = 0; j < 16; j++)
            sum = sum * x + taps[i % 16 * 16 + j];
    out[get_global_id(0)] = sum;
}

// A walk through a table.
__kernel void walk(__global const uint *in, __global uint *out, uint rounds CONSTANT(uint, table)) {
    uint at = in[get_global_id(0)];
    for (uint i = 0; i < rounds; i++)
        at = table[at & 0xff] ^ at >> 8;
    out[get_global_id(0)] = at;
}
