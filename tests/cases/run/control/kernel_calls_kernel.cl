// A kernel calls another as an ordinary function, and both share a helper (OpenCL C §6.7.1).
// run: --kernel outer --global 4 --arg int[4]:range --print a
// prints: a: 1 4 7 10
// run: --kernel inner --global 4 --arg int[4]:range --arg int:5 --print a
// prints: a: 6 9 12 15
// no-diagnostics
int helper(int x, int y) { return x * 3 + y; }

kernel void inner(global int *a, int y) {
    a[get_global_id(0)] = helper(a[get_global_id(0)], y) + 1 * (y == 5);
}

kernel void outer(global int *a) {
    inner(a, helper(0, 1));
}
