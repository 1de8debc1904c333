// Vectors of 64-bit integers that were 32-bit ones, compared with constants.
// (Mesa 22.3 compares them wrongly when their lanes are compared together.)

// run: --kernel k --global 1 --arg out=int[8] --arg int:1 --arg int:-3 --print out
// prints: out: 0 -1 0 0 -1 0 1 0
kernel void k(global int *out, int one, int minus_three) {
    long2 a = (long2)(0, (long)one), b = (long2)((long)minus_three, 0);
    long2 more = a > (long2)1, less = b < (long2)0, least = b >= (long2)1;
    out[0] = (int)more.y;
    out[1] = (int)less.x;
    out[2] = (int)less.y;
    out[3] = (int)least.x;
    out[4] = (int)(b <= (long2)-3).x;
    out[5] = (int)((long2)7 < a).y;
    out[6] = any((long3)(0, (long)one, 0) > (long3)0);
    out[7] = any((long3)(0, (long)one, 0) > (long3)1);
}
