// A name is a type or a value by the innermost of its declarations: variables, parameters, enumerators, old-style
// parameters, statement expressions and loops hide a typedef, and its end brings it back.
// run: --kernel k --global 1 --arg int[12]:range=1 --arg int:10 --print p
// prints: p: 10 15 4 9 35 15 25 8 3 9 4 12
typedef int T;
typedef int U;
int by_parameter(int T, int x) { return T * x; }
int old_style(a, x) int a, x; { int T = a; return T * x; } //~ warning[old-style-definition]: a definition without a prototype is of C before 1989
typedef T plus_one(T);
plus_one increment;
int increment(T v) { return (T)(v) + 1; }
kernel void k(global int *p, int n) {
    T * q = &n;
    p[0] = *q;
    int x = 5;
    {
        int T = 3;
        T * x;
        p[1] = T * x;
    }
    p[2] = (T)(x) - 1;
    for (int T = 0; T < 2; T++) p[3] += T * x;
    { enum { U = 7 }; p[4] = (U) * x; }
    p[5] = ({ int T = 4; T * x; }) + (T)-x;
    p[6] = by_parameter(2, x) + old_style(3, x);
    { typedef float n; n * r = 0; p[7] = sizeof(*r) + sizeof(n); }
    int T = sizeof(T);
    p[8] = (T) - 1;
    U: p[9] = (increment)(8);
    if (n < 0) goto U;
    p[10] = (T) & 7;
}
