// Distances of pointers as indices, counts and parts of records: NVIDIA's driver (580) gave other results where it divided them.
// no-diagnostics
// run: --kernel index --global 2 --local 2 --arg uint[6]:range --arg out=int[2] --print out
// prints: out: 2 2
// run: --kernel record --global 1 --arg uint[4]:range --arg out=uint[2] --arg local:26 --print out
// prints: out: 255 1
// run: --kernel elements --global 2 --arg uint[96]:range --arg out=int[4] --print out
// prints: out: 1 -3 2 -3
typedef struct Odd {
    uint words[2];
    uchar byte;
} __attribute__((packed)) Odd;
typedef struct Three {
    uint a, b, c;
} Three;
kernel void index(global uint *in, global int *out) {
    global uint *p = in + get_global_id(0);
    uint distance = (uint)((p + get_local_size(0)) - p);
    out[get_global_id(0)] = in[(distance & 1) + 2];
}
kernel void record(global uint *in, global uint *out, local Odd *odd) {
    global uint *p = in + get_global_id(0);
    odd[0].words[0] = (uint)(int)((p + get_local_size(0)) - p);
    local uint words[2];
    words[0] = 1;
    words[1] = 4294967295u;
    barrier(CLK_LOCAL_MEM_FENCE);
    Odd own[4] = {{{0}, mad_sat((uchar)1, (uchar)words[get_num_groups(0)], (uchar)words[0])}, {{0}}, {{0}}, {{0}}};
    out[0] = own[0].byte;
    out[1] = odd[0].words[0];
}
kernel void elements(global uint *in, global int *out) {
    global Three *p = (global Three *)in;
    size_t i = get_global_id(0);
    global Three *q = p + in[i] + 1;
    out[2 * i] = (int)(q - p);
    out[2 * i + 1] = (int)(q - (q + 3));
}
