// Images: which texel a coordinate means, and what the channels of a texel are (OpenCL C "Image Addressing and Filtering";
// OpenCL API "Image Format Descriptor"). Called by lower/src/passes/images.rs; see float.cl for how this is shipped.
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

static float4 moved_float(float4 c, uint format)
{
    uint order = format & 0xffff;
    if (order >= SRGB && order <= SBGRA) {
        c = (float4)(pumice_encode(c.x), pumice_encode(c.y), pumice_encode(c.z), c.w);
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
