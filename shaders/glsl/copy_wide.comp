#version 450
// Copies 16-byte units between buffers, or between parts of one that do not overlap.
// Each invocation copies four units, a work-group's size apart, so that a work-group's accesses are contiguous.
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;

layout(set = 0, binding = 0, std430) writeonly buffer Destination { uvec4 destination[]; };
layout(set = 0, binding = 1, std430) readonly buffer Source { uvec4 source[]; };

layout(push_constant) uniform Block {
    uint dst_first;  // first unit of the destination
    uint src_first;  // and of the source
    uint count;      // number of units
    uint group_base; // first work-group of this dispatch
};

void main() {
    uint step = gl_WorkGroupSize.x;
    uint at = (gl_WorkGroupID.x + group_base) * step * 4u + gl_LocalInvocationID.x;
    if (at + 3u * step < count) {
        uvec4 a = source[src_first + at];
        uvec4 b = source[src_first + at + step];
        uvec4 c = source[src_first + at + 2u * step];
        uvec4 d = source[src_first + at + 3u * step];
        destination[dst_first + at] = a;
        destination[dst_first + at + step] = b;
        destination[dst_first + at + 2u * step] = c;
        destination[dst_first + at + 3u * step] = d;
        return;
    }
    for (; at < count; at += step) {
        destination[dst_first + at] = source[src_first + at];
    }
}
