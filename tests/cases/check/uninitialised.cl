// Uses of private and __local memory that was never written.
// run: --check --kernel scalar --global 1 --arg int[4] --arg int:3
// reports: 38 uninitialised: a use of the private variable 'x' that was never written
// reports: 39 uninitialised: a use of the private variable 'x' that was never written
// run: --check --kernel scalar --global 1 --arg int[4] --arg int:4 --print out
// prints: out: 5 0 0 0
// run: --check --kernel array --global 1 --arg int[4] --arg int:7
// reports: 46 uninitialised: a use of the private variable 'a' that was never written
// run: --check --kernel array --global 1 --arg int[4] --arg int:8 --print out
// prints: out: 28 0 0 0
// run: --check --kernel lanes --global 1 --arg float[4]
// reports: 55 uninitialised: a use of the private variable 'w' that was never written
// run: --check --kernel members --global 1 --arg int[4] --arg int:3
// reports: 74 uninitialised: a use of the private variable 'p' that was never written
// run: --check --kernel members --global 1 --arg int[4] --arg int:4 --print out
// prints: out: 4 3 0 0
// run: --check --kernel by_pointer --global 1 --arg int[4] --arg int:0
// reports: 85 uninitialised: a use of the private variable 'x' that was never written
// run: --check --kernel by_pointer --global 1 --arg int[4] --arg int:1 --print out
// prints: out: 1 0 0 0
// run: --check --kernel chosen --global 1 --arg int[4] --arg int:0 --print out
// prints: out: 0 0 1 0
// run: --check --kernel variable --global 16 --local 8 --arg int[16] --arg int:7
// reports: 100 uninitialised: a read of 4 bytes of the __local variable 'x' that was never written
// run: --check --kernel variable --global 16 --local 8 --arg int[16] --arg int:8 --print out
// prints: out: 7 6 5 4 3 2 1 0 7 6 5 4 3 2 1 0
// run: --check --kernel argument --global 16 --local 8 --arg int[16] --arg local:32 --arg int:7
// reports: 108 uninitialised: a read of 4 bytes of the __local memory of argument 1 'x' that was never written
// run: --check --kernel argument --global 16 --local 8 --arg int[16] --arg local:32 --arg int:8 --print out
// prints: out: 7 6 5 4 3 2 1 0 7 6 5 4 3 2 1 0
// run: --check --kernel counter --global 16 --local 8 --arg int[16]
// reports: 114 uninitialised: an atomic operation on 4 bytes of the __local variable 'n' that was never written

kernel void scalar(global int *out, int n) {
    int x;
    if (n > 3)
        x = 5;
    if (x > 2)
        out[0] = x;
}

kernel void array(global int *out, int n) {
    int a[8], sum = 0;
    for (int i = 0; i < n; i++) a[i] = i;
    for (int i = 0; i < 8; i++)
        sum += a[i];
    out[0] = sum;
}

kernel void lanes(global float *out) {
    float4 v;
    v.xy = (float2)(1, 2);
    float4 w = v * 2;
    out[0] = w.x + w.y;
    out[1] = w.z;
}

struct part {
    char c;
    int i;
    float f[4];
};

struct part make(int n) {
    struct part p;
    p.i = n;
    if (n > 3) p.f[1] = 3;
    return p;
}

kernel void members(global int *out, int n) {
    struct part p = make(n), q = p;
    out[0] = q.i;
    if (p.f[1] > 0)
        out[1] = 3;
}

void set(int *p, int n) {
    if (n) *p = 1;
}

kernel void by_pointer(global int *out, int n) {
    int x;
    set(&x, n);
    out[0] = x;
}

kernel void chosen(global int *out, int n) {
    int x, y;
    if (n) x = y = 3;
    out[0] = n ? x + y : 0;
    out[1] = n && x > 2;
    out[2] = !n || y > 2;
}

kernel void variable(global int *out, int n) {
    local int x[8];
    int l = get_local_id(0); if (l < n) x[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = x[7 - l];
}

kernel void argument(global int *out, local int *x, int n) {
    int l = get_local_id(0);
    if (l < n)
        x[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = x[7 - l];
}

kernel void counter(global int *out) {
    local int n;
    int l = get_local_id(0);
    if (l == 0) out[get_group_id(0)] = atomic_inc(&n);
}
