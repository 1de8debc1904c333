// no-diagnostics
// run: --kernel k --global 1 --arg out=float[10] --arg memory=float[2] --arg a=float:1.000244140625 --arg c=float:1.00048828125 --print out
// prints: out: 0 0 0 0 0 0 0 0 0 0
// C99 6.5p8: only a product and a sum of one expression may be fused. Each product here is rounded first, to c.
float product(float a) { return a * a; }
kernel void k(global float *out, global float *memory, float a, float c) {
    float t = a * a;
    out[0] = t - c;
    out[1] = product(a) - c;
    float u;
    out[2] = (u = a * a) - c;
    float v = a;
    v *= a;
    out[3] = v - c;
    float w = a;
    out[4] = (w *= a) - c;
    memory[0] = a * a;
    out[5] = -c + memory[0];
    float sum = -c;
    for (int i = 0; i < 1; i++) {
        float term = a * a;
        sum += term;
    }
    out[6] = sum;
    float x = a;
    for (int i = 0; i < 2; i++) {
        if (i == 1)
            x -= c;
        else
            x = x * a;
    }
    out[7] = x;
    float2 pair = (float2)(a, a) * a;
    float2 difference = pair - c;
    out[8] = difference.x + difference.y;
    float y = c > 1.0f ? a * a : a;
    out[9] = y - c;
}
