#version 450
// Fills a byte range with a repeating pattern of 1 to 128 bytes.
// One invocation per 32-bit word that the range touches. A word at the range's edge keeps its other
// bytes: its part is cleared and set by atomics, so neighbours may be written at the same time.
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;

layout(set = 0, binding = 0, std430) buffer Destination { uint destination[]; };
layout(set = 0, binding = 1, std430) readonly buffer Pattern { uint pattern[]; };

layout(push_constant) uniform Block {
    uint first;        // first byte to fill, from the start of the bound range
    uint count;        // number of bytes
    uint pattern_size; // bytes of the pattern
    uint phase;        // which byte of the pattern comes first
    uint group_base;   // first work-group of this dispatch
};

uint pattern_byte(uint index) {
    return (pattern[index >> 2] >> ((index & 3u) * 8u)) & 0xffu;
}

void main() {
    uint item = (gl_WorkGroupID.x + group_base) * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
    uint word = (first >> 2) + item;
    uint end = first + count;
    if (word * 4u >= end) {
        return;
    }
    uint value = 0u;
    uint mask = 0u;
    for (uint b = 0u; b < 4u; b++) {
        uint at = word * 4u + b;
        if (at >= first && at < end) {
            value |= pattern_byte((at - first + phase) % pattern_size) << (b * 8u);
            mask |= 0xffu << (b * 8u);
        }
    }
    if (mask == 0xffffffffu) {
        destination[word] = value;
    } else if (mask != 0u) {
        atomicAnd(destination[word], ~mask);
        atomicOr(destination[word], value);
    }
}
