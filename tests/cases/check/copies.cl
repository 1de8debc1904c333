// A struct may be stored as a whole, though a member of it was never written: what uses the member is reported.
// run: --check=1,races --kernel whole --global 4 --arg tab=uchar[192]:zero
// run: --check=1,races --kernel through_local --global 8 --local 8 --arg out=int[8]:zero --print out
// prints: out: 6 7 8 9 9 8 7 6
// run: --check --kernel used --global 4 --arg out=int[4]:zero
// reports: 22 uninitialised: a use of the private variable 'm' that was never written
typedef struct { float4 a; float carry; float dummy; int n; } S;
void init(global S *tab, float x) { S r; r.a = (float4)(x); r.carry = x; r.n = 3; *tab = r; }
kernel void whole(global S *tab) { init(tab + get_global_id(0), get_global_id(0)); }

typedef struct { int lo, hi, pad; } M;
M neutral(void) { M m; m.lo = 5; m.hi = 6; return m; }
kernel void through_local(global int *out) {
    local M t[8];
    int l = get_local_id(0);
    M acc = neutral();
    acc.lo = l;
    t[l] = acc;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = min(t[l].lo, t[7 - l].lo) + t[l].hi;
}
kernel void used(global int *out) { M m; m.lo = 1; m.hi = 2; out[get_global_id(0)] = m.pad; }
