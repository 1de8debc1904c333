// printf with every conversion.
kernel void k(global float4 *p, local char *l, constant char *text) {
    printf("%d %5.2f %-8x|%+e %c %% %s\n", 1, 2.5f, 0xffu, 3.25, 'c', "string");
    printf("%v4hlf %v2hhd %#v3x %p\n", p[0], (char2)(1, 2), (int3)(7), l);
}
