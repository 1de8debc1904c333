#version 450
#extension GL_EXT_buffer_reference : require
// Writes the launch's geometry, with the argument block behind an address; follows a relocated pointer.
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint at[]; };
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Table { uint tag; uint pad; Words globals; };
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Block {
    Words result; Table constants; uint offset[3]; uint size[3]; uint groups[3]; uint base[3]; uint dims;
};
layout(push_constant) uniform Push { Block block; };
void main() {
    uvec3 group = gl_WorkGroupID + uvec3(block.base[0], block.base[1], block.base[2]);
    uvec3 id = group * gl_WorkGroupSize + gl_LocalInvocationID;
    uint i = (id.z * block.size[1] + id.y) * block.size[0] + id.x;
    block.result.at[i] = id.x + block.offset[0] + 100 * (id.y + block.offset[1]) + 10000 * (id.z + block.offset[2]);
    if (i == 0) {
        uint n = block.size[0] * block.size[1] * block.size[2];
        block.result.at[n] = block.groups[0] * 100 + block.groups[1] * 10 + block.groups[2];
        block.result.at[n + 1] = block.dims;
        block.result.at[n + 2] = block.constants.tag;
        block.result.at[n + 3] = block.constants.globals.at[1];
        block.constants.globals.at[1] += 1;
    }
}
