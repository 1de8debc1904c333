// §6.3.1: the built-in scalar types and their other names.
// no-diagnostics
kernel void k(global int *p, global half *h) {
    bool b = true;
    char c = 'a'; signed char sc = -1; unsigned char uc = 1; uchar u = 2;
    short s = 1; short int si = 2; unsigned short us = 3; ushort us2 = 4;
    int i = b; signed x = 5; unsigned int ui = 6; unsigned u3 = 7; uint u4 = 8;
    long l = 9; long int li = 10; int long il = 11; unsigned long ul = 12; ulong ul2 = 13;
    float f = 1.0f;
    double d = 2.0;
    size_t z = sizeof(int); ptrdiff_t pd = p - p; intptr_t ip = (intptr_t)p; uintptr_t up = (uintptr_t)p;
    const volatile int cv = 0; int const volatile vc = 1;
    void *v = 0;
    _Static_assert(sizeof(bool) == 1 && sizeof(char) == 1 && sizeof(short) == 2 && sizeof(int) == 4 && sizeof(long) == 8, "");
    _Static_assert(sizeof(half) == 2 && sizeof(float) == 4 && sizeof(double) == 8 && sizeof(size_t) == 8 && sizeof(void *) == 8, "");
}
