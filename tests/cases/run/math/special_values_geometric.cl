// Zeros, infinities and NaNs of the geometric functions (OpenCL C §7.5.1), and fma's (C99 F.9.10.1).
// no-diagnostics
// run[address]: -DT=float --kernel k --global 1 --arg zero=int[1]:zero --arg out=int[12]:zero --print out
// prints: out: 0 0 0 0 0 0 0 0 0 0 0 0
// run[address]: -DT=double --kernel k --global 1 --arg zero=int[1]:zero --arg out=int[12]:zero --print out
// prints: out: 0 0 0 0 0 0 0 0 0 0 0 0
#ifndef T
#define T float
#endif
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define T2 JOIN(T, 2)
#define T3 JOIN(T, 3)
#define BITS JOIN(BITS_, T)
#define BITS_float uint
#define BITS_double ulong
#define AS_BITS JOIN(as_, BITS)
#define AS_T JOIN(as_, T)
#define INF ((T)INFINITY)
#define Q ((T)NAN)
#define Z ((T)0.0f)
#define H(x) AS_T(AS_BITS((T)(x)) ^ (BITS)z)
void is(global int *out, int line, T a, T b) {
    int same = isnan(b) ? isnan(a) : AS_BITS(a) == AS_BITS(b);
    if (!same && ++out[0] < 12) out[out[0]] = line;
}
#define IS(a, b) is(out, __LINE__, a, b)
#define ARE(call, a, b) { T2 v = call; IS(v.x, a); IS(v.y, b); }
kernel void k(global int *zero, global int *out) {
    int z = *zero;
    IS(length((T2)(H(0), H(0))), 0);
    IS(length((T2)(H(-Z), H(-Z))), 0);
    IS(length((T3)(H(3), H(0), H(-4))), 5);
    IS(length(H(-Z)), 0);
    IS(length((T2)(H(INF), H(1))), INF);
    IS(length((T2)(H(-INF), H(0))), INF);
    IS(length((T2)(H(Q), H(1))), Q);
    IS(distance((T2)(H(1), H(2)), (T2)(H(1), H(2))), 0);
    IS(distance(H(-Z), H(0)), 0);
    ARE(normalize((T2)(H(0), H(-Z))), 0, -Z);
    ARE(normalize((T2)(H(-Z), H(-Z))), -Z, -Z);
    ARE(normalize((T2)(H(Q), H(1))), Q, Q);
    ARE(normalize((T2)(H(0), H(Q))), Q, Q);
    ARE(normalize((T2)(H(INF), H(1))), 1, 0);
    ARE(normalize((T2)(H(-1), H(-INF))), -Z, -1);
    ARE(normalize((T2)(H(0), H(-4))), 0, -1);
    ARE(normalize((T2)(H(-Z), H(4))), -Z, 1);
    IS(normalize(H(-3)), -1);
    IS(normalize(H(-Z)), -Z);
    IS(normalize(H(-INF)), -1);
    IS(normalize(H(Q)), Q);
    IS(dot((T2)(H(0), H(0)), (T2)(H(1), H(1))), 0);
    IS(dot((T2)(H(INF), H(1)), (T2)(H(0), H(1))), Q);
    IS(fma(H(-Z), H(1), H(-Z)), -Z);
    IS(fma(H(-Z), H(1), H(0)), 0);
    IS(fma(H(1), H(1), H(-1)), 0);
    IS(fma(H(0), H(INF), H(1)), Q);
    IS(fma(H(INF), H(1), H(-INF)), Q);
    IS(fma(H(INF), H(1), H(INF)), INF);
    IS(fma(H(Q), H(0), H(1)), Q);
    IS(fma(H(0), H(1), H(Q)), Q);
    IS(mix(H(-Z), H(-Z), H(0)), -Z + (-Z - -Z) * 0);
    IS(smoothstep(H(0), H(1), H(0)), 0);
    IS(smoothstep(H(0), H(1), H(INF)), 1);
    IS(smoothstep(H(0), H(1), H(-INF)), 0);
    IS(clamp(H(INF), H(0), H(1)), 1);
    IS(clamp(H(-INF), H(-1), H(1)), -1);
}
