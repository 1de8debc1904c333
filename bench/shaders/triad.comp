#version 450
layout(local_size_x = 256) in;
layout(binding = 0, std430) readonly buffer B { float b[]; };
layout(binding = 1, std430) readonly buffer C { float c[]; };
layout(binding = 2, std430) writeonly buffer A { float a[]; };
layout(push_constant) uniform Block { float q; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    a[i] = b[i] + q * c[i];
}
