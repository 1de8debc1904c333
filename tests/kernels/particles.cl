// A struct-of-arrays particle step; the emitter is passed by value with nested structs.
typedef struct { float3 lo, hi; } Box;
typedef struct {
    Box box;
    struct { float drag; uchar bounce; short pad[3]; } rules;
    float4 gravity;
} World;
typedef struct { uint hits; float energy; } Statistics;

void collide(float *p, float *v, float lo, float hi, uint *hits) {
    if (*p < lo || *p > hi) {
        *p = clamp(*p, lo, hi);
        *v = -*v;
        *hits += 1000;
    }
}

__kernel void particles(__global float *px, __global float *py, __global float *pz, __global float4 *vel,
                        __global Statistics *stats, World world, float dt) {
    size_t i = get_global_id(0);
    float4 v = vel[i] + world.gravity * dt;
    v *= 1.0f - world.rules.drag * dt;
    float p[3] = { px[i] + v.x * dt, py[i] + v.y * dt, pz[i] + v.z * dt };
    Statistics s = stats[i];
    if (world.rules.bounce) {
        float vx = v.x, vy = v.y, vz = v.z;
        collide(&p[0], &vx, world.box.lo.x, world.box.hi.x, &s.hits);
        collide(&p[1], &vy, world.box.lo.y, world.box.hi.y, &s.hits);
        collide(&p[2], &vz, world.box.lo.z, world.box.hi.z, &s.hits);
        v = (float4)(vx, vy, vz, v.w);
    }
    s.energy = 0.5f * (v.x * v.x + v.y * v.y + v.z * v.z);
    px[i] = p[0];
    py[i] = p[1];
    pz[i] = p[2];
    vel[i] = v;
    stats[i] = s;
}
