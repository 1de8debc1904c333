// #pragma pack: no member is aligned to more than it says; push and pop; attributes beside it.
// run: --kernel k --global 1 --arg uchar[16]:const=0 --arg int[8] --print bytes --print out
// prints: bytes: 1 4 3 2 1 5 0 0 8 7 6 5 9 0 0 0
// prints: out: 5 8 6 12 16 7 16909060 84281096
// no-diagnostics
#define TWO 2
#pragma pack(push, 1)
typedef struct { uchar tag; uint value; } A;
typedef struct { uchar tag; double4 v __attribute__((aligned(8))); } Wide;
#pragma pack(pop)
typedef struct { uchar tag; uint value; } B;
#pragma pack(TWO)
typedef struct { uchar tag; uint value; } C;
typedef struct { uchar c; ulong d; ushort s; } D;
#pragma pack()
typedef struct { uint a; uchar c; ulong d; } E;
_Static_assert(sizeof(Wide) == 33, "packed around the member");
_Static_assert(__alignof__(C) == 2, "alignment of the struct");
typedef struct { int m __attribute__((aligned(16))); } Over;
_Static_assert(__alignof__(((Over *)0)->m) == 16, "alignment of a member");
_Static_assert(__alignof__((Over){0}.m) == 16, "the same of a compound literal's");

kernel void k(global uchar *bytes, global int *out) {
    global A *a = (global A *)bytes;
    a->tag = 1;
    a->value = 0x01020304;
    bytes[5] = sizeof(A);
    global C *c = (global C *)(bytes + 6);
    c->value = 0x05060708;
    bytes[12] = 9;
    out[0] = sizeof(A);
    out[1] = sizeof(B);
    out[2] = sizeof(C);
    out[3] = sizeof(D);
    out[4] = sizeof(E);
    out[5] = sizeof(A) + __alignof__(B) - 2;
    A copy[2] = { { 0, 0 }, *a };
    out[6] = copy[1].value;
    out[7] = c->value;
}
