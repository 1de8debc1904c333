// Loops made of goto, forwards, backwards and out of nested loops (C99 §6.8.6.1).
// run: --kernel k --global 4 --arg int[8]:const=0 --print out
// prints: out: 0 9 1 12 3 15 6 18
// no-diagnostics
kernel void k(global int *out) {
    int id = get_global_id(0), i = 0, sum = 0;
again:
    if (i > id) goto done;
    sum += i;
    i++;
    goto again;
done:
    out[id * 2] = sum;
    int n = 0;
    for (int a = 0;; a++) {
        for (int b = 0;; b++) {
            n++;
            if (b == 2) break;
            if (a == 2 + id && b == 2 - 1 + 1) goto out_of_both;
            if (a == 3 + id) goto out_of_both;
        }
        if (a == 2 + id) goto out_of_both;
    }
out_of_both:
    out[id * 2 + 1] = n;
}
