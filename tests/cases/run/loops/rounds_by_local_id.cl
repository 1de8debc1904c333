// How often a loop goes round follows from the local id: once or twice, one to four times, downwards.
// no-diagnostics
// run: --kernel tiles --global 8 --local 4 --arg int[10]:range=1 --arg int[8] --print out
// prints: out: 26 40 9 16 26 40 9 16
// run: --kernel counts --global 8,2 --local 4,2 --arg uint[16] --print out
// prints: out: 4111 3211 2311 1411 4111 3211 2311 1411 4122 3222 2322 1422 4122 3222 2322 1422
__attribute__((reqd_work_group_size(4, 1, 1))) kernel void tiles(global const int *in, global int *out) {
    local int tile[6];
    int id = get_local_id(0), sum = 0;
    for (int i = id; i < 6; i += 4) tile[i] = in[i] * in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i <= 1 - id + (1 + 3 * id) / 4; i++) sum += tile[id + 4 * i];
    out[get_global_id(0)] = sum;
}

__attribute__((reqd_work_group_size(4, 2, 1))) kernel void counts(global uint *out) {
    uint x = get_local_id(0), y = get_local_id(1), n = 0;
    for (uint i = x; i < 4; i++) n += 1000;
    for (uint i = 0; i <= x; i++) n += 100;
    for (uint i = y; i <= 2 * y; i++) n += 10;
    for (uint i = y + 4; i > 3; i--) n += 1;
    out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = n;
}
