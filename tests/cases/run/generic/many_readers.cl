// Many readers and writers of memories that hold pointers: the search for what is in them took for ever (a random program).
// options: -cl-std=CL2.0 -w
// run[address]: --kernel k --global 4 --local 4 --arg int[16]:range=100 --arg int[16]:range=200 --arg int[32]:const=0 --print out
// prints: out: -1342339909 793318396 0 0 99 0 5 0 1838804878 -1030137559 0 0 99 1 5 0 7555796 980897917 0 0 99 2 2 0 -1823693283 2141263342 0 0 99 3 2 0
// no-diagnostics
typedef struct { int n;  int *p; } SN;
typedef union {  int *p; uint w[2]; } UN;
int getN( int *p) { return p ? *p : 3; }
void setN( int *p, int v) { if (p) *p = v; }
 int *pickN( int *a,  int *b, int n) { return n & 2 ? a : b; }
kernel void k(global int *a, global int *b, global int *out) {
    int i = get_global_id(0);
    int x[4], y[3], z[1], c0 = i, c1 = 5;
    local int lm[16], mm[12];
    local int *l = lm + 4 * i, *m = mm + 3 * i;
    global int *ga = a + 4 * i, *gb = b + 4 * i;
    for (int n = 0; n < 4; ++n) { x[n] = n + i; l[n] = 20 + n - i; }
    for (int n = 0; n < 3; ++n) { y[n] = 10 * n + i; m[n] = 7 * n; }
    z[0] = 99;
     int *pN0 = 0, *pN1 = (( int *)(ga)), *pN2 = (( int *)(l));
     int *tN[3] = { pN2, 0, pN1 };
    SN sN[2] = { { 1, pN1 }, { 2, 0 } };
    UN uN;
     int **ppN = &pN1;
    uN.p = pN1;
    pN1 = (( int *)(((ulong)uN.w[1] << 32 | uN.w[0])));
    ppN = &pN0;
    for (int k0 = 0; k0 < 2; ++k0) {
        tN[(uint)((getN((( int *)(&z[(uint)(c0) % 1]))) + getN(pN0))) % 3u] = (( int *)((ulong)(pN1) + 12 - 4 * (ulong)3));
        if (((ulong)(( int *)(&m[(uint)(sN[(uint)(2) % 2u].n) % 3])) == (ulong)sN[(uint)(c1) % 2u].p)) break;
    }
    if ((pickN((( int *)((ulong)((( int *)(&gb[(uint)(5) % 4]))) + 12 - 4 * (ulong)3)), (( int *)(&gb[(uint)(c0) % 4])), getN(pN2)) != (( int *)(&z[(uint)(getN(pN0)) % 1])))) {
        if ((sN[(uint)(i) % 2u].p != pickN(pN2, (( int *)((ulong)(pN2) + 12 - 4 * (ulong)3)), c1))) {
            *ppN = ( int *)0;
            ppN = &pN2;
            pN2 = (( int *)(&z[(uint)(getN((( int *)(&x[(uint)(i) % 4])))) % 1]));
        }
        ppN = &tN[(uint)((2 - i)) % 3u];
        if (!pN0) {
            ppN = &sN[(uint)(getN((( int *)((ulong)((( int *)(&ga[(uint)(c1) % 4]))))))) % 2u].p;
            uN.p = pN1;
            pN1 = (( int *)(((ulong)uN.w[1] << 32 | uN.w[0])));
            pN1 = tN[(uint)(1) % 3u];
        }
    } else {
        pN1 = (( int *)((ulong)((( int *)(&x[(uint)(getN(pN2)) % 4])))));
    }
    for (int k1 = 0; k1 < 3; ++k1) {
        if ((((5 - 4)) & 1)) {
            tN[(uint)(i) % 3u] = (( int *)(&ga[(uint)(getN((( int *)(&m[(uint)(i) % 3])))) % 4]));
            if (!( int *)0) {
                sN[(uint)(getN(tN[(uint)(c0) % 3u])) % 2u] = sN[(uint)(sN[(uint)(getN((( int *)(&m[(uint)(i) % 3])))) % 2u].n) % 2u];
            }
            if (((getN(pN2)) & 1)) {
                setN(pN0, getN(pN0));
            } else {
                pN1 = tN[(uint)(c1) % 3u];
                *ppN = ((( int *)(&m[(uint)(getN((( int *)((ulong)(pN1))))) % 3])) + 3 - 3);
            }
        } else {
            uN.p = (( int *)((ulong)((( int *)(&gb[(uint)(getN(pN0)) % 4]))) + 12 - 4 * (ulong)3));
            pN0 = (( int *)(((ulong)uN.w[1] << 32 | uN.w[0])));
        }
        for (int k2 = 0; k2 < 2; ++k2) {
            if (!( int *)0) {
                pN1 = (((ulong)(( int *)(&l[(uint)(c0) % 4])) != (ulong)pN2) ? (( int *)(&ga[(uint)(getN(( int *)0)) % 4])) : pickN(sN[(uint)(i) % 2u].p, (( int *)(&l[(uint)(i) % 4])), c0));
                ppN = &tN[(uint)(getN((( int *)(&x[(uint)(c0) % 4])))) % 3u];
                ppN = &pN2;
            }
            for (int k3 = 0; k3 < (i & 3); ++k3) {
                sN[(uint)(sN[(uint)((c1 - 7)) % 2u].n) % 2u].p = (( int *)((ulong)(tN[(uint)(i) % 3u]) + 12 - 4 * (ulong)3));
                pN2 = ((( int *)(&y[(uint)(sN[(uint)(i) % 2u].n) % 3])) + 3 - 3);
            }
            if ((pN2 != 0)) break;
        }
    }
    if (((((ulong)pN1 == (ulong)(( int *)(&l[(uint)(i) % 4]))) ? (( int *)((ulong)((( int *)(&ga[(uint)(c1) % 4]))))) : tN[(uint)(i) % 3u]) != 0)) {
        for (int k4 = 0; k4 < (i & 3); ++k4) {
            uN.p = ((( int *)(&m[(uint)(4) % 3])) + 3 - 3);
            pN1 = (( int *)(((ulong)uN.w[1] << 32 | uN.w[0])));
            for (int k5 = 0; k5 < 3; ++k5) {
                pN0 = ( int *)0;
                sN[(uint)(sN[(uint)(getN(( int *)0)) % 2u].n) % 2u].p = ((( int *)(&ga[(uint)(getN(pN0)) % 4])) + 4 - 4);
                sN[(uint)(getN((( int *)(&gb[(uint)(c0) % 4])))) % 2u] = sN[(uint)(sN[(uint)(i) % 2u].n) % 2u];
            }
            if ((((c1 + sN[(uint)(c1) % 2u].n)) & 1)) {
                sN[(uint)(sN[(uint)(sN[(uint)(i) % 2u].n) % 2u].n) % 2u] = sN[(uint)(getN((( int *)((ulong)((( int *)(&l[(uint)(c0) % 4]))))))) % 2u];
                c1 = sN[(uint)(2) % 2u].n;
            }
        }
        {  int *h = pN0; pN0 = pN2; pN2 = h; }
        {  int *h = pN0; pN0 = pN1; pN1 = h; }
    }
    setN(sN[(uint)((getN(pN1) ^ 0)) % 2u].p, getN(pickN(((( int *)(&x[(uint)(c0) % 4])) + 4 - 4), (( int *)(&l[(uint)(1) % 4])), 1)));
    *ppN = (( int *)((ulong)((( int *)((ulong)(sN[(uint)(5) % 2u].p)))) + 12 - 4 * (ulong)3));
    int h = 0, w = 0;
    for (int n = 0; n < 4; ++n) h = h * 31 + x[n] * 7 + l[n] * 5 + ga[n] * 3 + gb[n];
    for (int n = 0; n < 3; ++n) h = h * 31 + y[n] * 7 + m[n];
    h = h * 31 + z[0]; h = h * 31 + c0; h = h * 31 + c1;
    out[8 * i] = h;
    out[8 * i + 4] = z[0]; out[8 * i + 5] = c0; out[8 * i + 6] = c1;
    w = 0;
    w = w * 31 + (pN0 == 0);
    for (int n = 0; n < 4; ++n) w = w * 31 + (pN0 == (( int *)(x + n))) * (n + 1);
    for (int n = 0; n < 3; ++n) w = w * 31 + (pN0 == (( int *)(y + n))) * (n + 1);
    for (int n = 0; n < 1; ++n) w = w * 31 + (pN0 == (( int *)(z + n))) * (n + 1);
    for (int n = 0; n < 4; ++n) w = w * 31 + (pN0 == (( int *)(l + n))) * (n + 1);
    for (int n = 0; n < 3; ++n) w = w * 31 + (pN0 == (( int *)(m + n))) * (n + 1);
    for (int n = 0; n < 4; ++n) w = w * 31 + (pN0 == (( int *)(ga + n))) * (n + 1);
    for (int n = 0; n < 4; ++n) w = w * 31 + (pN0 == (( int *)(gb + n))) * (n + 1);
    w = w * 31 + (pN1 == 0);
    for (int n = 0; n < 4; ++n) w = w * 31 + (pN1 == (( int *)(x + n))) * (n + 1);
    for (int n = 0; n < 3; ++n) w = w * 31 + (pN1 == (( int *)(y + n))) * (n + 1);
    for (int n = 0; n < 1; ++n) w = w * 31 + (pN1 == (( int *)(z + n))) * (n + 1);
    for (int n = 0; n < 4; ++n) w = w * 31 + (pN1 == (( int *)(l + n))) * (n + 1);
    for (int n = 0; n < 3; ++n) w = w * 31 + (pN1 == (( int *)(m + n))) * (n + 1);
    for (int n = 0; n < 4; ++n) w = w * 31 + (pN1 == (( int *)(ga + n))) * (n + 1);
    for (int n = 0; n < 4; ++n) w = w * 31 + (pN1 == (( int *)(gb + n))) * (n + 1);
    w = w * 31 + (pN2 == 0);
    for (int n = 0; n < 4; ++n) w = w * 31 + (pN2 == (( int *)(x + n))) * (n + 1);
    for (int n = 0; n < 3; ++n) w = w * 31 + (pN2 == (( int *)(y + n))) * (n + 1);
    for (int n = 0; n < 1; ++n) w = w * 31 + (pN2 == (( int *)(z + n))) * (n + 1);
    for (int n = 0; n < 4; ++n) w = w * 31 + (pN2 == (( int *)(l + n))) * (n + 1);
    for (int n = 0; n < 3; ++n) w = w * 31 + (pN2 == (( int *)(m + n))) * (n + 1);
    for (int n = 0; n < 4; ++n) w = w * 31 + (pN2 == (( int *)(ga + n))) * (n + 1);
    for (int n = 0; n < 4; ++n) w = w * 31 + (pN2 == (( int *)(gb + n))) * (n + 1);
    w = w * 31 + (tN[0] == 0);
    for (int n = 0; n < 4; ++n) w = w * 31 + (tN[0] == (( int *)(x + n))) * (n + 1);
    for (int n = 0; n < 3; ++n) w = w * 31 + (tN[0] == (( int *)(y + n))) * (n + 1);
    for (int n = 0; n < 1; ++n) w = w * 31 + (tN[0] == (( int *)(z + n))) * (n + 1);
    for (int n = 0; n < 4; ++n) w = w * 31 + (tN[0] == (( int *)(l + n))) * (n + 1);
    for (int n = 0; n < 3; ++n) w = w * 31 + (tN[0] == (( int *)(m + n))) * (n + 1);
    for (int n = 0; n < 4; ++n) w = w * 31 + (tN[0] == (( int *)(ga + n))) * (n + 1);
    for (int n = 0; n < 4; ++n) w = w * 31 + (tN[0] == (( int *)(gb + n))) * (n + 1);
    w = w * 31 + (tN[1] == 0);
    for (int n = 0; n < 4; ++n) w = w * 31 + (tN[1] == (( int *)(x + n))) * (n + 1);
    for (int n = 0; n < 3; ++n) w = w * 31 + (tN[1] == (( int *)(y + n))) * (n + 1);
    for (int n = 0; n < 1; ++n) w = w * 31 + (tN[1] == (( int *)(z + n))) * (n + 1);
    for (int n = 0; n < 4; ++n) w = w * 31 + (tN[1] == (( int *)(l + n))) * (n + 1);
    for (int n = 0; n < 3; ++n) w = w * 31 + (tN[1] == (( int *)(m + n))) * (n + 1);
    for (int n = 0; n < 4; ++n) w = w * 31 + (tN[1] == (( int *)(ga + n))) * (n + 1);
    for (int n = 0; n < 4; ++n) w = w * 31 + (tN[1] == (( int *)(gb + n))) * (n + 1);
    w = w * 31 + (tN[2] == 0);
    for (int n = 0; n < 4; ++n) w = w * 31 + (tN[2] == (( int *)(x + n))) * (n + 1);
    for (int n = 0; n < 3; ++n) w = w * 31 + (tN[2] == (( int *)(y + n))) * (n + 1);
    for (int n = 0; n < 1; ++n) w = w * 31 + (tN[2] == (( int *)(z + n))) * (n + 1);
    for (int n = 0; n < 4; ++n) w = w * 31 + (tN[2] == (( int *)(l + n))) * (n + 1);
    for (int n = 0; n < 3; ++n) w = w * 31 + (tN[2] == (( int *)(m + n))) * (n + 1);
    for (int n = 0; n < 4; ++n) w = w * 31 + (tN[2] == (( int *)(ga + n))) * (n + 1);
    for (int n = 0; n < 4; ++n) w = w * 31 + (tN[2] == (( int *)(gb + n))) * (n + 1);
    w = w * 31 + (sN[0].p == 0);
    for (int n = 0; n < 4; ++n) w = w * 31 + (sN[0].p == (( int *)(x + n))) * (n + 1);
    for (int n = 0; n < 3; ++n) w = w * 31 + (sN[0].p == (( int *)(y + n))) * (n + 1);
    for (int n = 0; n < 1; ++n) w = w * 31 + (sN[0].p == (( int *)(z + n))) * (n + 1);
    for (int n = 0; n < 4; ++n) w = w * 31 + (sN[0].p == (( int *)(l + n))) * (n + 1);
    for (int n = 0; n < 3; ++n) w = w * 31 + (sN[0].p == (( int *)(m + n))) * (n + 1);
    for (int n = 0; n < 4; ++n) w = w * 31 + (sN[0].p == (( int *)(ga + n))) * (n + 1);
    for (int n = 0; n < 4; ++n) w = w * 31 + (sN[0].p == (( int *)(gb + n))) * (n + 1);
    w = w * 31 + (sN[1].p == 0);
    for (int n = 0; n < 4; ++n) w = w * 31 + (sN[1].p == (( int *)(x + n))) * (n + 1);
    for (int n = 0; n < 3; ++n) w = w * 31 + (sN[1].p == (( int *)(y + n))) * (n + 1);
    for (int n = 0; n < 1; ++n) w = w * 31 + (sN[1].p == (( int *)(z + n))) * (n + 1);
    for (int n = 0; n < 4; ++n) w = w * 31 + (sN[1].p == (( int *)(l + n))) * (n + 1);
    for (int n = 0; n < 3; ++n) w = w * 31 + (sN[1].p == (( int *)(m + n))) * (n + 1);
    for (int n = 0; n < 4; ++n) w = w * 31 + (sN[1].p == (( int *)(ga + n))) * (n + 1);
    for (int n = 0; n < 4; ++n) w = w * 31 + (sN[1].p == (( int *)(gb + n))) * (n + 1);
    w = w * 31 + (*ppN == 0);
    for (int n = 0; n < 4; ++n) w = w * 31 + (*ppN == (( int *)(x + n))) * (n + 1);
    for (int n = 0; n < 3; ++n) w = w * 31 + (*ppN == (( int *)(y + n))) * (n + 1);
    for (int n = 0; n < 1; ++n) w = w * 31 + (*ppN == (( int *)(z + n))) * (n + 1);
    for (int n = 0; n < 4; ++n) w = w * 31 + (*ppN == (( int *)(l + n))) * (n + 1);
    for (int n = 0; n < 3; ++n) w = w * 31 + (*ppN == (( int *)(m + n))) * (n + 1);
    for (int n = 0; n < 4; ++n) w = w * 31 + (*ppN == (( int *)(ga + n))) * (n + 1);
    for (int n = 0; n < 4; ++n) w = w * 31 + (*ppN == (( int *)(gb + n))) * (n + 1);
    out[8 * i + 1] = w;
}
