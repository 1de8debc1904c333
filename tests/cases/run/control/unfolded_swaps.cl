// What a round passes to the next at once: swaps, rotations, sequences; and loops with two entries.
// no-diagnostics
// run: --kernel k --global 4 --arg x=uint[4]:values=9,1,4,7 --arg out=uint[40] --print out
// prints: out: 6765 901 30902 9 2 1 0 23 33 70 6765 101 30102 1 2 1 0 23 33 17 6765 401 30402 4 2 1 0 33 49 6 6765 701 30702 7 2 1 0 23 33 198
kernel void k(global const uint *x, global uint *out) {
    uint id = get_global_id(0), a = 0, b = 1, c = x[id], t;
    global uint *p = out + 10 * id;
    for (int i = 0; i < 20; i++) { t = a + b; a = b; b = t; }
    p[0] = a;
    a = 1, b = c;
    for (int i = 0; i < 5; i++) { t = a; a = b; b = t; }
    p[1] = a * 100 + b;
    uint d = 2, e = 3, f = c;
    for (int i = 0; i < 4; i++) { t = d; d = e; e = f; f = t; if (d == 9 && i == 2) break; }
    p[2] = d * 10000 + e * 100 + f;
    uint4 v = (uint4)(0, 1, 2, c);
    for (int i = 0; i < 3; i++) v = i == 1 ? v.s3210 : v.s1230;
    p[3] = v.s0; p[4] = v.s1; p[5] = v.s2; p[6] = v.s3;
    uint n = 0, i = 0;
    if (c & 1) goto middle;
top:
    n += 10;
middle:
    n++;
    if (++i < 3) goto top;
    p[7] = n;
    // Two loops that lead into each other.
    n = 0; i = 0;
    if (c == 4) goto second;
first:
    n = n * 2 + 1;
    if (++i >= 5) goto done;
    if (i & 1) goto first;
second:
    n += 3;
    if (++i >= 6) goto done;
    if (i == 2) goto second;
    goto first;
done:
    p[8] = n;
    // What is not known in the first round is known in the second.
    uint state = c, seen = 0;
    for (int r = 0; r < 4; r++) { seen = seen * 4 + (state & 3); state = r; if (state == 2 && c == 1) break; }
    p[9] = seen;
}
