// structures; what the type's size is stays. The numbers are clang 15's.
// no-diagnostics
// run: --kernel layouts --global 1 --arg p=int[66]:zero --print p
// prints: p: 32 16 16 6 2 2 5 1 1 5 1 1 32 16 16 8 4 4 9 1 1 64 32 32 20 4 4 52 4 4 32 16 16 37 1 1 13 1 1 14 2 2 16 8 8 8 4 4 16 4 4 4 16 2 16 32 8 16 12 16 24 1 1 32 2 48
// run: --kernel accesses --global 1 --arg bytes=uchar[96]:range --arg p=int[31]:zero --print p
// prints: p: 67305985 202050057 84148994 1 269422093 202050057 336794129 235736075 572596255 134678021 84148994 218893066 353637138 555753246 218893066 84148994 117835012 84148994 100992003 755041320 7 1125205054 84281096 134678021 67305985 38 117835012 252579084 134678021 1118469 38
typedef int A16 __attribute__((aligned(16)));
typedef A16 A2 __attribute__((aligned(2)));
typedef A16 AA;
typedef int A1 __attribute__((aligned(1)));
typedef struct { char c; int i; } S;
typedef S S1 __attribute__((aligned(1)));
typedef S S32 __attribute__((aligned(32)));
typedef float4 u4 __attribute__((aligned(4)));
typedef int arr[3] __attribute__((aligned(16)));
typedef int arr1[3] __attribute__((aligned(1)));
struct X1 { char c; A16 a; };
struct X2 { char c; A2 a; };
struct X3 { char c; A16 a; } __attribute__((packed));
struct X4 { char c; A16 a __attribute__((packed)); };
struct X5 { char c; A16 a __attribute__((aligned(2))); };
struct X6 { char c; A2 a __attribute__((aligned(4))); };
struct X7 { char c; S1 a; };
struct X8 { char c; S32 a; };
struct X9 { char c; u4 a; };
struct X10 { char c; u4 a[3]; };
struct X11 { char c; arr a; };
struct X12 { char c; arr1 a; arr1 b[2]; };
struct X13 { char c; arr1 a; } __attribute__((packed));
struct X14 { char c; A2 a[3]; };
struct X15 { char c; char d; global A2 *a; };
#pragma pack(4)
struct X17 { char c; A16 a; };
struct X18 { char c; arr a; };
#pragma pack()
#define LAYOUT(n, x) \
    p[n] = sizeof(struct x); \
    p[n + 1] = __builtin_offsetof(struct x, a); \
    p[n + 2] = __alignof__(struct x);
kernel void layouts(global int *p) {
    LAYOUT(0, X1) LAYOUT(3, X2) LAYOUT(6, X3) LAYOUT(9, X4) LAYOUT(12, X5) LAYOUT(15, X6) LAYOUT(18, X7)
    LAYOUT(21, X8) LAYOUT(24, X9) LAYOUT(27, X10) LAYOUT(30, X11) LAYOUT(33, X12) LAYOUT(36, X13) LAYOUT(39, X14)
    LAYOUT(42, X15) LAYOUT(45, X17) LAYOUT(48, X18)
    // X15's pointer has 4 bytes on devices with addresses of 32 bits.
    for (int n = 42; n < 45; n++)
        p[n] = p[n] * 8 / (int)sizeof(void *);
    p[51] = sizeof(A16);
    p[52] = __alignof__(A16);
    p[53] = __alignof__(A2);
    p[54] = __alignof__(AA);
    p[55] = __alignof__(S32);
    p[56] = sizeof(S32);
    p[57] = sizeof(u4);
    p[58] = sizeof(arr);
    p[59] = __alignof__(arr);
    p[60] = sizeof(arr1[2]);
    p[61] = __alignof__(A1[4]);
    p[62] = __alignof__(struct { A1 x; });
    struct { char c; struct X1 inner[1]; } nested;
    p[63] = sizeof(nested) - 16;
    p[64] = __alignof__(__typeof__(*(A2 *)0));
    p[65] = sizeof(struct { A16 x; char c; A16 y; char d; A16 z; });
}
typedef uint4 packed4 __attribute__((aligned(1)));
typedef long L1 __attribute__((aligned(1)));
struct M { char c; A2 m; A1 more[2]; packed4 v; L1 l; };
int read(global const A1 *p) { return *p; }
int read2(const A1 *p) { return *p; }
constant uchar table[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
kernel void accesses(global uchar *bytes, global int *p) {
    global A1 *odd = (global A1 *)(bytes + 1);
    p[0] = *odd;
    p[1] = odd[2];
    p[2] = *(global A2 *)(bytes + 2);
    global S1 *s = (global S1 *)(bytes + 1);
    p[3] = s->c;
    p[4] = s[1].i;
    p[5] = ((global arr1 *)(bytes + 1))[0][2];
    p[6] = ((global arr1 *)(bytes + 1))[1][1];
    p[7] = (*(global packed4 *)(bytes + 3)).z;
    p[8] = ((global packed4 *)(bytes + 3))[1].w;
    p[9] = read((global A1 *)(bytes + 5));
    p[10] = ((global struct M *)bytes)->m;
    p[11] = ((global struct M *)bytes)->more[1];
    p[12] = ((global struct M *)bytes)->v.y;
    p[13] = ((global struct M *)bytes)->l;
    p[14] = read(&((global struct M *)bytes)->more[1]);
    uchar mine[12];
    for (int i = 0; i < 12; i++) mine[i] = bytes[i] + 1;
    p[15] = *(A1 *)(mine + p[3]);
    p[16] = read2((A1 *)(mine + 3));
    p[17] = *(constant A1 *)(table + p[3]);
    p[18] = *(constant A1 *)(table + 2);
    *(global A1 *)(bytes + 41) = 0x01020304;
    p[19] = bytes[40] + (bytes[41] << 8) + (bytes[44] << 16) + (bytes[45] << 24);
    *(global A1 *)(bytes + 41) += 0x01010101;
    p[20] = bytes[41] + bytes[44];
    (*(global packed4 *)(bytes + 51)).s3 = 0x11223344;
    p[21] = bytes[62] + (bytes[63] << 8) + (bytes[66] << 16) + (bytes[67] << 24);
    global struct M *m = (global struct M *)(bytes + 2);
    m->l = 0x0102030405060708L;
    p[22] = m->l;
    p[23] = (p[3] ? odd : (global int *)bytes)[1];
    local uchar shared[16];
    for (int i = 0; i < 16; i++) shared[i] = bytes[i];
    p[24] = *(local A1 *)(shared + p[3]);
    p[25] = sizeof(struct M);
    struct M mm = *(global struct M *)(bytes + 2);
    p[26] = mm.m;
    p[27] = mm.more[1];
    S s2 = *s;
    p[28] = s2.i;
    *s = (S){ 5, 0x11111111 };
    p[29] = bytes[1] + (bytes[5] << 8) + (bytes[8]<<16);
    p[30] = sizeof(*m);
}
