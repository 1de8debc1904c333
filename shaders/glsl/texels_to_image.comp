#version 450
// Copies rows of texels of 1, 2, 4, 8 or 16 bytes from a buffer to a box of a two-dimensional image, which is seen as one of
// unsigned integers of their size. One invocation per texel.
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;

layout(set = 0, binding = 0) uniform writeonly uimage2D image;
layout(set = 0, binding = 1, std430) buffer Source { uint source[]; };

layout(push_constant) uniform Block {
    uint first;           // offset of the first texel in the buffer, a multiple of its size
    uint row_pitch;       // the same
    uint x;               // the box's place
    uint y;
    uint width;           // and size
    uint height;
    uint texel;           // bytes
};

void main() {
    uvec2 item = gl_GlobalInvocationID.xy;
    if (item.x >= width || item.y >= height) {
        return;
    }
    uint at = first + item.y * row_pitch + item.x * texel;
    uint word = at >> 2;
    uvec4 value = uvec4(source[word], 0u, 0u, 0u);
    if (texel < 4u) {
        value.x = bitfieldExtract(value.x, int((at & 3u) * 8u), int(texel * 8u));
    } else if (texel == 8u) {
        uint high = source[word + 1u];
        value = uvec4(value.x & 0xffffu, value.x >> 16, high & 0xffffu, high >> 16);
    } else if (texel == 16u) {
        value.yzw = uvec3(source[word + 1u], source[word + 2u], source[word + 3u]);
    }
    imageStore(image, ivec2(item + uvec2(x, y)), value);
}
