// Work-groups larger than small devices', with barriers in a function, in loops within loops that are left by break and continue, and in a switch.
// no-diagnostics
// run: --kernel k --global 512 --local 256 --arg int[512] --arg local:1024 --arg int:6 --print out:6
// prints: item 300 sum 2774
// prints: out: 446 2143 1621 3926 2096 21025 …
// run: --kernel k --global 1024 --local 512 --arg int[1024] --arg local:2048 --arg int:6 --print out:6
// prints: item 300 sum -1578
// prints: out: 446 4191 3157 8022 4144 42529 …
typedef struct { int a; float b[3]; } S;
void sync(local int *l, int i, int v) { barrier(CLK_LOCAL_MEM_FENCE); l[i] = v; barrier(CLK_LOCAL_MEM_FENCE); }
kernel void k(global int *out, local int *l, int n) {
    int i = get_local_id(0), g = get_global_id(0), size = get_local_size(0);
    S s = { i, { i * 0.5f, i + 1.0f, 3.0f } };
    int sum = 0;
    for (int a = 0; a < n; a++) {
        for (int b = 0; b <= a; b++) {
            sync(l, i, i + a * b + s.a);
            sum += l[(i + 1) % size];
            if (b == 2) { sync(l, i, sum); sum ^= l[size - 1 - i]; break; }
        }
        switch (a & 3) {
            case 0: sync(l, i, sum); sum += l[(i + 7) % size]; break;
            case 1: s.b[a % 3] += sum; 
            case 2: sync(l, i, (int)s.b[1]); sum -= l[(i + 2) % size]; break;
            default: continue;
        }
        int w = 0;
        while (true) { sync(l, i, w + sum); w += 1; if (w > a) break; sum += l[(i + w) % size] & 3; }
        s.a += a;
    }
    out[g] = sum + s.a + (int)s.b[0];
    if (g == 300) printf("item %d sum %d\n", g, sum);
}
