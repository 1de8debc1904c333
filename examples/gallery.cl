// Pictures from formulas alone, for docs/gallery.md:
//
//   pumice run examples/gallery.cl --kernel julia --global 384,256 --arg out=image2d<rgba,unorm8>[384,256] --out out=julia.png
//   pumice run examples/gallery.cl --kernel cells --global 384,256 --arg out=image2d<rgba,unorm8>[384,256] --out out=cells.png
//   pumice run examples/gallery.cl --kernel marble --global 384,256 --arg out=image2d<rgba,unorm8>[384,256] --out out=marble.png
//   pumice run examples/gallery.cl --kernel torus --global 384,256 --arg out=image2d<rgba,unorm8>[384,256] --out out=torus.png
//   pumice run examples/gallery.cl --kernel ripples --global 384,256 --arg out=image2d<rgba,unorm8>[384,256] --out out=ripples.png

// The place of a pixel: the shorter side is from -1 to 1.
float2 place(write_only image2d_t out, int2 p) {
    float2 size = convert_float2(get_image_dim(out));
    return (2.0f * (convert_float2(p) + 0.5f) - size) / fmin(size.x, size.y);
}

// A smooth row of colours, once through for each whole number.
float3 palette(float t) {
    float3 phase = 6.2831853f * (t + (float3)(0.0f, 0.33f, 0.67f));
    return 0.5f + 0.5f * (float3)(cos(phase.x), cos(phase.y), cos(phase.z));
}

uint scramble(uint x) {
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

float random(int2 cell, uint which) {
    return (scramble(cell.x * 73856093u ^ cell.y * 19349663u ^ which * 83492791u) >> 8) * 0x1p-24f;
}

// A Julia set, coloured by how soon a point leaves.
kernel void julia(write_only image2d_t out) {
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    float2 z = 1.2f * place(out, p);
    float3 colour = 0.0f;
    for (int i = 0; i < 200; i++) {
        z = (float2)(z.x * z.x - z.y * z.y, 2.0f * z.x * z.y) + (float2)(-0.79f, 0.15f);
        float square = dot(z, z);
        if (square > 256.0f) {
            colour = palette(0.011f * (i - log2(0.5f * log2(square))) + 0.58f);
            break;
        }
    }
    write_imagef(out, p, (float4)(colour, 1.0f));
}

// Cells around random points, with their borders.
kernel void cells(write_only image2d_t out) {
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    float2 at = 4.0f * place(out, p) + 100.0f;
    int2 own = convert_int2(at);
    float first = 10.0f, second = 10.0f;
    int2 nearest = own;
    for (int y = -1; y <= 1; y++) {
        for (int x = -1; x <= 1; x++) {
            int2 cell = own + (int2)(x, y);
            float d = distance(at, convert_float2(cell) + (float2)(random(cell, 0), random(cell, 1)));
            if (d < first) {
                second = first;
                first = d;
                nearest = cell;
            } else if (d < second) {
                second = d;
            }
        }
    }
    float3 colour = palette(random(nearest, 2)) * (1.0f - 0.6f * first);
    write_imagef(out, p, (float4)(colour * smoothstep(0.02f, 0.08f, second - first), 1.0f));
}

float noise(float2 at) {
    float2 whole = floor(at), part = at - whole;
    int2 cell = convert_int2(whole);
    float2 s = part * part * (3.0f - 2.0f * part);
    float low = mix(random(cell, 3), random(cell + (int2)(1, 0), 3), s.x);
    float high = mix(random(cell + (int2)(0, 1), 3), random(cell + (int2)(1, 1), 3), s.x);
    return mix(low, high, s.y);
}

float turbulence(float2 at) {
    float sum = 0.0f, share = 0.5f;
    for (int i = 0; i < 5; i++) {
        sum += share * noise(at);
        at = (float2)(0.8f * at.x - 0.6f * at.y, 0.6f * at.x + 0.8f * at.y) * 2.0f + 7.3f;
        share *= 0.5f;
    }
    return sum;
}

// Noise whose argument is noise.
kernel void marble(write_only image2d_t out) {
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    float2 at = 2.0f * place(out, p) + 20.0f;
    float2 q = (float2)(turbulence(at), turbulence(at + 5.2f));
    float2 r = (float2)(turbulence(at + 3.0f * q + 1.7f), turbulence(at + 3.0f * q + 8.3f));
    float value = turbulence(at + 3.0f * r);
    float3 colour = mix((float3)(0.1f, 0.15f, 0.3f), (float3)(0.95f, 0.85f, 0.7f), smoothstep(0.2f, 0.75f, value));
    colour = mix(colour, (float3)(0.7f, 0.25f, 0.15f), smoothstep(0.4f, 0.8f, q.x) * 0.7f);
    write_imagef(out, p, (float4)(colour * (0.6f + 0.6f * r.y), 1.0f));
}

// The distance to a torus above a floor.
float scene(float3 at) {
    float3 turned = (float3)(at.x, 0.8f * at.y - 0.6f * at.z, 0.6f * at.y + 0.8f * at.z);
    float ring = length((float2)(length(turned.xz) - 0.8f, turned.y)) - 0.32f;
    float angle = atan2(turned.z, turned.x);
    return fmin(ring + 0.02f * sin(14.0f * angle) , at.y + 1.0f);
}

float march(float3 from, float3 along, float limit) {
    float gone = 0.02f;
    for (int i = 0; i < 160 && gone < limit; i++) {
        float step = scene(from + gone * along);
        if (step < 0.001f)
            return gone;
        gone += 0.8f * step;
    }
    return limit;
}

// A torus by steps along rays, with a shadow.
kernel void torus(write_only image2d_t out) {
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    float2 at = place(out, p);
    float3 eye = (float3)(0.0f, 0.8f, -3.4f), light = normalize((float3)(-0.6f, 1.0f, -0.5f));
    float3 along = normalize((float3)(at.x, -at.y - 0.35f, 2.0f));
    float3 colour = mix((float3)(0.75f, 0.85f, 0.95f), (float3)(0.35f, 0.5f, 0.75f), 0.5f - 0.5f * at.y);
    float far = march(eye, along, 12.0f);
    if (far < 12.0f) {
        float3 hit = eye + far * along;
        float2 e = (float2)(0.002f, 0.0f);
        float3 slope = (float3)(scene(hit + e.xyy) - scene(hit - e.xyy), scene(hit + e.yxy) - scene(hit - e.yxy),
                                scene(hit + e.yyx) - scene(hit - e.yyx));
        float3 normal = normalize(slope);
        bool floor_hit = hit.y < -0.98f;
        int square = convert_int_rtn(hit.x * 1.5f) + convert_int_rtn(hit.z * 1.5f);
        float3 own = floor_hit ? (square & 1 ? (float3)(0.8f) : (float3)(0.35f)) : (float3)(0.9f, 0.45f, 0.15f);
        float lit = fmax(dot(normal, light), 0.0f) * (march(hit + 0.01f * normal, light, 6.0f) < 6.0f ? 0.0f : 1.0f);
        float3 mirror = along - 2.0f * dot(along, normal) * normal;
        float shine = floor_hit ? 0.0f : pow(fmax(dot(mirror, light), 0.0f), 40.0f) * lit;
        colour = mix(own * (0.25f + 0.8f * lit) + shine, colour, smoothstep(5.0f, 12.0f, far));
    }
    write_imagef(out, p, (float4)(sqrt(colour), 1.0f));
}

// The waves of three sources, and light on them.
kernel void ripples(write_only image2d_t out) {
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    float2 at = place(out, p), slope = 0.0f;
    for (int i = 0; i < 3; i++) {
        float2 from = at - (float2)(0.9f * cos(2.1f * i + 0.4f), 0.6f * sin(2.1f * i + 0.4f));
        float d = length(from) + 0.001f;
        slope += from / d * cos(40.0f * d) * exp(-1.3f * d);
    }
    float3 normal = normalize((float3)(-slope * 0.8f, 1.0f));
    float lit = fmax(dot(normal, normalize((float3)(-0.5f, -0.6f, 0.6f))), 0.0f);
    float3 colour = mix((float3)(0.02f, 0.1f, 0.2f), (float3)(0.2f, 0.6f, 0.75f), lit) + pow(lit, 24.0f);
    write_imagef(out, p, (float4)(colour, 1.0f));
}
