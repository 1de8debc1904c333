// Loops whose accesses are looked at before them: those in range have no report, and others report the same place, value and count.
// run: --check --kernel sums --global 8 --arg int[12]:range --arg int[8] --arg int:5 --print out
// prints: out: 10 15 20 25 30 35 40 45
// run: --check --kernel sums --global 9 --arg int[12]:range --arg int[9] --arg int:5 --print out
// reports: 41 bounds: at byte 48, of 48
// prints: out: 10 15 20 25 30 35 40 45 38
// run: --check --kernel sums --global 2 --arg int[12]:range --arg int[2] --arg int:0 --print out
// prints: out: 0 0
// run: --check --kernel steps --global 1 --arg int[8]:range --arg int[1] --arg int:8 --print out
// prints: out: 16
// run: --check --kernel steps --global 1 --arg int[8]:range --arg int[1] --arg int:9 --print out
// reports: 48 bounds: at byte 32, of 32
// prints: out: 16
// run: --check --kernel down --global 1 --arg int[8]:range --arg int[1] --arg int:8 --print out
// prints: out: 28
// run: --check --kernel down --global 1 --arg int[8]:range --arg int[1] --arg int:9 --print out
// reports: 56 bounds: at byte 32, of 32
// prints: out: 28
// run: --check --kernel wraps --global 1 --arg int[8]:range --arg int[1] --arg uint:4294967294 --print out
// reports: 64 bounds: at byte -8, of 32
// prints: out: 1
// run: --check --kernel ended --global 1 --arg int[8]:range --arg int[1] --arg int:100 --print out
// prints: out: 6
// run: --check --kernel ended --global 1 --arg int[8]:const=3 --arg int[1] --arg int:9 --print out
// reports: 72 bounds: at byte 32, of 32
// prints: out: 24
// run: --check --kernel pairs --global 1 --arg int[16]:range --arg int[1] --arg int:4 --print out
// prints: out: 120
// run: --check --kernel pairs --global 1 --arg int[15]:range --arg int[1] --arg int:4 --print out
// reports: 83 bounds: at byte 60, of 60
// prints: out: 105
// run: --check --kernel pointers --global 1 --arg int[8]:range --arg int[1] --arg int:8 --print out
// prints: out: 28
// run: --check --kernel pointers --global 1 --arg int[8]:range --arg int[1] --arg int:10 --print out
// reports: 91 bounds: of 32
// prints: out: 28
kernel void sums(global const int *data, global int *out, int n) {
    int i = get_global_id(0);
    int x = 0;
    for (int k = 0; k < n; k++)
        x += data[i + k];
    out[i] = x;
}

kernel void steps(global const int *data, global int *out, int n) {
    int x = 0;
    for (int k = 1; k < n; k += 2)
        x += data[k] + data[
            k - 1 + (n & 1) * 2] - (k - 1);
    out[0] = x;
}

kernel void down(global const int *data, global int *out, int n) {
    int x = 0;
    for (int k = n; k > 0; k--)
        x +=
            data[k - 1];
    out[0] = x;
}

kernel void wraps(global const int *data, global int *out, uint n) {
    int x = 0;
    for (uint k = n; k != 2; k++)
        x +=
            data[(int)k];
    out[0] = x;
}

kernel void ended(global const int *data, global int *out, int n) {
    int x = 0;
    for (int k = 0; k < n; k++) {
        int y =
            data[k];
        x += y;
        if (y < 3 && x == 6 || x == 6 && n == 100) break;
    }
    out[0] = x;
}

kernel void pairs(global const int *data, global int *out, int n) {
    int x = 0;
    for (int j = 0; j < n; j++)
        for (int k = 0; k < n; k++) x += data[j * n + k];
    out[0] = x;
}

kernel void pointers(global const int *data, global int *out, int n) {
    int x = 0;
    global const int *p = data;
    while (n--)
        x += *p++;
    out[0] = x;
}
