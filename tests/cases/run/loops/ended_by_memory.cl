// no-diagnostics
// The end of a loop lies in memory. Mesa's llvmpipe before version 25 executes lanes that are nobody's work-items, whose loads give 0: where a
// work-group's first dimension is 1 it takes all lanes for the first one.
// run: --kernel k --global 1 --local 1 --arg int[8]:const=1 --arg uint[1] --print out
// prints: out: 6
// run: --kernel k --global 1,4 --local 1,4 --arg int[8]:const=1 --arg uint[4] --print out
// prints: out: 6 7 8 9
// run: --kernel k --global 1,2,2 --local 1,2,2 --arg int[8]:const=1 --arg uint[4] --print out
// prints: out: 6 7 8 9
// run: --kernel k --global 4,1,1 --local 2,1,1 --arg int[8]:const=1 --arg uint[4] --print out
// prints: out: 6 7 8 9
// run: --kernel k --global 3,1,2 --local 3,1,2 --arg int[8]:const=1 --arg uint[6] --print out
// prints: out: 6 7 8 9 10 11
kernel void k(global const int *step, global uint *out) {
    uint n = 0;
    for (int i = 0; i < 6; i += step[i]) n++;
    size_t id = (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0);
    out[id] = n + (uint)id;
}
