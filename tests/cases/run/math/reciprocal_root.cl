// A reciprocal of a root becomes one instruction, for vectors too; zero and infinity stay what they were.
// no-diagnostics
// run: --kernel k --global 4 --arg float[4]:values=4,0.25,0,inf --arg float[4] --arg float[4] --print one --print many
// prints: one: 0.5 2 inf 0
// prints: many: 0.5 2 inf 0
kernel void k(global float *p, global float *one, global float *many) {
    size_t i = get_global_id(0);
    one[i] = 1.0f / sqrt(p[i]);
    float2 both = 1.0f / sqrt((float2)(p[i], 1.0f));
    many[i] = both.x * both.y;
}
