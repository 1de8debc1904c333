// Loads, stores, vectors of them, cache hints, addresses of every state space, atomics, fences, barriers.
// options: -cl-std=CL3.0
// no-diagnostics
// run: --kernel loads --global 1 --arg uint[8]:values=1,2,3,4,0x80ff7f01,0xdeadbeef,7,8 --arg ulong[16] --print out
// prints: out: 1 7 10 5900156400 127 18446744073709519103 1 4294934783 3735928559 4 34359738375 99 55 66 2 6
// run: --kernel own --global 1 --arg uint[2] --print out
// prints: out: 99 7
// run: --kernel stores --global 1 --arg uint[10]:const=0 --print out
// prints: out: 5 591724681 10 11 4 3 2 1 1065353216 77
// run: --kernel atomics --global 64 --arg uint[12]:values=0,0,0,4294967295,0,0,4294967295,0,0,0,0,5 --arg float[2]:const=0 --arg int[1]:const=-5 --print p --print f --print s
// prints: p: 64 63 4294967295 0 63 0 1 64 4 4 0 5
// prints: f: 32 16
// prints: s: 63
// run: --kernel together --global 64 --local 32 --arg uint[64] --print out
// prints: out: 31 30 29 28 27 26 25 24 23 22 21 20 19 18 17 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0 31 30 29 28 27 26 25 24 23 22 21 20 19 18 17 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0
// run: --kernel swap --global 64 --arg uint[3]:values=0,0,7 --print p
// prints: p: 64 0 7
// run: --kernel threads --global 6,4,2 --local 3,2,1 --arg uint[1]:const=0 --print wrong
// prints: wrong: 0

kernel void loads(global uint *in, global ulong *out) {
    uint a, b, c, d;
    ulong l;
    asm("ld.global.u32 %0, [%1];" : "=r"(a) : "l"(in));
    out[0] = a;
    asm("ld.global.cg.u32 %0, [%1+24];" : "=r"(a) : "l"(in));
    out[1] = a;
    asm("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(in));
    out[2] = a + b + c + d;
    asm volatile("ld.global.nc.L1::no_allocate.v2.b32 {%0, %1}, [%2+16];" : "=r"(a), "=r"(b) : "l"(in));
    out[3] = (ulong)a + b;
    // Narrow loads into wider registers.
    asm("ld.global.s8 %0, [%1+17];" : "=r"(a) : "l"(in));
    out[4] = a;
    asm("ld.global.s16 %0, [%1+18];" : "=l"(l) : "l"(in));
    out[5] = l;
    asm("ld.global.u8 %0, [%1+16];" : "=r"(a) : "l"(in));
    out[6] = a;
    asm("ld.volatile.global.s16 %0, [%1+18];" : "=r"(a) : "l"(in));
    out[7] = a;
    // Generic addressing, and an address that was computed.
    asm("ld.u32 %0, [%1+-4];" : "=r"(a) : "l"(in + 6));
    out[8] = a;
    asm("{ .reg .u64 p; add.u64 p, %1, 12; ld.global.u32 %0, [p]; }" : "=r"(a) : "l"(in));
    out[9] = a;
    asm("ld.global.u64 %0, [%1+24];" : "=l"(l) : "l"(in));
    out[10] = l;
    out[11] = 99;
    local uint shared[4];
    shared[2] = 55;
    asm("ld.shared.u32 %0, [%1+8];" : "=r"(a) : "l"(shared));
    out[12] = a;
    asm volatile("st.shared.u32 [%0+4], %1;" : : "l"(shared), "r"(66) : "memory");
    out[13] = shared[1];
    asm("ld.relaxed.gpu.global.u32 %0, [%1+4];" : "=r"(a) : "l"(in));
    out[14] = a;
    asm("prefetch.global.L2 [%2]; { .reg .u64 g; cvta.to.global.u64 g, %1; ld.global.u32 %0, [g+8]; } add.u32 %0, %0, 3;"
        : "=r"(a) : "l"((ulong)in), "l"(in));
    out[15] = a;
}

// The pointer tells that this is private memory; NVIDIA's compiler has a generic address here, which the program would convert.
kernel void own(global uint *out) {
    uint values[4] = {9, 99, 999, 9999}, a;
    asm("ld.local.u32 %0, [%1+4];" : "=r"(a) : "l"(values));
    asm("st.local.u32 [%0+8], 7;" : : "l"(values) : "memory");
    out[0] = a;
    out[1] = values[2];
}

kernel void stores(global uint *out) {
    asm volatile("st.global.u32 [%0], %1;" : : "l"(out), "r"(5) : "memory");
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" : : "l"(out + 4), "r"(4), "r"(3), "r"(2), "r"(1) : "memory");
    asm volatile("st.global.v2.u32 [%0+8], {%1, %2};" : : "l"(out), "r"(10), "r"(11) : "memory");
    asm volatile("st.global.u8 [%0+4], %1; st.global.u16 [%0+6], %2;" : : "l"(out), "r"(0x389), "r"(0x2345) : "memory");
    asm volatile("st.global.cs.f32 [%0+32], 0f3F800000;" : : "l"(out) : "memory");
    asm volatile("{ .reg .pred p; setp.eq.u32 p, %1, 0; @!p st.global.u32 [%0+36], 77; @p st.global.u32 [%0+32], 78; }"
                 : : "l"(out), "r"(1) : "memory");
}

kernel void atomics(global uint *p, global float *f, global int *s) {
    uint id = get_global_id(0), old;
    float was;
    int seen;
    asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(1) : "memory");
    asm volatile("red.global.max.u32 [%0+4], %1;" : : "l"(p), "r"(id) : "memory");
    asm volatile("atom.or.b32 %0, [%1+8], %2;" : "=r"(old) : "l"(p), "r"(id == 5 ? 0xffffffffu : id) : "memory");
    asm volatile("red.relaxed.gpu.global.min.u32 [%0+12], %1;" : : "l"(p), "r"(id) : "memory");
    asm volatile("red.global.xor.b32 [%0+16], %1;" : : "l"(p), "r"(id == 0 ? 63u : 0u) : "memory");
    asm volatile("red.global.and.b32 [%0+24], %1;" : : "l"(p), "r"(id * 2 + 1) : "memory");
    // 64 steps up to 59 and round; 64 down from 0.
    asm volatile("atom.global.inc.u32 %0, [%1+32], 59;" : "=r"(old) : "l"(p) : "memory");
    asm volatile("atom.global.dec.u32 %0, [%1+36], 67;" : "=r"(old) : "l"(p) : "memory");
    asm volatile("atom.global.add.f32 %0, [%1], %2;" : "=f"(was) : "l"(f), "f"(0.5f) : "memory");
    asm volatile("red.global.add.f32 [%0+4], %1;" : : "l"(f), "f"(0.25f) : "memory");
    asm volatile("atom.global.max.s32 %0, [%1], %2;" : "=r"(seen) : "l"(s), "r"((int)id) : "memory");
    asm volatile("atom.acq_rel.gpu.global.exch.b32 %0, [%1+28], %2;" : "=r"(old) : "l"(p), "r"(64) : "memory");
}

kernel void together(global uint *out) {
    local uint shared[32];
    uint id = get_local_id(0);
    shared[31 - id] = id;
    asm volatile("bar.sync 0;" : : : "memory");
    uint v;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "l"(shared + id) : "memory");
    asm volatile("barrier.sync 0;" ::: "memory");
    asm volatile("atom.shared.add.u32 %0, [%1], 0;" : "=r"(v) : "l"(shared + id) : "memory");
    asm volatile("membar.gl; fence.acq_rel.cta; membar.cta;" ::: "memory");
    asm volatile("" ::: "memory");
    out[get_global_id(0)] = v;
}

// A lock by compare-and-exchange: a list of increments, each by a loop.
kernel void swap(global uint *p) {
    uint old, seen = p[0];
    do {
        old = seen;
        asm volatile("atom.global.cas.b32 %0, [%1], %2, %3;" : "=r"(seen) : "l"(p), "r"(old), "r"(old + 1) : "memory");
    } while (seen != old);
    asm volatile("atom.global.cas.b32 %0, [%1+8], 9, 10;" : "=r"(old) : "l"(p) : "memory");
}

// tid, ntid, ctaid, nctaid against what OpenCL C says.
kernel void threads(global uint *wrong) {
    uint bad = 0, v;
#define SAME(name, d, function, n) asm("mov.u32 %0, %%" name "." d ";" : "=r"(v)); bad += v != function(n)
#define ALL(name, function) SAME(name, "x", function, 0); SAME(name, "y", function, 1); SAME(name, "z", function, 2)
    ALL("tid", get_local_id);
    ALL("ntid", get_local_size);
    ALL("ctaid", get_group_id);
    ALL("nctaid", get_num_groups);
    if (bad)
        wrong[0] = bad;
}
