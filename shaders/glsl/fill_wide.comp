#version 450
// Fills 16-byte units with a repeating pattern of 1, 2, 4 or 8 units.
// Each invocation fills four units, a work-group's size apart: a multiple of 8, so that they are the same.
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;

layout(set = 0, binding = 0, std430) writeonly buffer Destination { uvec4 destination[]; };
layout(set = 0, binding = 1, std430) readonly buffer Pattern { uvec4 pattern[]; };

layout(push_constant) uniform Block {
    uint first;        // first unit to fill
    uint pattern_mask; // units of the pattern, less one
    uint count;        // number of units
    uint group_base;   // first work-group of this dispatch
};

void main() {
    uint step = gl_WorkGroupSize.x;
    uint at = (gl_WorkGroupID.x + group_base) * step * 4u + gl_LocalInvocationID.x;
    uvec4 value = pattern[at & pattern_mask];
    if (at + 3u * step < count) {
        destination[first + at] = value;
        destination[first + at + step] = value;
        destination[first + at + 2u * step] = value;
        destination[first + at + 3u * step] = value;
        return;
    }
    for (; at < count; at += step) {
        destination[first + at] = value;
    }
}
