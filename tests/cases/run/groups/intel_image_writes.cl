// cl_intel_subgroups, blocks of images that are written and read: elements of every size in texels of every size, several members' in one too; outside they are dropped.
// options: -cl-std=CL3.0
// no-diagnostics
// features: __opencl_c_images __opencl_c_read_write_images __opencl_c_subgroups cl_intel_subgroups cl_intel_subgroups_char cl_intel_subgroups_short cl_intel_subgroups_long
// run: --kernel writes --global 64 --local 64 --arg image=image2d<r,uint8>[520,10] --arg wrong=uint[1] --print wrong
// prints: wrong: 0
// run: --kernel writes --global 64 --local 64 --arg image=image2d<rg,uint8>[260,10] --arg wrong=uint[1] --print wrong
// prints: wrong: 0
// run: --kernel writes --global 64 --local 64 --arg image=image2d<argb,snorm8>[130,10] --arg wrong=uint[1] --print wrong
// prints: wrong: 0
kernel void writes(read_write image2d_t image, global uint *wrong) {
    int lane = get_sub_group_local_id(), size = get_max_sub_group_size(), id = get_sub_group_id();
    uint me = id * size + lane;
    int first = id * size;
    intel_sub_group_block_write_uc2(image, (int2)(first, 0), (uchar2)((uchar)me, (uchar)(me + 100)));
    intel_sub_group_block_write_us2(image, (int2)(2 * first, 2), (ushort2)((ushort)(me * 771), (ushort)~me));
    intel_sub_group_block_write2(image, (int2)(4 * first, 4), (uint2)(me * 0x01030507, ~me));
    intel_sub_group_block_write_ul(image, (int2)(8 * first + 4, 6), me * 0x0103050709ul);
    // Outside: dropped.
    intel_sub_group_block_write4(image, (int2)(-4 * size, 0), (uint4)(me));
    intel_sub_group_block_write2(image, (int2)(520, 4), (uint2)(me));
    intel_sub_group_block_write_ui4(image, (int2)(0, 10), (uint4)(me));
    work_group_barrier(CLK_IMAGE_MEM_FENCE);
    int bad = 0;
    uchar2 c = intel_sub_group_block_read_uc2(image, (int2)(first, 0));
    bad += c.x != (uchar)me || c.y != (uchar)(me + 100);
    ushort2 s = intel_sub_group_block_read_us2(image, (int2)(2 * first, 2));
    bad += s.x != (ushort)(me * 771) || s.y != (ushort)~me;
    uint2 i = intel_sub_group_block_read_ui2(image, (int2)(4 * first, 4));
    bad += i.x != me * 0x01030507 || i.y != ~me;
    bad += intel_sub_group_block_read_ul(image, (int2)(8 * first + 4, 6)) != me * 0x0103050709ul;
    bad += intel_sub_group_block_read(image, (int2)(8 * first, 8)) != 0;
    atomic_add(wrong, bad);
}
