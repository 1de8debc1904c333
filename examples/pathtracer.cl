// A small path tracer: spheres in a box of light, one sample for each work-item and pass, added up in `sum`.

typedef struct {
    float3 centre;
    float radius;
    float3 colour;
    float3 glow;
    int material; // 0 matt, 1 mirror, 2 glass
} Sphere;

__constant Sphere scene[9] = {
    { (float3)(0.0f, -1000.0f, 0.0f), 1000.0f, (float3)(0.75f, 0.72f, 0.68f), (float3)(0.0f), 0 },
    { (float3)(0.0f, 1.0f, 0.0f), 1.0f, (float3)(0.98f), (float3)(0.0f), 2 },
    { (float3)(-2.3f, 0.9f, 0.6f), 0.9f, (float3)(0.75f, 0.2f, 0.15f), (float3)(0.0f), 0 },
    { (float3)(2.3f, 0.9f, -0.4f), 0.9f, (float3)(0.9f, 0.85f, 0.6f), (float3)(0.0f), 1 },
    { (float3)(0.9f, 0.35f, 1.7f), 0.35f, (float3)(0.2f, 0.35f, 0.8f), (float3)(0.0f), 0 },
    { (float3)(-0.9f, 0.3f, 1.9f), 0.3f, (float3)(0.25f, 0.7f, 0.3f), (float3)(0.0f), 0 },
    { (float3)(-0.3f, 0.22f, 2.6f), 0.22f, (float3)(0.9f), (float3)(0.0f), 1 },
    { (float3)(-4.0f, 6.0f, 3.0f), 1.4f, (float3)(0.0f), (float3)(14.0f, 12.0f, 9.0f), 0 },
    { (float3)(5.0f, 5.0f, 1.0f), 1.0f, (float3)(0.0f), (float3)(5.0f, 7.0f, 10.0f), 0 },
};

uint next(uint *state) {
    // PCG: a linear step, then a permutation of the bits.
    *state = *state * 747796405u + 2891336453u;
    uint word = ((*state >> ((*state >> 28) + 4)) ^ *state) * 277803737u;
    return word >> 22 ^ word;
}

float uniform(uint *state) {
    return (next(state) >> 8) * (1.0f / 16777216.0f);
}

float3 on_sphere(uint *state) {
    float z = 1.0f - 2.0f * uniform(state), angle = 6.2831853f * uniform(state), r = sqrt(fmax(0.0f, 1.0f - z * z));
    return (float3)(r * cos(angle), r * sin(angle), z);
}

/// The sphere that a ray meets first, or -1; the distance in `*t`.
int hit(float3 from, float3 dir, float *t) {
    int found = -1;
    *t = 1e20f;
    for (int i = 0; i < 9; i++) {
        float3 to = scene[i].centre - from;
        float along = dot(to, dir), rest = along * along - dot(to, to) + scene[i].radius * scene[i].radius;
        if (rest <= 0.0f)
            continue;
        float root = sqrt(rest), near = along - root, far = along + root;
        float here = near > 1e-3f ? near : far;
        if (here > 1e-3f && here < *t) {
            *t = here;
            found = i;
        }
    }
    return found;
}

float3 trace(float3 from, float3 dir, uint *state) {
    float3 light = (float3)(0.0f), weight = (float3)(1.0f);
    for (int bounce = 0; bounce < 8; bounce++) {
        float t;
        int i = hit(from, dir, &t);
        if (i < 0) {
            float up = 0.5f * dir.y + 0.5f;
            light += weight * mix((float3)(0.35f, 0.35f, 0.4f), (float3)(0.12f, 0.2f, 0.4f), up);
            break;
        }
        light += weight * scene[i].glow;
        from += dir * t;
        float3 normal = (from - scene[i].centre) / scene[i].radius;
        bool inside = dot(normal, dir) > 0.0f;
        if (inside)
            normal = -normal;
        weight *= scene[i].colour;
        switch (scene[i].material) {
        case 1:
            dir = normalize(dir - 2.0f * dot(normal, dir) * normal + 0.03f * on_sphere(state));
            break;
        case 2: {
            float ratio = inside ? 1.5f : 1.0f / 1.5f, c = -dot(normal, dir);
            float bent = 1.0f - ratio * ratio * (1.0f - c * c);
            float schlick = 0.04f + 0.96f * pown(1.0f - c, 5);
            if (bent > 0.0f && uniform(state) > schlick)
                dir = normalize(ratio * dir + (ratio * c - sqrt(bent)) * normal);
            else
                dir = dir + 2.0f * c * normal;
            break;
        }
        default:
            dir = normalize(normal + 0.999f * on_sphere(state));
        }
        float strongest = fmax(weight.x, fmax(weight.y, weight.z));
        if (bounce > 2) {
            if (uniform(state) > strongest)
                break;
            weight /= strongest;
        }
    }
    return light;
}

__kernel void render(__global float4 *sum, uint pass, uint samples) {
    int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1);
    uint state = (y * w + x) * 9781u + pass * 6271u + 1u;
    next(&state);
    float4 total = sum[y * w + x];
    for (uint s = 0; s < samples; s++) {
        float u = (2.0f * (x + uniform(&state)) - w) / h, v = (h - 2.0f * (y + uniform(&state))) / h;
        float3 forward = normalize((float3)(-0.02f, -0.17f, -1.0f));
        float3 right = normalize(cross(forward, (float3)(0.0f, 1.0f, 0.0f))), up = cross(right, forward);
        float3 dir = normalize(forward + 0.42f * (u * right + v * up));
        total += (float4)(trace((float3)(0.15f, 2.5f, 9.0f), dir, &state), 1.0f);
    }
    sum[y * w + x] = total;
}

__kernel void develop(__global const float4 *sum, __global uchar4 *picture) {
    size_t i = get_global_id(1) * get_global_size(0) + get_global_id(0);
    float3 colour = sum[i].xyz / sum[i].w;
    colour = colour / (1.0f + colour); // Reinhard's curve
    colour = pow(colour, (float3)(1.0f / 2.2f));
    picture[i] = (uchar4)(convert_uchar3_sat_rte(colour * 255.0f), 255);
}
