// Returns from the middle of nested loops and switches in helpers, with values merged at the caller.
// run: --kernel k --global 8 --arg int[8] --print out
// prints: out: -1 11 22 3 24 5 36 700
// no-diagnostics
int find(int x) {
    for (int i = 0; i < 4; i++) {
        switch (x - i) {
        case 0: if (i == 0) return -1; return i * 10 + i / 3 * 0 + x;
        case 2: if (i & 1) return x; break;
        case 3: if (x > 4) return x;
        }
        for (int j = 0; j < 5; j++)
            if (i * j == x && j > 2) return x * 6;
    }
    return x * 100;
}

kernel void k(global int *out) { out[get_global_id(0)] = find(get_global_id(0)); }
