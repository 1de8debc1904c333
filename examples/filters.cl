// Filters of images, with samplers in the source and as arguments:
//
//   pumice run examples/filters.cl --kernel scene --global 256,192 --arg out=image2d<rgba,unorm8>[256,192] --out out=scene.png
//   pumice run examples/filters.cl --kernel blur --global 256,192 --arg in=image2d:scene.png \
//       --arg out=image2d<rgba,unorm8>[256,192] --arg radius=float:3 --out out=blur.png
//   pumice run examples/filters.cl --kernel sobel --global 256,192 --arg in=image2d:scene.png \
//       --arg out=image2d<r,unorm8>[256,192] --out out=sobel.png
//   pumice run examples/filters.cl --kernel bilateral --global 256,192 --arg in=image2d:scene.png \
//       --arg out=image2d<rgba,unorm8>[256,192] --arg radius=float:3 --arg tolerance=float:0.2 --out out=bilateral.png
//   pumice run examples/filters.cl --kernel resize --global 384,288 --arg in=image2d:scene.png --arg s=sampler:linear,clamp_to_edge \
//       --arg out=image2d<rgba,unorm8>[384,288] --out out=resize.png

// Texels by number; beyond the edge, those of the edge.
constant sampler_t texels = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

// Something to look at: discs on a slope of colours, with grain.
kernel void scene(write_only image2d_t out) {
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    float2 at = convert_float2(p) / convert_float2(get_image_dim(out));
    float4 c = (float4)(at.x, 0.4f, 1.0f - at.y, 1.0f);
    for (int i = 0; i < 6; i++) {
        float2 centre = (float2)(0.15f + 0.14f * i, 0.5f + 0.3f * sin(2.0f * i));
        if (distance(at, centre) < 0.05f + 0.015f * i)
            c = (float4)(1.0f - 0.15f * i, 0.2f + 0.13f * i, 0.3f, 1.0f);
    }
    uint grain = (p.x + p.y * 8191u) * 747796405u + 2891336453u;
    grain = (grain >> (grain >> 28) + 4 ^ grain) * 277803737u;
    c.xyz += ((grain >> 22 & 255) / 255.0f - 0.5f) * 0.15f;
    write_imagef(out, p, c);
}

// A Gaussian, all weights of one square.
kernel void blur(read_only image2d_t in, write_only image2d_t out, float radius) {
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    int reach = (int)ceil(2.0f * radius);
    float4 sum = 0.0f;
    float weights = 0.0f;
    for (int y = -reach; y <= reach; y++)
        for (int x = -reach; x <= reach; x++) {
            float weight = exp(-(x * x + y * y) / (2.0f * radius * radius));
            sum += weight * read_imagef(in, texels, p + (int2)(x, y));
            weights += weight;
        }
    write_imagef(out, p, sum / weights);
}

float grey(read_only image2d_t in, int2 p) {
    return dot(read_imagef(in, texels, p).xyz, (float3)(0.299f, 0.587f, 0.114f));
}

// How steep it is.
kernel void sobel(read_only image2d_t in, write_only image2d_t out) {
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    float2 slope = 0.0f;
    for (int i = -1; i <= 1; i++) {
        float weight = i == 0 ? 2.0f : 1.0f;
        slope.x += weight * (grey(in, p + (int2)(1, i)) - grey(in, p + (int2)(-1, i)));
        slope.y += weight * (grey(in, p + (int2)(i, 1)) - grey(in, p + (int2)(i, -1)));
    }
    write_imagef(out, p, (float4)(length(slope)));
}

// A blur of what is alike: edges stay.
kernel void bilateral(read_only image2d_t in, write_only image2d_t out, float radius, float tolerance) {
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    int reach = (int)ceil(2.0f * radius);
    float4 here = read_imagef(in, texels, p), sum = 0.0f;
    float weights = 0.0f;
    for (int y = -reach; y <= reach; y++)
        for (int x = -reach; x <= reach; x++) {
            float4 there = read_imagef(in, texels, p + (int2)(x, y));
            float4 d = there - here;
            float weight = exp(-(x * x + y * y) / (2.0f * radius * radius) - dot(d, d) / (2.0f * tolerance * tolerance));
            sum += weight * there;
            weights += weight;
        }
    write_imagef(out, p, sum / weights);
}

// To the size of `out`: with a linear filter.
kernel void resize(read_only image2d_t in, sampler_t s, write_only image2d_t out) {
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    float2 at = (convert_float2(p) + 0.5f) / convert_float2(get_image_dim(out));
    write_imagef(out, p, read_imagef(in, s, at));
}
