// A loop whose condition reads memory, with a return in it that is not taken, or by some work-items alone.
// (llvmpipe of Mesa 22.3 does not come to what stands behind it.)

// run: --kernel bound --global 4 --arg x=ushort[4]:values=5,6,7,8 --arg out=uint[4] --print out
// prints: out: 1 1 1 1
kernel void bound(global const ushort *x, global uint *out) {
    for (uint i = 0; i < (x[0] == 0 ? 300 : 2); i++)
        if (i == 7) return;
    out[get_global_id(0)] = 1;
}

// run: --kernel found --global 4 --arg x=ushort[8]:values=5,6,9,8,7,1,2,7 --arg out=uint[4]:const=9 --print out
// prints: out: 9 9 9 1
kernel void found(global const ushort *x, global uint *out) {
    uint n = 0;
    for (uint i = get_global_id(0); x[i] != 7; i++) {
        if (x[i] == 9) return;
        n++;
    }
    out[get_global_id(0)] = n;
}

// run: --kernel nested --global 4 --arg x=ushort[8]:values=3,2,0,1,7,1,2,7 --arg out=uint[4]:const=9 --print out
// prints: out: 3 2 0 9
kernel void nested(global const ushort *x, global uint *out) {
    uint g = get_global_id(0), n = 0;
    for (uint i = 0; i < x[g]; i++)
        for (uint j = 0; j <= i && x[j] != 0; j++) {
            if (g == 3 && x[j] == 3) return;
            n += x[j] == 3;
        }
    out[g] = n;
}
