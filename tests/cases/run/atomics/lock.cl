// A loop around atomic_cmpxchg: a floating-point sum without lost updates.
// run: --kernel k --global 32 --local 8 --arg float[1] --print sum
// prints: sum: 528
// no-diagnostics
void add(volatile global float *p, float x) {
    union { uint u; float f; } old, new;
    do {
        old.f = *p;
        new.f = old.f + x;
    } while (atomic_cmpxchg((volatile global uint *)p, old.u, new.u) != old.u);
}

kernel void k(global float *sum) { add(sum, get_global_id(0) + 1); }
