// What loops leave that do nothing else: counters, sums, what alternates, what the round before had; with no round, with one, at the ends of the
// types, past them where that is defined. Loops that do something stay: volatile counters, atomics, stores that are read, a barrier.
// no-diagnostics
// run: --kernel k --global 8 --local 8 --arg a=int[8]:values=0,5,-4,2147483600,-2147483648,100,17,250 --arg b=int[8]:values=9,5,3,2147483647,-2147483640,60,200,255 --arg n=uint[2]:zero --arg out=uint[256]:zero --print n --print out
// prints: n: 12 0
// prints: out: 9 0 9 48 253 8 911 6004 9003 65535 63 36 4294967295 4294967295 15 1 4 178 1009 4000 2020 9 0 31 4 2 502 0 27 7 49 505 5 5 5 3 1 77 91 4001 5000 10 35 10 4294967295 4294967295 15 55 20 7 1009 101 2020 9 1 31 4 3 503 2147483648 5 0 29 505 3 4294967292 3 38 162 2 911 2002 3173 65531 21 3 4294967295 4294967295 17 14 26 140 1009 4202 2107 9 2 31 4 4 7 4294967292 17 1 29 505 2147483647 2147483600 2147483647 238 5782 2147483646 910 3002 255101 65487 441 1953 4294967295 4294967295 15 140 82 900 15135 4303 2107 9 3 31 4 5 507 17 2147483741 2147483645 49 505 2147483656 2147483648 2147483656 43 205 2147483655 90 4004 8088 65535 56 28 4294967295 4294967295 15 0 24 159 1009 4403 0 9 0 31 4 6 502 0 2147483672 2147483655 49 505 100 60 60 3 1 77 91 4005 60072 945 420 1770 4294967295 4294967295 14 30 280 7 7063 505 0 9 1 31 4 7 503 2147483600 100 0 29 505 200 17 200 918 84730 199 911 6002 200061 136 56 28 4294967295 4294967295 16 0 4294966710 3484 8072 4603 0 9 2 31 4 0 507 0 566 199 49 505 255 250 255 28 91 254 910 1004 255087 990 441 1953 4294967295 4294967295 15 140 4294966312 102 15135 4703 2107 9 3 31 4 1 7 17 265 253 39 505
kernel void k(global const int *a, global const int *b, global uint *n, global uint *out) {
    uint id = get_global_id(0);
    int from = a[id], to = b[id], i;
    global uint *p = out + 32 * id;
    uint u, s, t, last;
    for (i = from; i < to; i++);
    p[0] = i;
    for (i = to; i > from; i--);
    p[1] = i;
    for (u = from; u != (uint)to; u++);
    p[2] = u;
    for (i = from, s = 3, t = 1, last = 77; i < to; last = i, i++) { s += 5; t += s; }
    p[3] = s; p[4] = t; p[5] = last;
    bool flag = id & 1;
    for (i = from, s = 9, u = id, t = 4; i < to; i++) { flag = !flag; s = 100 - s; u ^= 6; uint swap = t; t = u; u = swap; }
    p[6] = flag + 10 * s; p[7] = t * 1000 + u;
    uchar c = from, d = to, e = 0;
    while (c != d) { c += 3; e++; }
    p[8] = c * 1000 + e;
    short x = from, y = 0;
    do { x -= 1; y += x; } while (x > 0 && y < 900);
    p[9] = (ushort)y;
    ulong wide = 0;
    for (u = 0; u < (uint)(to & 63); u++) wide += 0x100000000ul * u + 7;
    p[10] = wide; p[11] = wide >> 32;
    for (u = from & 31; u-- > 0;);
    p[12] = u;
    for (i = from & 15; i >= 0; i--);
    p[13] = i;
    for (i = from & 15; i <= 12; i += 5);
    p[14] = i;
    for (i = 1, s = 0; i <= (to & 7); i++) for (u = 0; u < (uint)i; u++) s += i;
    p[15] = s;
    int4 v = (int4)(from, to, 1, 2), w = v;
    for (i = from; i < to; i++) { v = (int4)(7, 8, 9, 10) - v; w += (int4)(1, 2, 3, 4); }
    p[16] = v.x + 3 * v.y; p[17] = w.z * 5 + w.w;
    for (i = 0, s = 0; i < 20 && s < (uint)(to & 127); i++) s += 9;
    p[18] = i * 1000 + s;
    uint m = id, o = id;
    for (i = from; i < to; i++) { m |= 40; o = o < 3 ? o : 3; }
    p[19] = m * 100 + o;
    // A step that may be none.
    uint step = to & 3;
    for (u = 0, s = 0; u < 20 && step != 0; u += step) s++;
    p[20] = u * 100 + s;
    // These do something.
    volatile int vi;
    for (vi = from & 7; vi < 9; vi++);
    p[21] = vi;
    for (i = 0; i < (int)(id & 3); i++) atomic_inc(n);
    p[22] = i;
    p[23] = 1;
    for (i = 0; i < 6; i++) { if (p[23] > 20) break; p[23] = p[23] * 2 + 1; }
    p[24] = i;
    local uint tile[8];
    tile[id] = id;
    for (i = 0; i < 3; i++) { barrier(CLK_LOCAL_MEM_FENCE); u = tile[(id + i) & 7]; }
    p[25] = u;
    // Left in two places, the counter used behind both.
    for (i = 0; i < 40; i++) { if (i * 3 > (from & 31)) { p[26] = 500 + i; break; } if (i == 7) { p[26] = i; goto end; } }
    p[26] += 1;
end:
    // What the last round reads.
    for (i = 0, u = 0; i < (to & 7); i++) u = a[i];
    p[27] = u;
    long big = from;
    for (s = 0; big < (long)to; big++) s += 2;
    p[28] = (uint)big + s;
    for (i = from; i < to; i++) if (i & 1) s = i;
    p[29] = s;
    float f = 0;
    for (i = from & 7; i < 9; i++) f += 0.5f;
    p[30] = (uint)f * 10 + i;
    for (u = 5; u < 5; u++) u = 99;
    for (i = 3; i == 3; i += 2);
    p[31] = u * 100 + i;
}
