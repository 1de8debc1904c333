// A switch in a loop in a switch: break and continue belong to the innermost they may (C99 §6.8.6).
// run: --kernel k --global 5 --arg int[5]:const=0 --print out
// prints: out: 7 12 1000 100 -1
// no-diagnostics
kernel void k(global int *out) {
    int id = get_global_id(0), r = 0;
    switch (id) {
    case 0:
    case 1:
        for (int i = 0; i < 6; i++) {
            switch (i + id) {
            case 1: continue;
            case 2: r += 2; break;
            case 3: r += 3;
            case 4: r++; break;
            case 6: r += 5; break;
            default: if (i == 5) r += 0; break;
            }
            if (i == 5) break;
        }
        break;
    case 2: r = 1000; break;
    case 3: { int j = 0; while (1) { switch (j++) { case 100: break; default: continue; } r = j - 1; break; } } break;
    default: r = -1;
    }
    out[id] = r;
}
