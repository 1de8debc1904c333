// Launches without a work-group size: each work-item of the range runs once, and no other. Kernels that cannot notice their work-groups have
// larger ones at the end than the range has room for, which are cut off: primes, sides of 1, one work-item, offsets, one to three dimensions.
// no-diagnostics
// run: --kernel once --global 1 --arg uint[4] --print t
// prints: t: 1 0 0 0
// run: --kernel once --global 2 --arg uint[4] --print t
// prints: t: 2 1 1 0
// run: --kernel once --global 63 --arg uint[4] --print t
// prints: t: 63 1953 62 0
// run: --kernel once --global 64 --arg uint[4] --print t
// prints: t: 64 2016 63 0
// run: --kernel once --global 65 --arg uint[4] --print t
// prints: t: 65 2080 64 0
// run: --kernel once --global 97 --arg uint[4] --print t
// prints: t: 97 4656 96 0
// run: --kernel once --global 1009 --arg uint[4] --print t
// prints: t: 1009 508536 1008 0
// run: --kernel once --global 65537 --arg uint[4] --print t
// prints: t: 65537 2147516416 65536 0
// run: --kernel once --global 100003 --arg uint[4] --print t
// prints: t: 100003 705282707 100002 0
// run: --kernel once --global 1009 --offset 5 --arg uint[4] --print t
// prints: t: 1009 508536 1008 0
// run: --kernel once --global 256 --offset 3 --arg uint[4] --print t
// prints: t: 256 32640 255 0
// run: --kernel once --global 1,97 --arg uint[4] --print t
// prints: t: 97 4656 96 0
// run: --kernel once --global 97,1 --arg uint[4] --print t
// prints: t: 97 4656 96 0
// run: --kernel once --global 1,1 --arg uint[4] --print t
// prints: t: 1 0 0 0
// run: --kernel once --global 7,13 --arg uint[4] --print t
// prints: t: 91 4095 90 0
// run: --kernel once --global 31,33 --arg uint[4] --print t
// prints: t: 1023 522753 1022 0
// run: --kernel once --global 64,64 --arg uint[4] --print t
// prints: t: 4096 8386560 4095 0
// run: --kernel once --global 257,263 --arg uint[4] --print t
// prints: t: 67591 2284237845 67590 0
// run: --kernel once --global 7,13 --offset 3,4 --arg uint[4] --print t
// prints: t: 91 4095 90 0
// run: --kernel once --global 5,3,11 --arg uint[4] --print t
// prints: t: 165 13530 164 0
// run: --kernel once --global 1,1,97 --arg uint[4] --print t
// prints: t: 97 4656 96 0
// run: --kernel once --global 1,7,1 --arg uint[4] --print t
// prints: t: 7 21 6 0
// run: --kernel once --global 1,1,1 --arg uint[4] --print t
// prints: t: 1 0 0 0
// run: --kernel once --global 64,64,17 --arg uint[4] --print t
// prints: t: 69632 2424272896 69631 0
// run: --kernel once --global 3,257,1 --arg uint[4] --print t
// prints: t: 771 296835 770 0
// run: --kernel once --global 5,3,11 --offset 2,0,9 --arg uint[4] --print t
// prints: t: 165 13530 164 0
// run: --kernel plain --global 13 --arg uint[16]:const=7 --repeat 2 --print p
// prints: p: 9 11 13 15 17 19 21 23 25 27 29 31 33 7 7 7
// run: --kernel plain --global 13 --offset 2 --arg uint[16]:const=7 --print p
// prints: p: 7 7 10 11 12 13 14 15 16 17 18 19 20 21 22 7
// run: --kernel plain --global 1 --arg uint[4] --print p
// prints: p: 1 0 0 0
// run: --kernel flat --global 3,5 --arg uint[4] --print p
// prints: p: 5 5 5 0
// run: --kernel upright --global 3,5 --arg uint[6] --print p
// prints: p: 3 3 3 3 3 0
// run: --kernel none --global 7,11 --arg uint[2] --print p
// prints: p: 77 0
// run: --kernel speaks --global 5,1 --arg uint[2] --print p
// prints: 5 of them
// prints: 5 of them
// prints: 5 of them
// prints: 5 of them
// prints: 5 of them
// prints: p: 5 0
// run: --kernel returns --global 101 --arg uint[4] --print p
// prints: p: 101 51 49 0

uint index(void) {
    uint x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
    uint z = get_global_id(2) - get_global_offset(2);
    return (z * get_global_size(1) + y) * get_global_size(0) + x;
}
// How many there are, the sum of their numbers, the last number; and that no number is too large.
kernel void once(global uint *t) {
    uint i = index();
    atomic_inc(t);
    atomic_add(t + 1, i);
    atomic_max(t + 2, i);
    if (i >= get_global_size(0) * get_global_size(1) * get_global_size(2)) t[3] = 1;
}
kernel void plain(global uint *p) { p[get_global_id(0)] += get_global_id(0) + 1; }
// Kernels that read one dimension of two, and none.
kernel void flat(global uint *p) { atomic_inc(p + get_global_id(0)); }
kernel void upright(global uint *p) { atomic_inc(p + get_global_id(1)); }
kernel void none(global uint *p) { atomic_inc(p); }
kernel void speaks(global uint *p) {
    atomic_inc(p + get_global_id(0) / 8);
    printf("%d of them\n", (int)get_global_size(0));
}
// Returns of its own.
kernel void returns(global uint *p) {
    uint i = get_global_id(0);
    atomic_inc(p);
    if (i % 2) return;
    atomic_inc(p + 1);
    for (uint n = 0; n < 3; n++)
        if (n == i) return;
    atomic_inc(p + (i < 2 ? 3 : 2));
}
