// no-diagnostics
// Control flow that the structuriser must find the structure of. The results are those of a C compiler.
// run: --kernel k --global 16 --arg int[16]:range --arg int[16]:zero --arg int[16]:zero --arg int[16]:zero --arg int[16]:zero --print a --print b --print c --print d
// prints: a: 3 2 28 24 28 16 117 85 3 2 4 0 4 16 99 85
// prints: b: 2874 2874 2282 2496 414 2874 2714 2920 2874 2874 5128 5358 2874 6314 5358 5358
// prints: c: 5 10 12 5 5 11 11 11 11 11 14 14 11 11 13 13
// prints: d: 47 -40 -48 -52 47 -40 -48 47 -40 -52 -40 -60 47 -40 -48 -44
// Cases that fall into another, one after a condition, the default in the middle.
int falling(int x) {
    int s = 0;
    switch (x & 7) {
    case 0: s += 1;
    case 1: s += 2; break;
    default: s += 4;
    case 3: if (x > 8) break; s += 8;
    case 5: s += 16; break;
    case 6: if (x > 12) return 99; s += 32;
    case 7: s ^= 0x55;
    }
    return s;
}

// continue and break from nested conditions, in a loop with a step; a return from within.
int jumping(int x) {
    int s = 0;
    for (int i = 0; i < 12; i++) {
        if (i & 1) {
            if (x & 2) {
                if (i > x) continue;
                s += 3;
            } else if (i == 9) {
                break;
            }
            s += 100;
        } else if (x == 13) {
            if (i == 6) return s + 5000;
        }
        switch (i % 5) {
        case 2: continue;
        case 4: if (x == i) goto out; s += 1000; break;
        default: s += i;
        }
        s += 1;
    }
    s += 7;
out:
    return s * 2;
}

// Ways that end at once, in a row and in each other.
int ending(int x) {
    if (x == 1) return 10;
    if (x == 2) { if (x & 1) return 11; return 12; }
    if (x > 9) { if (x > 11) { if (x > 13) return 13; } else return 14; x -= 4; }
    do {
        x++;
        if (x == 8) continue;
        if ((x > 10 && (x & 1)) || x == 5) break;
    } while (x < 14);
    return x;
}

// Two loops entered in their middle, one left for two places.
int tangled(int x) {
    int s = 0;
    if (x & 1) goto middle;
again:
    s += 10;
    if (s > 60) goto done;
middle:
    s += x;
    while (s & 3) {
        s++;
        if (s == 33) goto again;
        if (s == 47) goto done;
    }
    if (s < 40) goto again;
    s = -s;
done:
    return s;
}

kernel void k(global const int *x, global int *a, global int *b, global int *c, global int *d) {
    int i = get_global_id(0);
    a[i] = falling(x[i]);
    b[i] = jumping(x[i]);
    c[i] = ending(x[i]);
    d[i] = tangled(x[i]);
}
