// A-5 accepted: buffers of scalars, vectors and structs in global memory, written anywhere, in functions too.
// no-diagnostics
typedef struct { float3 v; int n; union { int i; float f; } u; } S;
void set(global S *s, float3 v) { s->v = v; s->u.f = v.x; }
kernel void k(global uchar *b, global double2 *d, global S *s, global S *t) {
    global uchar *end = b + 4;
    *end = b[1];
    d[1].x = d[0].y;
    set(s + 1, t->v);
    s[2] = t[3];
    (&s[4])->n++;
}
