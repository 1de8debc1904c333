// A path tracer: spheres on a plane under a sky, of matt, mirror and glass materials, with depth of field.
typedef struct { float3 origin, dir; } Ray;
typedef struct { float4 shape; float4 color; uint material; float rough; } Sphere;
typedef struct { float t; float3 at, normal, color; uint material; float rough; } Hit;
typedef struct { float4 eye, target; float angle, aperture, focus, exposure; uint width, height, samples, bounces; } Camera;
typedef struct { float4 zenith, horizon, sun, sun_dir; float sharpness, haze; } Sky;
#define MATT 0u
#define MIRROR 1u
#define GLASS 2u
#define FAR 1e20f
static uint next(uint *state) {
    uint x = *state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    *state = x;
    return x;
}

static float uniform_float(uint *state) { return (next(state) >> 8) * (1.0f / 16777216.0f); }

static float2 in_disk(uint *state) {
    float r = sqrt(uniform_float(state)), phi = 2.0f * M_PI_F * uniform_float(state);
    return (float2)(r * cos(phi), r * sin(phi));
}

static void basis(float3 n, float3 *t, float3 *b) {
    float3 up = fabs(n.y) < 0.9f ? (float3)(0, 1, 0) : (float3)(1, 0, 0);
    *t = normalize(cross(up, n));
    *b = cross(n, *t);
}

static float3 around(float3 n, uint *state) {
    float3 t, b;
    float2 d = in_disk(state);
    basis(n, &t, &b);
    return normalize(t * d.x + b * d.y + n * sqrt(fmax(0.0f, 1.0f - dot(d, d))));
}

static bool sphere(const Ray *ray, float4 shape, float *t) {
    float3 to = shape.xyz - ray->origin;
    float b = dot(to, ray->dir), c = dot(to, to) - shape.w * shape.w, d = b * b - c;
    if (d < 0.0f)
        return false;
    float root = sqrt(d), near = b - root, far = b + root;
    *t = near > 1e-3f ? near : far;
    return *t > 1e-3f;
}

static bool trace(const Ray *ray, global const Sphere *spheres, uint count, float4 floor_color, Hit *hit) {
    hit->t = FAR;
    for (uint i = 0; i < count; i++) {
        float t;
        if (sphere(ray, spheres[i].shape, &t) && t < hit->t) {
            hit->t = t;
            hit->at = ray->origin + ray->dir * t;
            hit->normal = (hit->at - spheres[i].shape.xyz) / spheres[i].shape.w;
            hit->color = spheres[i].color.xyz;
            hit->material = spheres[i].material;
            hit->rough = spheres[i].rough;
        }
    }
    float t = -ray->origin.y / ray->dir.y;
    if (ray->dir.y < -1e-4f && t > 1e-3f && t < hit->t) {
        hit->t = t;
        hit->at = ray->origin + ray->dir * t;
        hit->normal = (float3)(0, 1, 0);
        bool odd = ((int)floor(hit->at.x) + (int)floor(hit->at.z)) & 1;
        hit->color = floor_color.xyz * (odd ? floor_color.w : 1.0f);
        hit->material = MATT;
        hit->rough = 1.0f;
    }
    return hit->t < FAR;
}

static float3 sky_color(Sky sky, float3 dir) {
    float height = pow(fmax(dir.y, 0.0f), sky.haze);
    float glow = pow(fmax(dot(dir, sky.sun_dir.xyz), 0.0f), sky.sharpness);
    return mix(sky.horizon.xyz, sky.zenith.xyz, height) + sky.sun.xyz * glow;
}

static float schlick(float cosine, float index) {
    float r = (1.0f - index) / (1.0f + index);
    return r * r + (1.0f - r * r) * pown(1.0f - cosine, 5);
}

static float3 scatter(const Ray *ray, const Hit *hit, uint *state) {
    float along = dot(ray->dir, hit->normal);
    float3 n = along < 0.0f ? hit->normal : -hit->normal;
    float3 mirrored = ray->dir - n * (2.0f * dot(ray->dir, n));
    if (hit->material == MATT)
        return around(n, state);
    if (hit->material == MIRROR)
        return normalize(mirrored + around(n, state) * hit->rough);
    float ratio = along < 0.0f ? 1.0f / 1.5f : 1.5f, cosine = fabs(along);
    float k = 1.0f - ratio * ratio * (1.0f - cosine * cosine);
    if (k < 0.0f || uniform_float(state) < schlick(cosine, 1.5f))
        return mirrored;
    return normalize(ray->dir * ratio + n * (ratio * cosine - sqrt(k)));
}

kernel void render(global float4 *image, global const Sphere *spheres, uint count, float4 floor_color, Camera camera, Sky sky) {
    uint x = get_global_id(0), y = get_global_id(1), state = (y * camera.width + x) * 9781u + 6271u;
    float3 w = normalize(camera.target.xyz - camera.eye.xyz), u, v, sum = 0.0f;
    basis(w, &u, &v);
    float scale = tan(0.5f * camera.angle), aspect = (float)camera.width / camera.height;
    for (uint s = 0; s < camera.samples; s++) {
        float px = (2.0f * (x + uniform_float(&state)) / camera.width - 1.0f) * scale * aspect;
        float py = (1.0f - 2.0f * (y + uniform_float(&state)) / camera.height) * scale;
        float2 lens = in_disk(&state) * camera.aperture;
        Ray ray = { camera.eye.xyz + u * lens.x + v * lens.y, 0.0f };
        ray.dir = normalize(camera.eye.xyz + (w + u * px + v * py) * camera.focus - ray.origin);
        float3 weight = 1.0f;
        Hit hit;
        for (uint bounce = 0; bounce < camera.bounces && trace(&ray, spheres, count, floor_color, &hit); bounce++) {
            weight *= hit.color;
            ray.dir = scatter(&ray, &hit, &state);
            ray.origin = hit.at + ray.dir * 1e-3f;
        }
        sum += weight * sky_color(sky, ray.dir);
    }
    image[y * camera.width + x] = (float4)(1.0f - exp(-sum * camera.exposure / camera.samples), 1.0f);
}
