// Control flow torture: a small machine with switch (fallthrough, default in the middle), continue, nested
// loops with early return, and goto in both directions.
int classify(int x) {
    int score = 0;
    switch (x & 7) {
    case 0:
        score += 1;
    case 1:
        score += 2;
        break;
    default:
        score += 4;
        break;
    case 3: {
        for (int i = 0; i < x; i++) {
            if (i == 5)
                continue;
            if (i == 9)
                return score + 100;
            score += i;
        }
        break;
    }
    case 5:
        do {
            score++;
            if (score > 3)
                break;
        } while (x > 0);
    case 6:
        score ^= 0x55;
    }
    return score;
}

__kernel void control(__global const int *in, __global int *out) {
    int i = get_global_id(0), x = in[i], steps = 0, sum = 0;
again:
    if (x > 1 && steps < 64) {
        x = x & 1 ? 3 * x + 1 : x / 2;
        steps++;
        if (x == 40)
            goto odd;
        goto again;
    }
    for (int a = 0; a < 4; a++) {
        for (int b = 0; b < 4; b++) {
            if (b == 2 && a == 1)
                goto out_of_both;
            if ((a ^ b) == 3)
                continue;
            sum += a * 10 + b;
        }
    }
out_of_both:
    while (1) {
        if (sum > 200 || steps == 0)
            break;
        sum += steps;
        if (sum % 7 == 0)
            continue;
        sum++;
    }
    out[i] = sum * 1000 + steps + classify(in[i]);
    return;
odd:
    sum += 7;
    x += 2;
    goto again;
}
