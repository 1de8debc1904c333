// The 32-bit atomic functions on global memory, by 64 work-items (OpenCL C §6.15.12.8 of 1.2).
// run: --kernel k --global 64 --local 16 --arg int[10]:values=0,0,0,1000,-5,-1,0,0,5,7 --arg uint[4]:values=0,4294967295,9,100 --arg float[1] --print a --print u --print f
// prints: a: 2016 -2016 64 0 63 0 -1 0 5 42
// prints: u: 63 0 9 36
// prints: f: 2.5
// no-diagnostics
kernel void k(volatile global int *a, volatile global uint *u, volatile global float *f) {
    int i = get_global_id(0);
    atomic_add(a, i);
    atomic_sub(a + 1, i);
    atomic_inc(a + 2);
    atomic_min(a + 3, i);
    atomic_max(a + 4, i);
    atomic_and(a + 5, i);
    atomic_or(a + 6, 1 << (i % 32));
    atomic_xor(a + 7, i);
    atomic_cmpxchg(a + 8, 6, 9);
    if (i == 5) atomic_cmpxchg(a + 9, 7, 42);
    atomic_max(u, (uint)i);
    atomic_min(u + 1, (uint)i);
    atom_add(u + 2, 0u);
    atomic_dec(u + 3);
    if (i == 3) atomic_xchg(f, 2.5f);
}
