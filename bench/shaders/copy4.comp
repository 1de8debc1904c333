#version 450
layout(local_size_x = 64) in;
layout(binding = 0, std430) readonly buffer A { vec4 a[]; };
layout(binding = 1, std430) writeonly buffer C { vec4 c[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    c[i] = a[i];
}
