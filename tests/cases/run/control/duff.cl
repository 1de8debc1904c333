// Duff's device: case labels inside a loop (C99 §6.8.4.2).
// run: --kernel k --global 9 --arg int[16]:range=1 --arg int[9]:const=0 --print out
// prints: out: 0 1 3 6 10 15 21 28 36
// no-diagnostics
kernel void k(global const int *in, global int *out) {
    int n = get_global_id(0), sum = 0;
    global const int *p = in;
    if (n) {
        int rounds = (n + 3) / 4;
        switch (n % 4) {
        case 0: do { sum += *p++;
        case 3:      sum += *p++;
        case 2:      sum += *p++;
        case 1:      sum += *p++;
                } while (--rounds > 0);
        }
    }
    out[n] = sum;
}
