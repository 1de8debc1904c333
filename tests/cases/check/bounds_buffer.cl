// The buffer of an argument: reads and writes beyond it, before it, and of a part of its end.
// run: --check --kernel beyond --global 8 --arg int[8]:range --arg int[8] --arg int:3 --print out
// reports: 24 bounds: beyond the buffer of argument 0 'data' (int*)
// prints: out: 3 6 9 12 15 18 13 7
// run: --check --kernel before --global 4 --arg int[4]:range --print a
// reports: 29 bounds: a write of 4 bytes 4 bytes before the buffer of argument 0 'a'
// prints: a: 1 2 3 3
// run: --check --kernel part --global 1 --arg int[5]:range --arg int4[1] --print out
// reports: 33 bounds: a read of 16 bytes beyond the buffer of argument 0 'a'
// prints: out: (0, 0, 0, 0)
// run: --check --kernel far --global 1 --arg int[4] --arg long:5000000000 --print a
// reports: 37 bounds: at byte 20000000000, of 16
// prints: a: 0 0 0 0
// run: --check --kernel beyond --global 6 --arg int[8]:range --arg int[8] --arg int:3 --print out
// prints: out: 3 6 9 12 15 18 0 0
// run: --check --kernel larger --global 1024 --arg float[1000] --arg float[1]
// reports: 41 bounds: a read of 4 bytes beyond the buffer of argument 0 'in' (float*)
// run: --check --kernel larger --global 1024 --arg float[1000] --arg float[1]
// reports: 41 bounds: and 23 others in this launch
kernel void beyond(global const int *data, global int *out, int n) {
    int i = get_global_id(0);
    int x = 0;
    for (int k = 0; k < n; k++)
        x += data[i + k];
    out[i] = x;
}

kernel void before(global int *a) {
    a[(int)get_global_id(0) - 1] = get_global_id(0);
}

kernel void part(global int *a, global int4 *out) {
    out[0] = vload4(0, a + 2);
}

kernel void far(global int *a, long i) {
    a[i] = 7;
}

// An NDRange that is larger than the buffer.
kernel void larger(global float *in, global float *out) { out[0] = in[get_global_id(0)]; }
