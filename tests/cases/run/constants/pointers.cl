// Tables of pointers in constant memory, to constant memory: relocated by the width of addresses, the last place too.
// run: --kernel k --global 3 --arg int[3]:const=0 --arg int:2 --print out
// prints: out: 99 102 32
// no-diagnostics
constant int numbers[3] = { 10, 20, 30 };
constant char *constant texts[2] = { "abc", "def" };
constant int *constant middle = &numbers[1];

kernel void k(global int *out, int n) {
    int i = get_global_id(0);
    out[i] = i == 2 ? middle[n - 1] + n : texts[i][n];
}
