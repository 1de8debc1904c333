// Address spaces by number: those of SPIR.
// run: --kernel k --global 4 --local 4 --arg int[8]:range=1 --print p
// prints: p: 5 3 4 8 5 6 7 8
// no-diagnostics
int first(__attribute__((address_space(3))) int *l) { return l[0]; }

kernel void k(__attribute__((address_space(1))) int *p) {
    local int shared[4];
    int i = get_local_id(0);
    shared[3 - i] = p[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    __attribute__((address_space(0))) int own = 1;
    int next = i == 0 ? first(shared) + own : i == 3 ? p[7] : p[i + 1];
    barrier(CLK_GLOBAL_MEM_FENCE);
    p[i] = next;
}
