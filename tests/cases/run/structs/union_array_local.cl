// Arrays of unions and of structs with unions in local memory, written as one member and read as another.
// run: --kernel k --global 4 --local 4 --arg uint[12] --print out
// prints: out: 1065353216 513 7 1073741824 1027 8 1077936128 1541 9 1082130432 2055 10
// no-diagnostics
typedef struct { union { float f; uint u; uchar b[4]; } a; struct { uchar x, y; ushort z; } s; } E;

kernel void k(global uint *out) {
    local E e[4];
    int i = get_local_id(0), j = 3 - i;
    e[i].a.f = i + 1;
    e[i].s.x = i * 2 + 1;
    e[i].s.y = i * 2 + 2;
    e[i].s.z = i + 7;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[j * 3] = e[j].a.u;
    out[j * 3 + 1] = *(local ushort *)&e[j].s;
    out[j * 3 + 2] = e[j].s.z;
}
