#version 450
// As tests/kernels/transpose.cl: by tiles of 16 by 16 in shared memory.
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0, std430) readonly buffer In { float data[]; };
layout(binding = 1, std430) writeonly buffer Out { float result[]; };
layout(push_constant) uniform Block { uint n; };
shared float tile[16][17];

void main() {
    uvec2 group = gl_WorkGroupID.xy * 16, item = gl_LocalInvocationID.xy;
    tile[item.y][item.x] = data[(group.y + item.y) * n + group.x + item.x];
    barrier();
    result[(group.x + item.y) * n + group.y + item.x] = tile[item.x][item.y];
}
