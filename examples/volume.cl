// A ray-caster: light that a cloud gives off, summed along the rays of an orthographic eye, with a trilinear filter.
//
//   pumice run examples/volume.cl --kernel cloud --global 64,64,64 --arg out=image3d<r,unorm8>[64,64,64] --out out=cloud.raw
//   pumice run examples/volume.cl --kernel cast --global 256,256 --arg volume=image3d<r,unorm8>[64,64,64]:file=cloud.raw \
//       --arg s=sampler:linear,clamp --arg turn=float:0.6 --arg out=image2d<rgba,unorm8>[256,256] --out out=cloud.png

// Three blobs and a ring.
kernel void cloud(write_only image3d_t out) {
    int4 p = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
    float3 at = (convert_float3(p.xyz) + 0.5f) / convert_float3(get_image_dim(out).xyz) - 0.5f;
    float density = 0.0f;
    for (int i = 0; i < 3; i++) {
        float3 centre = 0.2f * (float3)(cos(2.1f * i), sin(2.1f * i), 0.4f * i - 0.4f);
        float3 d = at - centre;
        density += exp(-dot(d, d) * 60.0f);
    }
    float ring = length((float2)(length(at.xz) - 0.38f, at.y));
    density += exp(-ring * ring * 900.0f);
    write_imagef(out, p, (float4)(density));
}

// From the front to the back, until nothing shines through.
kernel void cast(read_only image3d_t volume, sampler_t s, float turn, write_only image2d_t out) {
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    float2 screen = (convert_float2(p) + 0.5f) / convert_float2(get_image_dim(out)) - 0.5f;
    float3 forward = (float3)(sin(turn), -0.35f, cos(turn)) / sqrt(1.0f + 0.35f * 0.35f);
    float3 right = normalize(cross((float3)(0.0f, 1.0f, 0.0f), forward));
    float3 up = cross(forward, right);
    float3 at = 1.2f * (screen.x * right - screen.y * up) - 0.9f * forward;
    const int steps = 128;
    float3 light = 0.0f;
    float through = 1.0f;
    for (int i = 0; i < steps && through > 0.01f; i++) {
        at += forward * (1.8f / steps);
        float density = read_imagef(volume, s, (float4)(at + 0.5f, 0.0f)).x;
        float alpha = 1.0f - exp(-density * 14.0f / steps);
        float3 colour = mix((float3)(0.2f, 0.45f, 0.9f), (float3)(1.0f, 0.75f, 0.35f), density);
        light += through * alpha * colour * 1.4f;
        through *= 1.0f - alpha;
    }
    write_imagef(out, p, (float4)(light + through * (float3)(0.03f, 0.03f, 0.05f), 1.0f));
}
