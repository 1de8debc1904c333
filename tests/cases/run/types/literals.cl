// Types and values of literals: suffixes, hexadecimal floats, characters, enumerators (C99 §6.4.4, OpenCL C §6.1).
// run: --kernel k --global 1 --arg long[16] --arg double[6] --print n --print d
// prints: n: 4 8 4 8 8 4294967295 -1 97 -1 7 8 0 255 4294967296 6 1
// prints: d: 0.5 48 0.1 0.10000000149011612 100000000000000000000 3
// no-diagnostics
enum { A = 7, B, C = A - B + 1 };

kernel void k(global long *n, global double *d) {
    n[0] = sizeof(1);
    n[1] = sizeof(1L);
    n[2] = sizeof(0xffffffff);
    n[3] = sizeof(2147483648);
    n[4] = sizeof(1ul);
    n[5] = 0xffffffff;
    n[6] = (int)0xffffffffu;
    n[7] = 'a';
    n[8] = '\377';
    n[9] = A;
    n[10] = B;
    n[11] = C;
    n[12] = (uchar)-1;
    n[13] = 0xffffffff + 1L;
    n[14] = 06;
    n[15] = -1 > 0u;
    d[0] = 0x1p-1;
    d[1] = 0x1.8p5f;
    d[2] = 0.1;
    d[3] = 0.1f;
    d[4] = 1e20;
    d[5] = 3.f;
}
