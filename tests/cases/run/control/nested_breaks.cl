// continue in do-while goes to the condition; nested loops with early exits; comma and short circuits.
// run: --kernel k --global 4 --arg int[12] --print out
// prints: out: 3 2 0 3 4 1 3 8 2 4 10 4
// no-diagnostics
int side(global int *p, int v) { *p += 1; return v; }

kernel void k(global int *out) {
    int id = get_global_id(0), n = 0, i = 0;
    do {
        n++;
        if (n < 3) continue;
        if (n > id) break;
    } while (n < 10);
    out[id * 3] = n;
    for (int a = 0, b = 10; a < b; a++, b--) {
        if ((a & 1) == 0) continue;
        i += b - a > 2 * id ? 1 : a;
        for (int c = 0; c < 3; c++)
            if (c == id) break;
            else i++;
        if (i > 100) return;
    }
    out[id * 3 + 1] = i;
    int hits = (id > 0 && side(&out[id * 3 + 2], 1)) + (id < 2 || side(&out[id * 3 + 2], 0));
    out[id * 3 + 2] = (hits, out[id * 3 + 2]) + (id == 3 ? 2 : 0);
}
