#version 450
// As tests/kernels/reduce.cl: a tree in shared memory, one sum for each work-group.
layout(local_size_x = 256) in;
layout(binding = 0, std430) readonly buffer In { int data[]; };
layout(binding = 1, std430) writeonly buffer Out { int sums[]; };
shared int scratch[256];

void main() {
    uint item = gl_LocalInvocationID.x;
    scratch[item] = data[gl_GlobalInvocationID.x];
    barrier();
    for (uint stride = 128; stride > 0; stride >>= 1) {
        if (item < stride)
            scratch[item] += scratch[item + stride];
        barrier();
    }
    if (item == 0)
        sums[gl_WorkGroupID.x] = scratch[0];
}
