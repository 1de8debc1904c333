#version 450
#extension GL_EXT_buffer_reference : require
// Counts its work-groups: those that a device has room for, and executes.
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;

layout(buffer_reference, std430, buffer_reference_align = 4) coherent buffer Counter { uint groups; };

layout(push_constant) uniform Block {
    Counter counter;
};

void main() {
    if (gl_LocalInvocationIndex == 0u) {
        atomicAdd(counter.groups, 1u);
    }
}
