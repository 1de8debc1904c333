// A source that works on buffers may declare samplers and hand them to functions, without an image anywhere.
// no-diagnostics
constant sampler_t at_program_scope = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
const sampler_t another = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;

int pixel(global const int *p, sampler_t sampler, int at) { return p[at]; }
__attribute__((noinline)) int far(global const int *p, const sampler_t sampler, int at) { return pixel(p, sampler, at) + 1; }

// run: --kernel k --global 4 --arg int[4]:range --arg int[4] --print q
// prints: q: 1 3 5 7
kernel void k(global const int *p, global int *q) {
    const sampler_t in_block = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;
    int i = get_global_id(0);
    q[i] = pixel(p, in_block, i) + 0 * pixel(p, at_program_scope, i) + far(p, another, i);
}

// A kernel's parameter, too.
kernel void with_parameter(global int *p, sampler_t s) { p[0] = pixel(p, s, 1); }
