#version 450
// out[i] = own id + right neighbour's id in the work-group, through local memory sized by a constant.
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(constant_id = 3) const uint count = 1;
shared uint exchange[count];
layout(set = 0, binding = 0, std430) writeonly buffer Out { uint result[]; };
layout(set = 0, binding = 1, std430) readonly buffer Block { uint base; };
void main() {
    uint l = gl_LocalInvocationID.x;
    uint i = (base + gl_WorkGroupID.x) * gl_WorkGroupSize.x + l;
    exchange[l] = i;
    barrier();
    result[i] = exchange[l] + exchange[(l + 1) % gl_WorkGroupSize.x];
}
