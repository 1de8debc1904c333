// The end of a loop is read in each round where something may write it, and where nothing does once, before it: if the loop is reached.
// no-diagnostics
// run: --kernel rows --global 4 --arg uint[5]:values=0,2,2,5,6 --arg float[6]:range=1 --arg float[4] --print y
// prints: y: 3 0 12 6
kernel void rows(global const uint *start, global const float *value, global float *y) {
    size_t row = get_global_id(0);
    float sum = 0;
    for (uint k = start[row]; k < start[row + 1]; k++) sum += value[k];
    y[row] = sum;
}

// run: --kernel moving --global 1 --arg n=int[2]:const=8 --arg out=int[8]:const=0 --print n --print out
// prints: n: 4 8
// prints: out: 1 1 1 1 0 0 0 0
kernel void moving(global int *n, global int *out) {
    for (int i = 0; i < n[0]; i++) {
        n[0]--;
        out[i] = 1;
    }
}

// run: --kernel shared --global 1 --arg n=int[6]:const=5 --arg @n --print n
// prints: n: 0 0 5 5 5 5
// run: --kernel shared --global 1 --arg n=int[6]:const=5 --arg m=int[6]:const=9 --print n --print m
// prints: n: 5 5 5 5 5 5
// prints: m: 0 0 0 0 0 9
kernel void shared(global const int *n, global int *m) {
    for (int i = 0; i < n[1]; i++) m[i] = 0;
}

// run: --kernel guarded --global 4 --arg null --arg n=int:0 --arg out=int[4]:const=7 --print out
// prints: out: 0 0 0 0
kernel void guarded(global const int *ends, int n, global int *out) {
    size_t g = get_global_id(0);
    int s = 0;
    if (n)
        for (int i = 0; i < ends[g]; i++) s += i * n;
    out[g] = s;
}
