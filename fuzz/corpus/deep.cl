// Nesting of everything, some levels deep.
#define P(x) (((((x)))))
kernel void k(global int *p) {
    {{{{ if (p[0]) { if (p[1]) { while (p[2]) { for (;;) { do { switch (p[3]) { case 0: { p[4] = P(P(P(P(1)))); } } } while (0); break; } break; } } } }}}}
    p[0] = p[1] ? p[2] ? p[3] ? 1 : 2 : 3 : p[4] ? 5 : 6;
    p[p[p[p[p[0]]]]] = - - - ~ ~ ! ! + + p[1] + (int)(uint)(long)(char)(float)p[2];
    int a[2][2][2][2] = {{{{1, 2}, {3}}, {{4}}}, {{{5}}}};
    p[5] = a[1][0][0][0] + ((((a))))[0][0][1][0];
}
