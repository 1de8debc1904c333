#version 450
// A pattern of 16 bytes.
layout(local_size_x = 256) in;
layout(binding = 0, std430) writeonly buffer Out { uvec4 result[]; };
layout(push_constant) uniform Block { uvec4 pattern; };

void main() {
    result[gl_GlobalInvocationID.x] = pattern;
}
