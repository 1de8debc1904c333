// Few rounds around loops that end by what is read: these stay loops in each round (passes/optimize/full_unroll). What they leave, breaks out of both, and
// loops in loops in the rounds.
// no-diagnostics
// run: --kernel k --global 6 --arg uint[6]:values=0,1,6,11,200,77 --arg uint[36]:zero --print out
// prints: out: 27 83 51008 0 291 4 138 453 430003 36 4660 5 10935 36443 430025 45 17767 8 246432 821433 1210001 197 17767 8 3695405331 3728083171 21574 1665 17767 8 4011291504 486069785 430426 1780 17767 8
kernel void k(global const uint *x, global uint *out) {
    uint id = get_global_id(0), i, j = 0, n = x[id], s = 0, last = 7;
    global uint *p = out + 6 * id;
    for (i = 0; i < 3; i++)
        for (j = n + i; j; j >>= 1) {
            last = s;
            s = s * 3 + (j & 1) + i;
        }
    p[0] = s;
    p[1] = last * 10 + i + j;
    // Out of both, with values of both.
    uint t = 1, r = n;
    for (i = 1; i < 5; i++) {
        r = n + i;
        while (r) {
            if (r * i == 12) goto out;
            r = (r - 1) / 2;
            t += r * i;
        }
        if (t > 300) break;
    }
    t += 1000;
out:
    p[2] = t + 10000 * i + 100000 * r;
    // A loop of known rounds and one of unknown ones in a loop that ends by neither.
    uint u = 0;
    for (i = 0; i < 2; i++) {
        for (j = 0; j < 3; j++) u = u * 2 + (n >> j & 1);
        for (j = n; j > 3; j -= 3)
            for (uint m = 0; m < j % 4; m++) u ^= m * j + i;
    }
    p[3] = u;
    // Left by the inner loop's counter, which the outer one goes on with.
    uint v = 0;
    j = 0;
    for (i = 0; i < 4; i++) {
        for (; j < n; j += i + 1)
            if (j & 4) break;
        v = v * 16 + (j & 15);
        j++;
    }
    p[4] = v;
    p[5] = j;
}
