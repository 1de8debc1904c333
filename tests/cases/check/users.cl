// Kernels as users write them, with a fault or without: reductions, scans, stencils with a halo, searches, locks.
// run: --check=races --kernel fence_alone --global 16 --local 8 --arg int[16]
// reports: 32 races: of the __local variable 'x', and another work-item
// run: --check=1,races --kernel last_group --global 32 --local 8 --arg int[32]:const=1 --arg int[4]:zero --arg int[1]:zero --arg sum=int[1]:zero --print sum
// prints: sum: 32
// run: --check=races --kernel reduced_twice --global 8 --local 8 --arg int[16]:range --arg int:0 --arg out=int[2]
// reports: 47 races: of the __local variable 't', and another work-item
// run: --check=1,races --kernel reduced_twice --global 8 --local 8 --arg int[16]:range --arg int:1 --arg out=int[2] --print out
// prints: out: 28 92
// run: --check=1,races --kernel scanned --global 8 --local 8 --arg int[8]:const=1 --arg out=int[8] --print out
// prints: out: 1 2 3 4 5 6 7 8
// run: --check --kernel searched --global 4 --local 4 --arg int[4]:values=1,3,5,7 --arg int[4]:values=0,3,6,9 --arg out=int[4] --print out
// reports: 73 bounds: a read of 4 bytes beyond the buffer of argument 0 'a' (int*)
// prints: out: 1 3 7 0
// run: --check=1,races --kernel halo --global 16 --local 8 --arg float[16]:range --arg out=float[16] --print out
// prints: out: 1 3 6 9 12 15 18 21 24 27 30 33 36 39 42 29
// run: --check --kernel no_halo --global 8 --local 8 --arg float[8]:range --arg out=float[8]
// reports: 88 bounds: a read of 4 bytes 4 bytes before the buffer of argument 0 'in' (float*)
// run: --check --kernel half_halo --global 8 --local 8 --arg float[8]:range --arg out=float[8]
// reports: 97 uninitialised: the __local variable 't' that was never written
// run: --check=1,races --kernel locked --global 4 --local 1 --arg int[1]:zero --arg n=int[1]:zero --print n
// prints: n: 4
// run: --check --kernel ended_early --global 16 --local 8 --arg int[16]:range --arg int:12
// reports: 110 barriers: a barrier that 4 of the 8 work-items of a work-group reach
// run: --check=1,races --kernel lanes --global 8 --local 8 --arg v=float4[4]:zero --print v
// prints: v: (0, 1, 0, 0) (2, 3, 0, 0) (4, 5, 0, 0) (6, 7, 0, 0)

// A fence orders nothing by itself.
kernel void fence_alone(global int *out) {
    local int x[8];
    int l = get_local_id(0);
    x[l] = l; mem_fence(CLK_LOCAL_MEM_FENCE); out[get_global_id(0)] = x[7 - l];
}

kernel void last_group(global int *a, volatile global int *parts, volatile global int *count, global int *sum) {
    local int t[8], last;
    int l = get_local_id(0);
    t[l] = a[get_global_id(0)];
    for (int s = 4; s > 0; s /= 2) { barrier(CLK_LOCAL_MEM_FENCE); if (l < s) t[l] += t[l + s]; }
    if (l == 0) { parts[get_group_id(0)] = t[0]; mem_fence(CLK_GLOBAL_MEM_FENCE); last = atomic_inc(count) == 3; }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (last && l == 0) sum[0] = parts[0] + parts[1] + parts[2] + parts[3];
}

kernel void reduced_twice(global int *a, int waits, global int *out) {
    local int t[8]; int l = get_local_id(0);
    for (int k = 0; k < 2; k++) { if (waits) barrier(CLK_LOCAL_MEM_FENCE); t[l] = a[8 * k + l]; for (int s = 4; s > 0; s /= 2) { barrier(CLK_LOCAL_MEM_FENCE); if (l < s) t[l] += t[l + s]; } barrier(CLK_LOCAL_MEM_FENCE); out[k] = t[0]; }
}

kernel void scanned(global int *a, global int *out) {
    local int t[2][8];
    int l = get_local_id(0), now = 0;
    t[0][l] = a[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 1; s < 8; s *= 2) {
        t[1 - now][l] = t[now][l] + (l >= s ? t[now][l - s] : 0);
        now = 1 - now;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[l] = t[now][l];
}

kernel void searched(global int *a, global int *wanted, global int *out) {
    int i = get_global_id(0), low = 0, high = 4;
    while (low < high) {
        int middle = (low + high) / 2;
        if (a[middle] < wanted[i])
            low = middle + 1;
        else
            high = middle;
    }
    // Nothing is as large as the last number.
    out[i] = a[low];
}

kernel void halo(global float *in, global float *out) {
    local float t[10];
    int i = get_global_id(0), l = get_local_id(0), n = get_global_size(0);
    t[l + 1] = in[i];
    if (l == 0) t[0] = i > 0 ? in[i - 1] : 0;
    if (l == 7) t[9] = i < n - 1 ? in[i + 1] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = t[l] + t[l + 1] + t[l + 2];
}

kernel void no_halo(global float *in, global float *out) {
    int i = get_global_id(0);
    out[i] = in[i - 1] + in[i];
}

kernel void half_halo(global float *in, global float *out) {
    local float t[10];
    int l = get_local_id(0);
    t[l + 1] = in[l];
    if (l == 0) t[0] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = t[l] + t[l + 1] + t[l + 2];
}

kernel void locked(volatile global int *lock, global int *n) {
    while (atomic_cmpxchg(lock, 0, 1) != 0);
    n[0] += 1;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    atomic_xchg(lock, 0);
}

kernel void ended_early(global int *a, int n) {
    local int t[8];
    int i = get_global_id(0), l = get_local_id(0);
    if (i >= n) return; t[l] = a[i]; barrier(CLK_LOCAL_MEM_FENCE);
    a[i] = t[0];
}

// Neighbours write other lanes of one vector.
kernel void lanes(global float4 *v) {
    int i = get_global_id(0);
    if (i & 1) v[i / 2].y = i; else v[i / 2].x = i;
}
