// I-2 accepted: source without address spaces: kernel pointers are global, tile_static is local, the rest is inferred.
// options: --infer-address-spaces
// run: --kernel tiles --global 8 --local 4 --arg int[8]:range=1 --arg int[8] --print out
// prints: out: 14 13 12 11 18 17 16 15
// no-diagnostics
int add(int *p, int *q) { return *p + *q; }

kernel void tiles(int *in, int *out) {
    tile_static int tile[4];
    int id = get_local_id(0), ten = 10;
    int *mine = tile + id;
    *mine = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    int *other = &tile[3 - id];
    out[get_global_id(0)] = add(other, &ten);
}
