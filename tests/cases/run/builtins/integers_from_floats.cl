// A function of integers takes floating arguments beside an integer one, which says the type.
// run: --kernel k --global 1 --arg int[3] --arg float2:3,7.9 --print r
// prints: r: 52 8 1
kernel void k(global int *r, float2 p) {
    r[0] = mad24(p.y, 7, p.x);
    r[1] = mul24(p.x, 2) + 2;
    r[2] = rotate((uchar)128, 1.5f);
}
