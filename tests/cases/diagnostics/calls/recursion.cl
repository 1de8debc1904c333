// Recursion is not allowed (OpenCL C §6.11.i).
int fact(int n) { return n < 2 ? 1 : n * fact(n - 1); } //~ error[recursion]: function 'fact' calls itself: recursion is not supported in OpenCL C
int odd(int n);
int even(int n) { return n == 0 ? 1 : odd(n - 1); } //~ error[recursion]: this call of 'odd' makes it call itself: recursion is not supported
int odd(int n) { return n == 0 ? 0 : even(n - 1); }
kernel void k(global int *out) { out[0] = fact(out[0]) + even(out[0]); }
