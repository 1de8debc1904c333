// Many mistakes of different kinds, one a line.
kernel int f(global int *p) { return undeclared + p; }
struct Twice { int a; float a; };
kernel void k(image2d_t i, int **pp, __local float x) {
    float4 v = (float4)(1, 2); v.xx = 3; v.q = 1;
    int a[-1], b[] = { [3] = 1, [0 ... 2] = 5 }, *c = &v;
    if (v) goto nowhere; else break;
    switch (a) { case 1: case 1: default: default: ; }
    c = (global int *)c + "text"; f(1, 2, 3)(4); 5 = a; sin(); max(v, p
}
}
typedef int int; #define X(
