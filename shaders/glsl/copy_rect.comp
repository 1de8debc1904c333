#version 450
// Copies a box of bytes between buffers (or disjoint parts of one), any alignment, any pitches.
// One invocation per 32-bit word that a row of the destination touches; words that are shared with
// other bytes are updated by atomics, since the next row may own the rest.
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;

layout(set = 0, binding = 0, std430) buffer Destination { uint destination[]; };
layout(set = 0, binding = 1, std430) readonly buffer Source { uint source[]; };

layout(push_constant) uniform Block {
    uint dst_first;       // offset of the box's first byte in the destination
    uint dst_row_pitch;
    uint dst_slice_pitch;
    uint src_first;       // and in the source
    uint src_row_pitch;
    uint src_slice_pitch;
    uint width;           // bytes of a row
    uint height;          // rows of a slice
    uint depth;           // slices
    uint row_words;       // invocations per row: enough words for any alignment of the row
    uint group_base;      // first work-group of this dispatch
};

uint source_byte(uint at) {
    return (source[at >> 2] >> ((at & 3u) * 8u)) & 0xffu;
}

void main() {
    uint item = (gl_WorkGroupID.x + group_base) * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
    uint row_index = item / row_words;
    uint slice = row_index / height;
    uint row = row_index % height;
    if (slice >= depth) {
        return;
    }
    uint dst_row = dst_first + slice * dst_slice_pitch + row * dst_row_pitch;
    uint src_row = src_first + slice * src_slice_pitch + row * src_row_pitch;
    uint word = (dst_row >> 2) + item % row_words;
    uint value = 0u;
    uint mask = 0u;
    for (uint b = 0u; b < 4u; b++) {
        uint at = word * 4u + b;
        if (at >= dst_row && at < dst_row + width) {
            value |= source_byte(src_row + (at - dst_row)) << (b * 8u);
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
