// Whole structs and arrays in structs copied between global, local and private memory; padding does not matter.
// run: --kernel k --global 2 --local 2 --arg int[16]:range --arg int[16] --print out
// prints: out: 4 105 6 7 0 3 1 0 0 101 2 3 0 7 5 0
// no-diagnostics
typedef struct { int a; int b[2]; char c; } S;

kernel void k(global const S *in, global S *out) {
    local S l[2];
    int i = get_local_id(0);
    S mine = in[i];
    l[i] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    S other = l[1 - i];
    other.b[0] += 100;
    out[i * 2] = other;
    S arr[2] = { mine, other };
    global int *o = (global int *)&out[i * 2 + 1];
    o[0] = arr[i].b[1] == other.b[1] ? other.a : 0;
    o[1] = arr[0].c;
    o[2] = arr[0].b[0] + (i ? 0 : 0);
    o[3] = 0;
}
