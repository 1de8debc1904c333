// A variable whose address is taken, stored to in a loop that work-items leave at different times.
// (Mesa 22.3 gives those that left first what the others' last turn loaded for them: zero.)
// run: --kernel k --global 8 --local 4 --print out --arg out=uint[8] --arg uint[1]:values=15 --arg uint[8]:values=1,0,3,2,0,3,1,1
// prints: out: 15 15 15 15 15 15 15 15
bool is_null(uint *a) {
    return a == 0;
}
kernel void k(global uint *out, global uint *in, global uint *ends) {
    uint i = get_global_id(0), v = 0, n = 0;
    do {
        n += 1;
        v = in[0];
    } while (n < 3 && ends[i] != n);
    if (!is_null(&v)) out[i] = v;
}
