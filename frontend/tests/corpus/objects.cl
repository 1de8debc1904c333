// Enums, nested records, pointers to arrays, mixed arithmetic.
enum E { A, B = 5, C };
typedef enum { X = 1u << 31 } BigE;
struct Empty {};
struct Bits { int n; int data[4]; };
typedef struct { float3 p; float3 v; } Particle;
typedef struct { uchar r, g, b; } __attribute__((packed)) Rgb;
union Nest { struct { int a, b; }; long l; double d[2]; };
struct Deep { struct { union { int i; float f; }; short s; } in[2]; enum E e; };
static int counter_helper(private int *p) { return (*p)++; }
int rec(struct Deep d) { return d.in[1].i + d.e; }
float3 mk(float x) { return (float3)(x, x + 1, x + 2); }
kernel void k(global struct Bits *b, global Particle *p, global Rgb *rgb, global union Nest *un, global struct Deep *d,
              global enum E *e, const global char *str, local float4 *lf) {
    size_t i = get_global_id(0);
    b->data[i] = b->n; b[0].data[3]++;
    p[i].p += p[i].v * 0.1f; p[i].p.x = mk(3).y; p[i].v.yz *= 2.0f;
    rgb[i] = (Rgb){1, 2, 3}; rgb[i].g ^= 0xff;
    un->a = 3; un->b = un->l >> 32; un[1].d[1] = un->a;
    d->in[i & 1].f = 1.5f; d->e = C; e[0] = B; int r = rec(*d); e[1] = (enum E)r;
    int x = 3; int y = counter_helper(&x) + x;
    int arr[4] = {[2] = 5, [0] = 1}; struct Deep loc = {.in = {{.f = 2.0f}, {.s = 3}}, .e = A};
    d[1] = loc; d[2].in[0] = d[3].in[1];
    lf[i].w = arr[y & 3]; lf[i] = lf[i].wzyx; lf[i].hi = (float2)(1, 2);
    float m[2][2] = {{1, 2}, {3, 4}}; float (*row)[2] = &m[1]; (*row)[0] = m[0][1]; lf[0].x = row[-1][1];
    char c = str[0] ? 'a' : "xyz"[i % 3]; const constant char *s = "lit"; c += s[1];
    unsigned char uc = c; uc >>= 1; uc = uc + 300; short sh = uc * uc; sh <<= 20; long ll = sh; ll <<= 40;
    b->n = (x > 2) + (y == 3) * 2 + !x + ~y + -x + (c ? 1 : 0) + (int)ll; b->n = x, y;
    volatile int vv = 3; vv++; b->n += vv; bool bb = vv; bb = !bb; b->n += bb + (bb ? 2 : 3);
    const int ci = 7; b->n += ci << 3; uint ui = -1; b->n += ui / 3u + ui % 7; int neg = -7 / 2 + -7 % 3; b->n += neg;
    global int *gp = &b->n; gp += i; *gp-- = 1; --gp; gp[1] = *gp; ptrdiff_t pd = gp - &b->n; b->n += pd; gp = 0; if (!gp) b->n = 0;
    for (int q = 0, w = 10; q < w; q++, w--) { if (q == 3) continue; b->n += q; }
}
