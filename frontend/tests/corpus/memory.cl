typedef struct { int a; float4 b; char c; } S;
typedef struct __attribute__((packed)) { char a; int b; short c; } P;
typedef struct { char a; int b __attribute__((aligned(16))); } A;
typedef union { int i; float f; uchar bytes[8]; short2 s; } U;
typedef struct { S s[3]; struct { int x, y; } in; U u; bool flag; } N;
struct list { global struct list *next; int value; };
constant float table[4] = {1, 2, 3, 4};
constant S one = {1, {1, 2, 3, 4}, 'x'};
constant U un = {.f = 1.0f};
constant int big[3][4] = {{1, 2}, {3}};
constant int *constant pointers[2] = {&big[1][2], 0};
int take(S s, N n) { s.a++; return s.a + n.in.x + n.u.i; }
S make(int x) { S s = {x}; s.b.y = 3; return s; }
U punned(float f) { U u; u.f = f; return u; }
kernel void k(global S *s, global P *p, global A *a, global U *u, global N *n, S arg, constant int *c,
              local int *l, volatile global int *v, const global float *restrict r) {
    local int buffer[64];
    local S shared;
    size_t i = get_global_id(0), j = get_local_id(0);
    int array[10] = {1, 2, 3};
    float large[100] = {0};
    int matrix[2][3] = {{1, 2, 3}, {4, 5, 6}};
    char text[] = "hello";
    S copy = s[i]; N nest = n[0]; n[1] = n[2]; N other = n[3]; n[4] = other;
    s[i + 1] = copy; copy.b = arg.b; copy.c = text[j % 5]; s[i + 2] = copy; s[0] = make(3);
    p[i].b = p[i].a + p[i].c; a[i].b = a[i + 1].a; u[i].f = u[i].i; u[0].bytes[3] = 1; u[1].s.x = 2;
    array[j % 10] = matrix[j & 1][2]; large[j] = table[i & 3]; *v = *v + 1; buffer[j] = array[1] + c[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    shared.b.x = r[i]; l[j] = buffer[63 - j] + take(arg, nest) + one.a + un.i + *pointers[0];
    global char *bytes = (global char *)s; bytes[4] = 3; *(global float *)(bytes + 8) = large[2];
    int *q = &array[3]; q++; *q = q - array; q -= 2; q[-1] = *(q + 1); bool f = q > array; n[5].flag = f;
    if (n[6].flag && q) n[7].flag = !n[7].flag; n[0].in.y = punned(2.0f).i; n[8].flag++;
    S lit = (S){.c = 1}; s[9] = lit; ulong addr = (ulong)q; v[1] = addr; v[2] = sizeof(N);
    s[10].b = i ? s[11].b : arg.b; arg.a = 4; s[12] = arg;
}
kernel void walk(global struct list *head, global int *out) {
    int sum = 0;
    for (global struct list *at = head; at; at = at->next) sum += at->value;
    global struct list *second = head + 1; second->next = head; out[1] = second - head;
    *out = sum;
}
kernel void inner(global int *p) { p[get_global_id(0)] = 1; }
kernel void outer(global int *p, S s) { inner(p); p[0] = s.a; }
