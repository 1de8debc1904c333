// A-6: a program-scope global variable is initialised once and keeps its value between launches.
// options: -cl-std=CL2.0
// run: --kernel k --global 1 --repeat 3 --arg int[4] --print out
// prints: out: 8 1 42 3
// no-diagnostics
global int counter = 5;
int implicit[2] = { 1, 42 };
global struct { short a, b; } s = { 2, 3 };

kernel void k(global int *out) {
    static int calls = 0;
    counter++;
    calls++;
    out[0] = counter;
    out[1] = implicit[0];
    out[2] = implicit[1];
    out[3] = calls;
}
