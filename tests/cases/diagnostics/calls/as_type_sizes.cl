// §6.4.4.2: as_typen takes any type of as many bytes, where three components count as four.
kernel void k(global int *p, global char3 *c, global ushort8 *u, short2 s, int3 i, uchar8 b) {
    p[0] = as_int(c[0]);
    c[0] = as_char3(s);
    s = as_short2(c[1]);
    u[0] = as_ushort8(i);
    i = as_int3(u[1]);
    u[2] = as_ushort8(b); //~ error[no-matching-builtin]: no overload of 'as_ushort8' takes (uchar8)
    p[1] = as_int3(s).x; //~ error[no-matching-builtin]: no overload of 'as_int3' takes (short2)
}
