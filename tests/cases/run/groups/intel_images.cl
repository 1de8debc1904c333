// cl_intel_subgroups, blocks of images: bytes of rows as they lie there, whatever the format is, from any byte on; what is outside; written beside ordinary writes.
// options: -cl-std=CL3.0
// no-diagnostics
// features: __opencl_c_images __opencl_c_subgroups cl_intel_subgroups cl_intel_subgroups_char cl_intel_subgroups_short cl_intel_subgroups_long
// run: --kernel reads --global 64 --local 64 --arg image=image2d<r,uint8>[1028,4]:range --arg wide=int:0 --arg wrong=uint[1] --print wrong
// prints: wrong: 0
// run: --kernel reads --global 64 --local 64 --arg image=image2d<bgra,unorm8>[257,4]:range --arg wide=int:0 --arg wrong=uint[1] --print wrong
// prints: wrong: 0
// run: --kernel reads --global 64 --local 64 --arg image=image2d<ra,snorm8>[514,4]:range --arg wide=int:0 --arg wrong=uint[1] --print wrong
// prints: wrong: 0
// run: --kernel reads --global 64 --local 64 --arg image=image2d<srgba,unorm8>[257,4]:range --arg wide=int:0 --arg wrong=uint[1] --print wrong
// prints: wrong: 0
// run: --kernel reads --global 64 --local 64 --arg image=image2d<rgb,unorm565>[514,4]:range --arg wide=int:1 --arg wrong=uint[1] --print wrong
// prints: wrong: 0
// run: --kernel edges --global 64 --local 64 --arg image=image2d<rgba,uint8>[3,2]:range --arg wrong=uint[1] --print wrong
// prints: wrong: 0
// run: --kernel both --global 16 --local 16 --arg image=image2d<rgba,uint8>[5,3] --print image
// prints: image: (0, 1, 2, 3) (4, 5, 6, 7) (8, 9, 10, 11) (12, 13, 14, 15) (7, 7, 7, 7) (0, 0, 1, 0) (2, 0, 3, 0) (4, 0, 5, 0) (6, 0, 7, 0) (8, 0, 9, 0) (0, 0, 0, 1) (1, 0, 0, 1) (2, 0, 0, 1) (3, 0, 0, 1) (4, 0, 0, 1)

// The byte at a place of an image with rows of 1028 bytes, whose bytes or shorts count up.
uint byte_at(int at, int row, int wide) {
    uint n = row * 1028 + at;
    return (wide ? at & 1 ? n >> 9 : n >> 1 : n) & 0xff;
}
ulong bytes_at(int at, int row, int wide, int count) {
    ulong bytes = 0;
    for (int n = 0; n < count; n++)
        bytes |= (ulong)byte_at(at + n, row, wide) << 8 * n;
    return bytes;
}
kernel void reads(read_only image2d_t image, int wide, global uint *wrong) {
    int lane = get_sub_group_local_id(), first = 16 * get_sub_group_id();
    int bad = 0;
    for (int off = 0; off < 5; off++) {
        int x = first + off;
        bad += intel_sub_group_block_read_uc(image, (int2)(x, 1)) != bytes_at(x + lane, 1, wide, 1);
        uchar4 c = intel_sub_group_block_read_uc4(image, (int2)(x, 0));
        bad += c.x != bytes_at(x + lane, 0, wide, 1) || c.w != bytes_at(x + lane, 3, wide, 1);
        ushort2 s = intel_sub_group_block_read_us2(image, (int2)(x, 2));
        bad += s.x != bytes_at(x + 2 * lane, 2, wide, 2) || s.y != bytes_at(x + 2 * lane, 3, wide, 2);
        uint2 i = intel_sub_group_block_read2(image, (int2)(x, 1));
        bad += i.x != bytes_at(x + 4 * lane, 1, wide, 4) || i.y != bytes_at(x + 4 * lane, 2, wide, 4);
        bad += intel_sub_group_block_read_ui(image, (int2)(x, 3)) != bytes_at(x + 4 * lane, 3, wide, 4);
        bad += intel_sub_group_block_read_ul(image, (int2)(x, 2)) != bytes_at(x + 8 * lane, 2, wide, 8);
    }
    uchar16 most = intel_sub_group_block_read_uc16(image, (int2)(first, 0));
    bad += most.s3 != bytes_at(first + lane, 3, wide, 1);
    atomic_add(wrong, bad);
}
// Outside lies what is at the edge, of texels of four bytes.
kernel void edges(read_only image2d_t image, global uint *wrong) {
    int lane = get_sub_group_local_id();
    uint words[2][3] = {{0x03020100, 0x07060504, 0x0b0a0908}, {0x0f0e0d0c, 0x13121110, 0x17161514}};
    uint4 rows = intel_sub_group_block_read4(image, (int2)(-4, -1));
    int at = clamp(lane - 1, 0, 2);
    atomic_add(wrong, rows.x != words[0][at] || rows.y != words[0][at] || rows.z != words[1][at] || rows.w != words[1][at]);
}
// Beside ordinary writes of the same image.
kernel void both(write_only image2d_t image) {
    int lane = get_sub_group_local_id(), size = get_max_sub_group_size(), id = get_sub_group_id();
    uint me = id * size + lane;
    intel_sub_group_block_write_uc(image, (int2)(id * size, 0), (uchar)me);
    intel_sub_group_block_write_us(image, (int2)(2 * id * size, 1), (ushort)me);
    intel_sub_group_block_write(image, (int2)(4 * id * size, 2), me | 0x01000000);
    if (me == 0)
        write_imageui(image, (int2)(4, 0), (uint4)(7));
}
