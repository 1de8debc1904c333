// %p of objects in every memory: other addresses for other objects, as far from each other as the elements are, what the pointer
// is as an integer; pointers made of integers; null.
// options: -cl-std=CL2.0
// no-diagnostics
// run[address]: --kernel objects --global 1 --arg p=int[16]:const=1 --print p
// prints: 0x0 0x0 0x0
// prints: 0x1234 0xdeadbeef 0x1
// prints: p: 1 1 1 1 4 4 4 1 1 1 1 1 1 1 1 1
void as_generic(int *q, ulong *out) { *out = (ulong)q; }
constant int fixed[2] = { 1, 2 };
global int changing[2];
kernel void objects(global int *p) {
    int a[4], b = p[1];
    local int l[3];
    a[p[1]] = 3;
    ulong addresses[4];
    as_generic(a, addresses);
    as_generic(&b, addresses + 1);
    as_generic(l, addresses + 2);
    as_generic(p, addresses + 3);
    printf("%p %p %p\n", (global int *)0, (int *)0, (constant int *)0);
    printf("%p %p %p\n", (private int *)0x1234, (void *)0xdeadbeefu, (local int *)(ulong)p[1]);
    p[0] = addresses[0] != 0 && addresses[0] == (ulong)a;
    p[1] = addresses[1] != 0 && addresses[1] != addresses[0];
    p[2] = addresses[2] != 0 && addresses[2] == (ulong)l;
    p[3] = addresses[3] == (ulong)p && (ulong)fixed != 0 && (ulong)changing != 0;
    p[4] = (ulong)(a + 1) - (ulong)a;
    p[5] = (ulong)&l[2] - (ulong)&l[1];
    p[6] = (ulong)&fixed[1] - (ulong)fixed;
    p[7] = a[1] + b - 3;
}
