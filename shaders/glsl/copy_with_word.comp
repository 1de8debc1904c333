#version 450
#extension GL_EXT_buffer_reference : require
// Copies 16-byte units between places in memory that do not overlap, as copy_wide does, and writes a word when all of them are copied:
// each work-group counts itself when its stores are behind it, and the last one writes. Work-groups of 512 and more take 8 units an
// invocation, smaller ones 4.
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;

layout(buffer_reference, std430, buffer_reference_align = 16) writeonly buffer Destination { uvec4 units[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Source { uvec4 units[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) coherent buffer Counter { uint groups; };
layout(buffer_reference, std430, buffer_reference_align = 4) writeonly volatile buffer Told { uint word; };

layout(push_constant) uniform Block {
    Destination destination;
    Source source;
    Counter counter; // work-groups that are done; 0 before and after
    Told told;       // becomes 1
    uint count;      // number of units
    uint groups;     // number of work-groups; 0: nothing is told, and counter and told are nothing
};

void main() {
    uint step = gl_WorkGroupSize.x;
    uint each = step >= 512u ? 8u : 4u;
    uint at = gl_WorkGroupID.x * step * each + gl_LocalInvocationID.x;
    if (at + (each - 1u) * step < count) {
        uvec4 a = source.units[at];
        uvec4 b = source.units[at + step];
        uvec4 c = source.units[at + 2u * step];
        uvec4 d = source.units[at + 3u * step];
        if (each == 8u) {
            uint far = at + 4u * step;
            uvec4 e = source.units[far];
            uvec4 f = source.units[far + step];
            uvec4 g = source.units[far + 2u * step];
            uvec4 h = source.units[far + 3u * step];
            destination.units[far] = e;
            destination.units[far + step] = f;
            destination.units[far + 2u * step] = g;
            destination.units[far + 3u * step] = h;
        }
        destination.units[at] = a;
        destination.units[at + step] = b;
        destination.units[at + 2u * step] = c;
        destination.units[at + 3u * step] = d;
    } else {
        for (uint i = 0u; i < each && at < count; i++, at += step) {
            destination.units[at] = source.units[at];
        }
    }
    if (groups == 0u) {
        return;
    }
    memoryBarrierBuffer();
    barrier();
    if (gl_LocalInvocationID.x == 0u) {
        memoryBarrierBuffer();
        if (atomicAdd(counter.groups, 1u) + 1u == groups) {
            counter.groups = 0u;
            memoryBarrierBuffer();
            told.word = 1u;
        }
    }
}
