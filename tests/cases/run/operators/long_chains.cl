// Chains of thousands of terms, as generated code has them, nest nothing: not in the compiler, not in the driver.
// run: --kernel k --global 2 --arg int[2]:values=1,100 --arg int[32] --print all
// no-diagnostics
#define TWICE(...) __VA_ARGS__ __VA_ARGS__
#define T10(...) TWICE(__VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__)
#define T100(...) T10(T10(__VA_ARGS__))
#define T1000(...) T10(T100(__VA_ARGS__))

int next(int x) { return x + 1; }
void count(global int *p) { ++*p; }

kernel void k(global const int *in, global int *all) {
    int x = in[get_global_id(0)];
    global int *out = all + 16 * get_global_id(0);
    uint u = x;
    int i = 0;
    out[0] = 0 T1000(+ x) T1000(+ x);
    out[1] = 0 T1000(- x) T1000(- 2 * x);
    out[2] = (int)(u T1000(* 3u));
    out[3] = (int)(u T10(<< 1 >> 1) T100(^ 5u) T1000(| 8u));
    out[4] = x T1000(&& x) && next(x) > 2;
    out[5] = (x > 50) T1000(|| next(x) < 0);
    out[6] = (T1000(i++,) i);
    out[7] = T100(next(++i) < 0 ? x :) 7;
    out[8] = T100(next(++i) == 1150 ? i :) 7;
    out[9] = i;
    T100(next(++i) == 1250 + x ? count(out + 10) :) count(out + 11);
    out[12] = 1 T1000(&& 1) T1000(|| 0) + (T1000(0 ? 1 :) 2);
}
// prints: all: 2000 -3000 -742892767 9 0 0 1000 7 1149 1149 0 1 1 0 0 0 200000 -300000 -1274832668 108 1 1 1000 7 1149 1149 0 1 1 0 0 0
