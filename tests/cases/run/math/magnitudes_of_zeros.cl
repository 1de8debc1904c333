// no-diagnostics
// run: --kernel k --global 1 --arg o=uint[17] --arg u=uint[2]:values=1,3 --arg x=float[2]:values=-1,-0.0 --print o
// prints: o: 0 0 0 0 0 0 0 0 0 4 0 0 0 0 0 0 0
// Magnitudes of zeros have no sign (IEEE 754; OpenCL C "Math Functions"): Mesa's drivers leave fabs out where they know a constant -0, which is not
// negative to them (found by random programs).
kernel void k(global uint *o, global const uint *u, global const float *x) {
    int c = u[0] & 1;
    float f = x[0];
    o[0] = as_uint(fabs((float3)(-0.0f, 0.0f, (float)u[0])).x);
    o[1] = as_uint(fabs(c ? -0.0f : 0.0f));
    o[2] = as_uint(fabs(c ? -0.0f : (float)u[0]));
    o[3] = as_uint(fabs(fmax(f, -0.0f)));
    o[4] = as_uint(fabs(f * 0.0f));
    o[5] = as_uint(fabs((float)u[0] * -0.0f));
    float y;
    if (c) { y = -0.0f; o[9] = 4; } else { y = (float)u[1]; o[10] = 7; }
    o[6] = as_uint(fabs(y));
    o[7] = as_uint(fabs(-(float2)(0.0f, (float)u[1])).x);
    o[8] = as_uint(fabs(-fabs(f) * 0.0f));
    o[11] = as_uint(fabs((float2)(-0.0f, f)).x);
    o[12] = as_uint(fabs(fmin((float)u[0], -0.0f)));
    o[13] = as_uint(fabs(-0.0f * f * f));
    o[15] = as_uint(fabs(sqrt(x[1])));
    o[16] = as_uint(fabs(sqrt(x[1]) * 2.0f));
    o[14] = as_uint(fabs((float)(int)-u[1] * 0.0f));
}
