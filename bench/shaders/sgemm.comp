#version 450
// As bench/kernels/sgemm.cl: tiles of 64 by 64, slices of 16 in shared memory, 4 by 4 numbers an invocation.
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0, std430) readonly buffer A { float a[]; };
layout(binding = 1, std430) readonly buffer B { float b[]; };
layout(binding = 2, std430) writeonly buffer C { float c[]; };
layout(push_constant) uniform Block { uint n; };
shared float as[16][65];
shared float bs[16][64];

void main() {
    uint tx = gl_LocalInvocationID.x, ty = gl_LocalInvocationID.y, item = ty * 16 + tx;
    uint row = gl_WorkGroupID.y * 64, column = gl_WorkGroupID.x * 64;
    // Four columns of the item's four rows.
    vec4 sum0 = vec4(0), sum1 = vec4(0), sum2 = vec4(0), sum3 = vec4(0);
    for (uint k = 0; k < n; k += 16) {
        for (uint s = 0; s < 4; s++) {
            uint e = item + s * 256;
            as[e % 16][e / 16] = a[(row + e / 16) * n + k + e % 16];
            bs[e / 64][e % 64] = b[(k + e / 64) * n + column + e % 64];
        }
        barrier();
        for (uint l = 0; l < 16; l++) {
            vec4 y = vec4(bs[l][tx], bs[l][tx + 16], bs[l][tx + 32], bs[l][tx + 48]);
            sum0 += as[l][ty] * y;
            sum1 += as[l][ty + 16] * y;
            sum2 += as[l][ty + 32] * y;
            sum3 += as[l][ty + 48] * y;
        }
        barrier();
    }
    for (uint j = 0; j < 4; j++) {
        uint at = (row + ty) * n + column + tx + 16 * j;
        c[at] = sum0[j];
        c[at + 16 * n] = sum1[j];
        c[at + 32 * n] = sum2[j];
        c[at + 48 * n] = sum3[j];
    }
}
