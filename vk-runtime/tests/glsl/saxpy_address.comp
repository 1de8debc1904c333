#version 450
#extension GL_EXT_buffer_reference : require
// y[i] = a * x[i] + y[i], by addresses.
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Floats { float at[]; };
layout(push_constant) uniform Block { Floats x; Floats y; float a; uint offset; uint base; };
void main() {
    uint i = offset + (base + gl_WorkGroupID.x) * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
    y.at[i] = a * x.at[i] + y.at[i];
}
