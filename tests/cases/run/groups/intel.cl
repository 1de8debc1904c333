// cl_intel_subgroups: shuffles of values and of pairs of values, blocks of memory with every element, in sub-groups of any size, the last not full.
// options: -cl-std=CL1.2
// no-diagnostics
// features: cl_khr_subgroups cl_intel_subgroups cl_intel_subgroups_char cl_intel_subgroups_short cl_intel_subgroups_long
// run: --kernel shuffles --global 26 --local 13 --arg int[26] --print q
// prints: q: 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
// run: --kernel reads --global 26 --local 13 --arg int[26] --arg uint[4096]:range --arg uint[4096]:range --print q
// prints: q: 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
// run: --kernel writes --global 16 --local 16 --arg uint[2048] --arg uint[1] --print right
// prints: right: 16
kernel void shuffles(global int *q) {
    uint lane = get_sub_group_local_id(), size = get_sub_group_size(), most = get_max_sub_group_size();
    int good = 1;
    uint other = (lane * 3 + 1) % size;
    good &= intel_sub_group_shuffle(lane * 7, other) == other * 7;
    float4 v = intel_sub_group_shuffle((float4)(lane, lane + 0.5f, -1.0f, lane * 2), other);
    good &= all(v == (float4)(other, other + 0.5f, -1.0f, other * 2));
    long wide = intel_sub_group_shuffle((long)lane << 33, other);
    good &= wide == (long)other << 33;
    short16 s = intel_sub_group_shuffle((short16)((short)lane), other);
    good &= all(s == (short16)((short)other));
    uchar3 c = intel_sub_group_shuffle_xor((uchar3)((uchar)lane, 3, (uchar)(lane + 9)), 1u);
    good &= (lane ^ 1) >= size || all(c == (uchar3)((uchar)(lane ^ 1), 3, (uchar)((lane ^ 1) + 9)));
    // Two values side by side, of `most` members each.
    uint down = intel_sub_group_shuffle_down(lane, lane + 100, 2u), from = lane + 2;
    if (from < size)
        good &= down == from;
    else if (from >= most && from - most < size)
        good &= down == from - most + 100;
    uint up = intel_sub_group_shuffle_up(lane + 100, lane, 3u);
    if (lane >= 3)
        good &= up == lane - 3;
    else if (size == most)
        good &= up == lane + most - 3 + 100;
    good &= size < 2 || intel_sub_group_broadcast((short)(lane * 5), 1u) == 5;
    good &= intel_sub_group_reduce_max((char)-(char)lane) == 0;
    good &= intel_sub_group_scan_inclusive_add((uchar)1) == (uchar)(lane + 1);
    good &= intel_sub_group_scan_exclusive_min((short)-(short)lane) == (lane == 0 ? SHRT_MAX : -(short)(lane - 1));
    q[get_global_id(0)] = good;
}
kernel void reads(global int *q, const global uint *p, const global uint *same) {
    uint lane = get_sub_group_local_id(), most = get_max_sub_group_size();
    int good = 1;
    uint start = get_sub_group_id() * 64;
    const global uint *at = p + start;
    good &= intel_sub_group_block_read(at) == start + lane;
    uint8 words = intel_sub_group_block_read8(at);
    good &= words.s0 == start + lane && words.s1 == start + lane + most && words.s7 == start + lane + 7 * most;
    uint2 named = intel_sub_group_block_read_ui2(at + 3);
    good &= named.x == start + 3 + lane && named.y == start + 3 + lane + most;
    const global ushort *shorts = (const global ushort *)at, *shorts2 = (const global ushort *)same + start * 2;
    ushort16 sixteen = intel_sub_group_block_read_us16(shorts);
    good &= sixteen.s0 == shorts2[lane] && sixteen.s5 == shorts2[lane + 5 * most] && sixteen.sf == shorts2[lane + 15 * most];
    const global uchar *bytes = (const global uchar *)at, *bytes2 = (const global uchar *)same + start * 4;
    uchar4 four = intel_sub_group_block_read_uc4(bytes + 1);
    good &= four.x == bytes2[1 + lane] && four.w == bytes2[1 + lane + 3 * most];
    const global ulong *longs = (const global ulong *)at, *longs2 = (const global ulong *)same + start / 2;
    ulong2 two = intel_sub_group_block_read_ul2(longs);
    good &= two.x == longs2[lane] && two.y == longs2[lane + most];
    q[get_global_id(0)] = good;
}
// Each sub-group writes its part of 2048 words by blocks; the first work-item counts what is right.
kernel void writes(global uint *q, global uint *right) {
    uint lane = get_sub_group_local_id(), most = get_max_sub_group_size();
    global uint *part = q + get_sub_group_id() * most * 20;
    intel_sub_group_block_write4(part, (uint4)(lane, lane + 1000, lane + 2000, lane + 3000));
    intel_sub_group_block_write_us2((global ushort *)(part + 4 * most), (ushort2)((ushort)lane, (ushort)(lane + 500)));
    intel_sub_group_block_write_uc((global uchar *)(part + 8 * most), (uchar)(lane + 3));
    intel_sub_group_block_write_ul((global ulong *)(part + 12 * most), (ulong)lane << 40);
    barrier(CLK_GLOBAL_MEM_FENCE);
    int good = part[lane] == lane && part[lane + most] == lane + 1000 && part[lane + 3 * most] == lane + 3000;
    good &= ((global ushort *)(part + 4 * most))[lane + most] == lane + 500 && ((global uchar *)(part + 8 * most))[lane] == lane + 3;
    good &= ((global ulong *)(part + 12 * most))[lane] == (ulong)lane << 40;
    atomic_add(right, good);
}
