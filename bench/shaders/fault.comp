#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require

// One fault, by its number: a read, a write, an atomic with a result at an address; a read of shared memory far outside; an endless loop;
// a count of the work-groups that ran; some time of work; else none. All work-groups or one of them have it.
layout(local_size_x_id = 0) in;
layout(buffer_reference, buffer_reference_align = 4, std430) buffer Word { volatile uint v; };
layout(push_constant) uniform Push { uint64_t at; uint64_t result; uint kind; uint number; uint only; };
shared uint words[256];

void main() {
    Word word = Word(at), result = Word(result);
    uint x = gl_LocalInvocationIndex;
    if (only != ~0u && gl_WorkGroupID.x != only)
        return;
    switch (kind) {
    case 0: result.v = word.v; break;
    case 1: word.v = 5; break;
    case 2: result.v = atomicAdd(word.v, 1); break;
    case 3: words[x % 256] = 1; barrier(); result.v = words[number + x]; break;
    case 4: while (result.v == 0) { } break;
    case 5: if (x == 0) atomicAdd(result.v, 1); break;
    case 6: for (uint i = 0; i < number; i++) x = x * 1664525u + 1013904223u + i; if (x == 7) result.v = x; break;
    default: result.v = 99; break;
    }
}
