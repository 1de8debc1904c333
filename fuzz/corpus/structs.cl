// Structures, unions, arrays of them; initialisers with designators; packed and aligned.
typedef struct { char c; int3 v; union { float f; uint u; } both; short tail[3]; } Item;
struct __attribute__((packed)) Packed { char a; double b; long c; };
constant Item table[2] = { { .v = (int3)(1, 2, 3), .tail = { [2] = 7 } }, { 'x', 5, { .u = 9 } } };
Item change(Item i, int n) { i.tail[n % 3] += n; i.both.u ^= 0x80000000u; return i; }
kernel void k(global Item *p, global struct Packed *q) {
    Item local_copy[2] = { table[0], change(table[1], 4) };
    p[0] = local_copy[get_local_id(0) & 1];
    q->b = (double)p[0].both.f + __builtin_offsetof(Item, tail) + sizeof(struct Packed);
    *(global int *)((global char *)q + 1) = q->a;
}
