// GNU's ({ … }): the value of the last statement; loops, returns and declarations inside.
// run: --kernel k --global 1 --arg int[8]:range=1 --print p
// prints: p: 6 3 10 4 5 42 7 8
// no-diagnostics
#define MAX(a, b) ({ typeof(a) a_ = (a); typeof(b) b_ = (b); a_ > b_ ? a_ : b_; })

int early(int x) { return 1 + ({ if (x > 3) return 42; x; }); }

kernel void k(global int *p) {
    int sum = ({ int s = 0; for (int i = 0; i < 3; i++) s += p[i]; s; });
    p[0] = sum;
    p[1] = MAX(p[1], p[2]);
    p[2] = MAX(MAX(p[0], 10), early(2));
    ({ p[5] = early(9); });
    for (int i = 0;; i++) p[6] = ({ if (i == 7) break; i + 1; });
    float2 v = (float2)({ 8.0f; });
    p[7] = (int)v.y;
}
