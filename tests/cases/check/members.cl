// Arrays that are members of structs have bounds of their own, where they are indexed themselves.
// run: --check --kernel variables --global 4 --arg out=int[4]:zero --print out
// reports: 23 bounds: a write of 4 bytes beyond the member 'b'
// reports: 24 bounds: a read of 4 bytes 8 bytes before the member 'c'
// prints: out: -1 0 1 2
// run: --check --kernel buffers --global 4 --arg s=int[16]:zero --arg out=int[4]:zero --print out
// reports: 30 bounds: beyond the member 'b'
// prints: out: 4 4 4 4
// run: --check --kernel unions --global 8 --arg out=int[8]:zero --print out
// reports: 41 bounds: a read of 2 bytes beyond the member 'u'
// prints: out: 1 1 1 1 1 1 0 0
// run: --check --kernel of_unions --global 6 --arg s=int[16]:range --arg out=int[6]:zero --print out
// reports: 48 bounds: a read of 2 bytes beyond the member
// reports: 49 bounds: beyond the member
// prints: out: 3 0 4 0 0 0
// run: --check --kernel right --global 4 --arg s=int[16]:zero --arg out=int[4]:zero --print out
// prints: out: 3 4 5 6
struct S { int a; int b[2]; int c[5]; };

kernel void variables(global int *out) {
    volatile struct S s = {-1, {0, 0}, {-2, 0, 0, 0, 0}};
    int i = get_global_id(0);
    s.b[i] = i - 1;
    out[i] = i == 1 ? s.c[i - 1] + 2 : s.c[i - 2];
}

// The last member behind a pointer may be longer than it is declared: 'c' here.
kernel void buffers(global struct S *s, global int *out) {
    int i = get_global_id(0);
    if (i == 0) s->c[6] = s->b[2] + 4;
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = s->c[6];
}

union U { short f; int g; };
struct T { union U u[3][2]; int last; };
kernel void unions(global int *out) {
    struct T t = {{{{1}, {1}}, {{1}, {1}}, {{1}, {1}}}, 0};
    volatile struct T *p = &t;
    int i = get_global_id(0);
    if (i < 7) out[i] = p->u[0][i].f;
}

union V { int whole; short parts[2]; };
struct W { int a[3]; union V v; int rest[2]; union { int lanes[2]; float other[2]; }; int end; };
kernel void of_unions(global struct W *s, global int *out) {
    int i = get_global_id(0);
    if (i < 3) out[i] = s->v.parts[i];
    else out[i] = 7 - s->lanes[i - 3] - 1 + i - 3;
}

// Rows are walked through, a pointer is past the end, and another pointer is one into the whole struct.
kernel void right(global struct S *s, global int *out) {
    struct T t;
    struct S own = {0, {1, 2}, {3, 4, 5, 6, 7}};
    int i = get_global_id(0), sum = 0;
    for (int *p = own.b; p != &own.b[2]; p++) sum += *p;
    for (int k = 0; k < 6; k++) t.u[0][k].g = k;
    int *all = (int *)&own;
    out[i] = sum - 3 + all[3 + i] + (t.u[1][0].g - 2) + s->a;
}
