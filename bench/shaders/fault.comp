#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require

// One fault, by its number: a read, a write, an atomic with a result at an address; a read of shared memory far outside; an endless loop; else none.
layout(local_size_x = 32) in;
layout(buffer_reference, buffer_reference_align = 4, std430) buffer Word { volatile uint v; };
layout(push_constant) uniform Push { uint64_t at; uint64_t result; uint kind; uint beyond; };
shared uint words[256];

void main() {
    Word word = Word(at), result = Word(result);
    switch (kind) {
    case 0: result.v = word.v; break;
    case 1: word.v = 5; break;
    case 2: result.v = atomicAdd(word.v, 1); break;
    case 3: words[gl_LocalInvocationIndex] = 1; barrier(); result.v = words[beyond + gl_LocalInvocationIndex]; break;
    case 4: while (result.v == 0) { } break;
    default: result.v = 99; break;
    }
}
