// __builtin_assume is checked and changes nothing; __builtin_expect gives its value.
// run: --kernel k --global 4 --arg int[4] --print p
// no-diagnostics
kernel void k(global int *p) {
    int i = get_global_id(0);
    __builtin_assume(i >= 0);
    if (__builtin_expect(i == 2, 0)) p[i] = 7;
    else p[i] = i;
}
// prints: p: 0 1 7 3
