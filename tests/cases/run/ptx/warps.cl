// What warps share, on devices with sub-groups of 32: lanes, votes, ballots, every shuffle, reductions. Others refuse it by name.
// options: -cl-std=CL3.0
// no-diagnostics
// features: cl_khr_subgroups cl_khr_subgroup_shuffle cl_khr_subgroup_ballot cl_khr_subgroup_non_uniform_vote cl_khr_subgroup_non_uniform_arithmetic
// run: --kernel k --global 64 --local 64 --arg uint[1]:const=0 --print wrong
// prints: wrong: 0
// or-fails: sub-groups of 32
#define M "0xffffffff"
uint lane_id(void) { uint d; asm("mov.u32 %0, %%laneid;" : "=r"(d)); return d; }
// The model of shfl: the lane that the value comes from, or the own.
uint from(uint mode, uint lane, uint b, uint c, uint *there) {
    b &= 31;
    uint segment = c >> 8 & 31, bound = c & 31, least = lane & segment, most = least | (bound & ~segment);
    int j = mode == 0 ? (int)lane - (int)b : mode == 1 ? (int)(lane + b) : mode == 2 ? (int)(lane ^ b) : (int)(least | (b & ~segment));
    *there = mode == 0 ? j >= (int)most : j <= (int)most;
    return *there ? (uint)j : lane;
}
#define SHUFFLE(n, name, b, c) { \
    uint d, p, is; \
    asm volatile("{ .reg .pred p; shfl.sync." name ".b32 %0|p, %2, %3, %4, " M "; selp.u32 %1, 1, 0, p; }" \
                 : "=r"(d), "=r"(p) : "r"(lane * 3 + 1), "r"(b), "r"(c)); \
    bad += d != from(n, lane, b, c, &is) * 3 + 1; bad += p != is; }
kernel void k(global uint *wrong) {
    uint lane = lane_id(), bad = lane != (get_local_id(0) & 31), d, e;
    asm("mov.u32 %0, %%warpid;" : "=r"(d)); bad += d != get_local_id(0) / 32;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(d)); bad += d != (1u << lane) - 1;
    asm("mov.u32 %0, %%lanemask_eq;" : "=r"(d)); bad += d != 1u << lane;
    asm("mov.u32 %0, %%lanemask_ge;" : "=r"(d)); bad += d != ~((1u << lane) - 1);
    asm("mov.u32 %0, %%lanemask_le; mov.u32 %1, %%lanemask_gt;" : "=r"(d), "=r"(e)); bad += d != ~e || popcount(d) != (int)lane + 1;
    asm("mov.u32 %0, WARP_SZ;" : "=r"(d)); bad += d != 32;
    asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, 5; vote.sync.ballot.b32 %0, p, " M "; }" : "=r"(d) : "r"(lane)); bad += d != 31;
    asm volatile("{ .reg .pred p, q; setp.lt.u32 p, %1, 5; vote.sync.any.pred q, p, " M "; selp.u32 %0, 1, 0, q; }" : "=r"(d) : "r"(lane)); bad += d != 1;
    asm volatile("{ .reg .pred p, q; setp.lt.u32 p, %1, 5; vote.sync.all.pred q, p, " M "; selp.u32 %0, 1, 0, q; }" : "=r"(d) : "r"(lane)); bad += d != 0;
    asm volatile("{ .reg .pred p, q; setp.lt.u32 p, %1, 50; vote.sync.uni.pred q, p, " M "; selp.u32 %0, 1, 0, q; }" : "=r"(d) : "r"(lane)); bad += d != 1;
    asm volatile("activemask.b32 %0;" : "=r"(d)); bad += d != 0xffffffffu;
    SHUFFLE(0, "up", 3, 0) SHUFFLE(0, "up", 1, 0x1800) SHUFFLE(0, "up", lane & 7, 0x1000)
    SHUFFLE(1, "down", 3, 31) SHUFFLE(1, "down", 5, 0x181f) SHUFFLE(1, "down", lane & 3, 0x101f)
    SHUFFLE(2, "bfly", 1, 31) SHUFFLE(2, "bfly", 16, 31) SHUFFLE(2, "bfly", 9, 0x181f)
    SHUFFLE(3, "idx", 0, 31) SHUFFLE(3, "idx", 35, 31) SHUFFLE(3, "idx", lane * 7, 0x181f) SHUFFLE(3, "idx", 31 - lane, 31)
    asm volatile("redux.sync.add.u32 %0, %1, " M ";" : "=r"(d) : "r"(lane)); bad += d != 496;
    asm volatile("redux.sync.max.s32 %0, %1, " M ";" : "=r"(d) : "r"(lane - 7)); bad += d != 24;
    asm volatile("redux.sync.xor.b32 %0, %1, " M ";" : "=r"(d) : "r"(lane == 3 ? 5u : 0u)); bad += d != 5;
    asm volatile("bar.warp.sync " M ";");
    // A sum by steps.
    float sum = lane, other;
    for (uint n = 16; n; n >>= 1) {
        asm volatile("shfl.sync.down.b32 %0, %1, %2, 31, " M ";" : "=f"(other) : "f"(sum), "r"(n));
        sum += other;
    }
    bad += lane == 0 && sum != 496;
    if (bad)
        atomic_add(wrong, bad);
}
