// Images: which texel a coordinate means, and what the channels of a texel are (OpenCL C "Image Addressing and Filtering";
// OpenCL API "Image Format Descriptor"). Called by lower/src/passes/language/lower_images; see float.cl for how this is shipped.
//
// `bits` is a sampler as OpenCL C's literals have it: bit 0 normalized coordinates, bits 1 to 3 the addressing mode.
// `format` is a channel order in the low half and a channel type in the high half.

#define CLAMP 2
#define REPEAT 3
#define MIRRORED 4

#define R 0x10B0
#define A 0x10B1
#define RG 0x10B2
#define RA 0x10B3
#define RGB 0x10B4
#define RGBA 0x10B5
#define BGRA 0x10B6
#define ARGB 0x10B7
#define INTENSITY 0x10B8
#define LUMINANCE 0x10B9
#define SRGB 0x10BF
#define SRGBX 0x10C0
#define SRGBA 0x10C1
#define SBGRA 0x10C2
#define ABGR 0x10C3

// Orders whose channels are not in the order of the texel's bytes, or not as they are there, by the low five bits of their values,
// which differ. Programs seldom have them, and all work-items go one way.
#define ORDER(order) (1u << ((order) & 31))
#define MOVED \
    (ORDER(A) | ORDER(RA) | ORDER(BGRA) | ORDER(ARGB) | ORDER(ABGR) | ORDER(SRGB) | ORDER(SRGBX) | ORDER(SRGBA) | ORDER(SBGRA))
#define SPREAD (ORDER(LUMINANCE) | ORDER(INTENSITY))

static bool is_in(uint orders, uint format) { return orders >> (format & 31) & 1; }

// A float as an integer from -1 to n; NaN as -1. The comparisons are before the conversion, which is undefined outside.
static int pumice_within(float u, int n)
{
    return (int)fmin(fmax(u, -1.0f), (float)n);
}

// The texel of a coordinate for a nearest filter: from 0 to n - 1, or for CLAMP -1 or n where it is outside.
int pumice_texel(float c, int n, uint bits)
{
    uint mode = bits >> 1 & 7;
    float size = (float)n;
    bool normalized = bits & 1;
    if (mode >= REPEAT) {
        float s = normalized ? c : c / size;
        if (mode == REPEAT) {
            int i = pumice_within(floor((s - floor(s)) * size), n);
            return max(i > n - 1 ? i - n : i, 0);
        }
        float mirrored = fabs(s - 2.0f * rint(0.5f * s));
        return clamp(pumice_within(floor(mirrored * size), n), 0, n - 1);
    }
    float u = floor(normalized ? c * size : c);
    return mode == CLAMP ? pumice_within(u, n) : (int)fmin(fmax(u, 0.0f), size - 1.0f);
}

// Where a linear filter reads along a coordinate: in texels, from the first one's centre.
static float pumice_from_centre(float c, int n, uint bits)
{
    uint mode = bits >> 1 & 7;
    float size = (float)n;
    bool normalized = bits & 1;
    if (mode >= REPEAT) {
        float s = normalized ? c : c / size;
        s = mode == REPEAT ? s - floor(s) : fabs(s - 2.0f * rint(0.5f * s));
        return s * size - 0.5f;
    }
    return (normalized ? c * size : c) - 0.5f;
}

// The two texels that a linear filter reads along a coordinate: each from 0 to n - 1, or for CLAMP -1 or n where it is outside.
int2 pumice_pair(float c, int n, uint bits)
{
    uint mode = bits >> 1 & 7;
    float low = floor(pumice_from_centre(c, n, bits));
    int2 i = (int2)(pumice_within(low, n), pumice_within(low + 1.0f, n));
    if (mode == CLAMP) {
        return i;
    }
    if (mode == REPEAT) {
        i = (int2)(i.x < 0 ? n - 1 : i.x, i.y > n - 1 ? 0 : i.y);
    }
    return (int2)(clamp(i.x, 0, n - 1), clamp(i.y, 0, n - 1));
}

// How much of the second of the two is taken; none where the coordinate is no place.
float pumice_share(float c, int n, uint bits)
{
    float u = pumice_from_centre(c, n, bits);
    float a = u - floor(u);
    return a >= 0.0f ? a : 0.0f;
}

float4 pumice_blend(float4 a, float4 b, float share)
{
    return (1.0f - share) * a + share * b;
}

// A normalized coordinate as a VkSampler takes it: near the image, where drivers agree on what it means. They differ in what
// they make of those that are far outside, and of NaN.
float pumice_near(float c, uint bits)
{
    uint mode = bits >> 1 & 7;
    if (mode == REPEAT) {
        return c - floor(c);
    }
    if (mode == MIRRORED) {
        return fabs(c - 2.0f * rint(0.5f * c));
    }
    // At the edge it is the same from there on; units saturate without an instruction.
    return mode == CLAMP ? fmin(fmax(c, -1.0f), 2.0f) : fmin(fmax(c, 0.0f), 1.0f);
}

// A level of detail between the bounds that a sampler object has (cl_khr_mipmap_image): in its bits 8 to 19 the least, in 20 to 31 how far
// the greatest is below 4095, both in 256ths.
float pumice_bounded_level(float level, uint bits)
{
    float least = (float)(bits >> 8 & 0xfff) / 256.0f;
    float most = (float)(0xfff - (bits >> 20)) / 256.0f;
    level = level > least ? level : least;
    return level < most ? level : most;
}

// Between which levels a level of detail lies: the lower one, or for a sampler that does not filter between levels the level itself, and how much
// of the next is taken.
float2 pumice_between_levels(float level, uint bits)
{
    // No level is NaN.
    float at = level > 0.0f ? level : 0.0f;
    float low = bits & 0x40 ? floor(at) : at;
    return (float2)(low, at < 4096.0f ? at - low : 0.0f);
}

// The level of detail that gradients of normalized coordinates mean.
float pumice_gradient_level(float4 dx, float4 dy, float4 size)
{
    dx = dx * size;
    dy = dy * size;
    return 0.5f * native_log2(max(dot(dx, dx), dot(dy, dy)));
}

// The layer of an array's coordinate, of n.
int pumice_layer(float c, int n)
{
    return clamp(pumice_within(rint(c), n), 0, n - 1);
}

// The alpha of the border: 1 for some orders that have none.
int pumice_border_alpha(uint format)
{
    uint order = format & 0xffff;
    return order == R || order == RG || order == RGB || order == LUMINANCE || order == SRGB;
}

// Whether the channels are unsigned integers.
int pumice_is_unsigned(uint format)
{
    uint type = format >> 16;
    return type >= 0x10DA && type <= 0x10DC;
}

static float pumice_encode(float c)
{
    c = c > 0.0f ? (c < 1.0f ? c : 1.0f) : 0.0f;
    return c <= 0.0031308f ? 12.92f * c : 1.055f * native_powr(c, 1.0f / 2.4f) - 0.055f;
}

static float pumice_decode(float c)
{
    return c <= 0.04045f ? c / 12.92f : native_powr((c + 0.055f) / 1.055f, 2.4f);
}

static float4 between(float4 c, float low)
{
    // A NaN is the bottom.
    return fmin(fmax(c, (float4)(low)), (float4)(1.0f));
}

static float4 moved_float(float4 c, uint format)
{
    uint order = format & 0xffff;
    if (order >= SRGB && order <= SBGRA) {
        c = (float4)(pumice_encode(c.x), pumice_encode(c.y), pumice_encode(c.z), c.w);
        // Rounded here: of what is halfway between two bytes devices take either (NVIDIA's the lower).
        c = rint(between(c, 0.0f) * 255.0f) / 255.0f;
    }
    switch (order) {
    case A: return c.wyzx;
    case RA: return c.xwzy;
    case SBGRA:
    case BGRA: return c.zyxw;
    case ARGB: return c.wxyz;
    case ABGR: return c.wzyx;
    default: return c;
    }
}

// What is written to a storage image, whose channels are those of the texel's bytes in order.
float4 pumice_pack_float(float4 c, uint format)
{
    return is_in(MOVED, format) ? moved_float(c, format) : c;
}

static int4 moved_int(int4 c, uint format)
{
    switch (format & 0xffff) {
    case A: return c.wyzx;
    case RA: return c.xwzy;
    case BGRA: return c.zyxw;
    case ARGB: return c.wxyz;
    case ABGR: return c.wzyx;
    default: return c;
    }
}

int4 pumice_pack_int(int4 c, uint format)
{
    return is_in(MOVED, format) ? moved_int(c, format) : c;
}

static float4 channels_float(float4 t, uint format)
{
    uint order = format & 0xffff;
    switch (order) {
    case A: return (float4)(0.0f, 0.0f, 0.0f, t.x);
    case RA: return (float4)(t.x, 0.0f, 0.0f, t.y);
    case BGRA: return t.zyxw;
    case ARGB: return t.yzwx;
    case ABGR: return t.wzyx;
    case LUMINANCE: return (float4)(t.x, t.x, t.x, 1.0f);
    case INTENSITY: return t.xxxx;
    case SRGB:
    case SRGBX:
    case SRGBA:
    case SBGRA:
        t = (float4)(pumice_decode(t.x), pumice_decode(t.y), pumice_decode(t.z), t.w);
        return order == SBGRA ? t.zyxw : t;
    default: return t;
    }
}

// What is read from a storage image or a texel buffer.
float4 pumice_unpack_float(float4 t, uint format)
{
    return is_in(MOVED | SPREAD, format) ? channels_float(t, format) : t;
}

static int4 channels_int(int4 t, uint format)
{
    switch (format & 0xffff) {
    case A: return (int4)(0, 0, 0, t.x);
    case RA: return (int4)(t.x, 0, 0, t.y);
    case BGRA: return t.zyxw;
    case ARGB: return t.yzwx;
    case ABGR: return t.wzyx;
    case LUMINANCE: return (int4)(t.x, t.x, t.x, 1);
    case INTENSITY: return t.xxxx;
    default: return t;
    }
}

int4 pumice_unpack_int(int4 t, uint format)
{
    return is_in(MOVED | SPREAD, format) ? channels_int(t, format) : t;
}

// Texels as bits, where a device's storage images say their format: what an image of unsigned integers of the texel's size reads and
// writes, one channel of 8, 16 or 32 bits or four of 16 or 32.

#define SNORM_INT8 0x10D0
#define SNORM_INT16 0x10D1
#define UNORM_INT8 0x10D2
#define UNORM_INT16 0x10D3
#define SIGNED_INT8 0x10D7
#define SIGNED_INT16 0x10D8
#define SIGNED_INT32 0x10D9
#define UNSIGNED_INT8 0x10DA
#define UNSIGNED_INT16 0x10DB
#define UNSIGNED_INT32 0x10DC
#define HALF_FLOAT 0x10DD
#define FLOAT 0x10DE
#define DEPTH 0x10BD

#define ONE_CHANNEL (ORDER(R) | ORDER(A) | ORDER(INTENSITY) | ORDER(LUMINANCE) | ORDER(DEPTH))
#define TWO_CHANNELS (ORDER(RG) | ORDER(RA))
#define BYTES (ORDER(SNORM_INT8) | ORDER(UNORM_INT8) | ORDER(SIGNED_INT8) | ORDER(UNSIGNED_INT8))
#define WORDS (ORDER(SIGNED_INT32) | ORDER(UNSIGNED_INT32) | ORDER(FLOAT))

static int channel_count(uint format)
{
    return is_in(ONE_CHANNEL, format) ? 1 : is_in(TWO_CHANNELS, format) ? 2 : 4;
}

// The bytes of a channel.
static int channel_bytes(uint format)
{
    return is_in(BYTES, format >> 16) ? 1 : is_in(WORDS, format >> 16) ? 4 : 2;
}

int pumice_texel_bytes(uint format)
{
    return channel_count(format) * channel_bytes(format);
}

// The bits of each channel, with what lies above them where there are more channels than these.
static uint4 channels_of_bits(uint4 bits, uint format)
{
    int count = channel_count(format), bytes = channel_bytes(format);
    uint x = bits.x;
    if (bytes == 1) {
        return (uint4)(x, x >> 8, x >> 16, x >> 24) & 0xffu;
    }
    if (bytes == 2) {
        return count == 4 ? bits : (uint4)(x & 0xffff, x >> 16, 0, 0);
    }
    return count == 2 ? (uint4)(x | bits.y << 16, bits.z | bits.w << 16, 0, 0) : bits;
}

// The other way; of channels that there are not, the bits are none.
static uint4 bits_of_channels(uint4 v, uint format)
{
    int count = channel_count(format), bytes = channel_bytes(format);
    v = count == 4 ? v : count == 2 ? (uint4)(v.x, v.y, 0, 0) : (uint4)(v.x, 0, 0, 0);
    if (bytes == 1) {
        return (uint4)(v.x | v.y << 8 | v.z << 16 | v.w << 24, 0, 0, 0);
    }
    if (bytes == 2) {
        return count == 4 ? v : (uint4)(v.x | v.y << 16, 0, 0, 0);
    }
    return count == 2 ? (uint4)(v.x & 0xffff, v.x >> 16, v.y & 0xffff, v.y >> 16) : v;
}

static float half_as_float(uint h)
{
    uint m = (h & 0x7fff) << 13;
    float magnitude;
    if (m >= 0x0f800000) {
        magnitude = as_float(m | 0x7f800000);
    } else if (m >= 0x00800000) {
        magnitude = as_float(m + 0x38000000);
    } else {
        // A denormal: its bits count from the bottom of [2^-14, 2^-13).
        magnitude = as_float(m + 0x38800000) - as_float(0x38800000);
    }
    return as_float(as_uint(magnitude) | (h & 0x8000) << 16);
}

// Rounded to the nearest, halfway to even, or what is too much cut off.
static uint float_as_half(float f, bool cut)
{
    uint u = as_uint(f), sign = u >> 16 & 0x8000;
    u &= 0x7fffffff;
    if (u >= 0x47800000) {
        uint most = cut && u < 0x7f800000 ? 0x7bff : 0x7c00;
        return sign | (u > 0x7f800000 ? 0x7e00 : most);
    }
    if (u < 0x38800000) {
        // A denormal: so many times 2^-24.
        float scaled = as_float(u) * 0x1p24f;
        return sign | (uint)(cut ? scaled : rint(scaled));
    }
    return sign | ((u - 0x38000000 + (cut ? 0 : 0xfff + (u >> 13 & 1))) >> 13);
}

// The format as which texels of one and two bytes lie in memory where the device has no storage images of any so small: with four
// channels, of which the first are the texel's.
uint pumice_wide_format(uint format)
{
    return pumice_texel_bytes(format) < 4 ? (format & 0xffff0000) | RGBA : format;
}

// The channels that a format has, and 0, 0 and 1 for those that it has not.
float4 pumice_float_channels_of(float4 c, uint format)
{
    int count = channel_count(format);
    return count == 4 ? c : count == 2 ? (float4)(c.x, c.y, 0.0f, 1.0f) : (float4)(c.x, 0.0f, 0.0f, 1.0f);
}

int4 pumice_int_channels_of(int4 v, uint format)
{
    int count = channel_count(format);
    return count == 4 ? v : count == 2 ? (int4)(v.x, v.y, 0, 1) : (int4)(v.x, 0, 0, 1);
}

// The channels as a storage image of the format gives them.
float4 pumice_float_of_bits(uint4 bits, uint format)
{
    uint4 v = channels_of_bits(bits, format);
    float4 c;
    switch (format >> 16) {
    case SNORM_INT8: c = fmax(convert_float4(as_int4(v << 24) >> 24) / 127.0f, (float4)(-1.0f)); break;
    case SNORM_INT16: c = fmax(convert_float4(as_int4(v << 16) >> 16) / 32767.0f, (float4)(-1.0f)); break;
    case UNORM_INT8: c = convert_float4(v) / 255.0f; break;
    case UNORM_INT16: c = convert_float4(v) / 65535.0f; break;
    case HALF_FLOAT: c = (float4)(half_as_float(v.x), half_as_float(v.y), half_as_float(v.z), half_as_float(v.w)); break;
    default: c = as_float4(v); break;
    }
    return pumice_float_channels_of(c, format);
}

int4 pumice_int_of_bits(uint4 bits, uint format)
{
    int4 v = as_int4(channels_of_bits(bits, format));
    switch (format >> 16) {
    case SIGNED_INT8: v = v << 24 >> 24; break;
    case SIGNED_INT16: v = v << 16 >> 16; break;
    }
    return pumice_int_channels_of(v, format);
}

// `cut`: whether halves are cut off, as the device's own writes do it; programs may count on one rounding.
uint4 pumice_bits_of_float(float4 c, uint format, uint cut)
{
    uint4 v;
    bool cuts = cut != 0;
    switch (format >> 16) {
    case SNORM_INT8: v = as_uint4(convert_int4(rint(between(c, -1.0f) * 127.0f))) & 0xffu; break;
    case SNORM_INT16: v = as_uint4(convert_int4(rint(between(c, -1.0f) * 32767.0f))) & 0xffffu; break;
    case UNORM_INT8: v = convert_uint4(rint(between(c, 0.0f) * 255.0f)); break;
    case UNORM_INT16: v = convert_uint4(rint(between(c, 0.0f) * 65535.0f)); break;
    case HALF_FLOAT: v = (uint4)(float_as_half(c.x, cuts), float_as_half(c.y, cuts), float_as_half(c.z, cuts), float_as_half(c.w, cuts)); break;
    default: v = as_uint4(c); break;
    }
    return bits_of_channels(v, format);
}

uint4 pumice_bits_of_int(int4 c, uint format)
{
    uint4 v = as_uint4(c);
    switch (format >> 16) {
    case SIGNED_INT8: v = as_uint4(clamp(c, -128, 127)) & 0xffu; break;
    case SIGNED_INT16: v = as_uint4(clamp(c, -32768, 32767)) & 0xffffu; break;
    case UNSIGNED_INT8: v = min(v, 0xffu); break;
    case UNSIGNED_INT16: v = min(v, 0xffffu); break;
    }
    return bits_of_channels(v, format);
}

// Bytes of rows as they lie there (blocks of cl_intel_subgroups).

#define UNORM_SHORT_565 0x10D4
#define UNORM_SHORT_555 0x10D5
#define UNORM_INT_101010 0x10D6
#define UNORM_INT_101010_2 0x10E0

// The logarithm of a texel's bytes.
int pumice_texel_shift(uint format)
{
    uint type = format >> 16;
    if (type == UNORM_SHORT_565 || type == UNORM_SHORT_555) {
        return 1;
    }
    if (type == UNORM_INT_101010 || type == UNORM_INT_101010_2) {
        return 2;
    }
    return (channel_count(format) >> 1) + (channel_bytes(format) >> 1);
}

// Texels in buffers (devices whose images are buffers): those of bits, and those whose channels are parts of one word. Images have formats
// for the latter.

#define PARTS (ORDER(UNORM_SHORT_565) | ORDER(UNORM_SHORT_555) | ORDER(UNORM_INT_101010))

int pumice_buffer_texel_bytes(uint format) { return 1 << pumice_texel_shift(format); }

// The bits of red and blue, and of green, of a format whose channels are parts of a word.
static int2 part_widths(uint format)
{
    uint type = format >> 16;
    int width = type == UNORM_INT_101010 ? 10 : 5;
    return (int2)(width, type == UNORM_SHORT_565 ? 6 : width);
}

float4 pumice_float_of_buffer(uint4 bits, uint format)
{
    if (!is_in(PARTS, format >> 16)) {
        return pumice_float_of_bits(bits, format);
    }
    int2 widths = part_widths(format);
    uint2 most = ((uint2)(1) << as_uint2(widths)) - 1;
    uint x = bits.x;
    uint4 v = (uint4)(x >> (widths.x + widths.y) & most.x, x >> widths.x & most.y, x & most.x, 1);
    return convert_float4(v) / (float4)(convert_float2(most).xyx, 1.0f);
}

uint4 pumice_bits_of_float_in_buffer(float4 c, uint format, uint cut)
{
    if (!is_in(PARTS, format >> 16)) {
        return pumice_bits_of_float(c, format, cut);
    }
    int2 widths = part_widths(format);
    float2 most = convert_float2(((uint2)(1) << as_uint2(widths)) - 1);
    uint4 v = convert_uint4(rint(between(c, 0.0f) * (float4)(most.xyx, 0.0f)));
    return (uint4)(v.x << (widths.x + widths.y) | v.y << widths.x | v.z, 0, 0, 0);
}

// What a texel gives of a word that begins so many bits before it, or if negative behind its first bit.
uint pumice_part(uint texel, int at)
{
    uint up = at < 32 ? texel << (at & 31) : 0, down = at > -32 ? texel >> (-at & 31) : 0;
    return at >= 0 ? up : down;
}
