// A-9 accepted: constant variables of program and kernel scope; pointers to constant anywhere; string literals.
// no-diagnostics
constant float4 a[2] = { (float4)(1), (float4)(1, 2, 3, 4) };
constant int n = 3 * 4 + sizeof(int);
constant char *constant text = "text";
constant int *constant pn = &n;
constant struct { int x; float y[2]; } s = { 1, { 2.0f, 3.0f } };
float sum(constant float4 *p) { constant float4 *q = p + 1; return q->x + p[0].y; }
kernel void k(global float *out, constant float4 *c) {
    constant int in_kernel[3] = { 5, 6, 7 };
    constant float4 *p = a;
    constant int *private q = in_kernel;
    out[0] = sum(p) + sum(c) + n + *q + *pn + s.y[1] + text[0];
}
