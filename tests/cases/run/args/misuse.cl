// Misuse of 'pumice run' that only the kernel tells: too few arguments, a kernel that is not there.
// run: --kernel nope --global 1 --arg int[1]
// fails: nope
// no-diagnostics
kernel void k(global int *out) { out[0] = 1; }
