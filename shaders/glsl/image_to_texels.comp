#version 450
// Copies a box of a two-dimensional image, which is seen as one of unsigned integers of its texels' size, to rows of texels of 4, 8 or 16
// bytes in a buffer. One invocation per texel. Three variables share the descriptor, one for each size.
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;

layout(set = 0, binding = 0, r32ui) uniform readonly uimage2D image4;
layout(set = 0, binding = 0, rgba16ui) uniform readonly uimage2D image8;
layout(set = 0, binding = 0, rgba32ui) uniform readonly uimage2D image16;
layout(set = 0, binding = 1, std430) buffer Destination { uint destination[]; };

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
    ivec2 place = ivec2(item + uvec2(x, y));
    uint word = (first + item.y * row_pitch + item.x * texel) >> 2;
    if (texel == 4u) {
        destination[word] = imageLoad(image4, place).x;
    } else if (texel == 8u) {
        uvec4 value = imageLoad(image8, place);
        destination[word] = value.x | value.y << 16;
        destination[word + 1u] = value.z | value.w << 16;
    } else {
        uvec4 value = imageLoad(image16, place);
        destination[word] = value.x;
        destination[word + 1u] = value.y;
        destination[word + 2u] = value.z;
        destination[word + 3u] = value.w;
    }
}
