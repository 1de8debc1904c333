// Integer dot products, bit operations, clocks.
// options: -cl-std=CL3.0
kernel void k(global int *p, global uint *u, global ulong *t) {
    p[0] = dot_acc_sat((char4)(1, 2, 3, 4), (uchar4)(5), 6) + dot_4x8packed_ss_int(u[0], u[1]);
    u[2] = bitfield_extract_unsigned(u[3], 4, 5) + bit_reverse(u[4]) + bitfield_insert(u[5], u[6], 1, 2);
    t[0] = clock_read_device();
}
