#version 450
// y[i] = a * x[i] + y[i], by descriptors.
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(set = 0, binding = 0, std430) readonly buffer X { float x[]; };
layout(set = 0, binding = 1, std430) buffer Y { float y[]; };
layout(push_constant) uniform Block { float a; uint offset; uint base; };
void main() {
    uint i = offset + (base + gl_WorkGroupID.x) * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
    y[i] = a * x[i] + y[i];
}
