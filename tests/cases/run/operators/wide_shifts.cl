// Integers extended with their signs, shifted by one bit less than they have: NVIDIA's 580 took 1 << 31 for a negative factor.
// run: --kernel k --global 4 --arg ulong[4] --arg ulong[4] --arg ulong2[4] --arg uint[4] --arg int[4]:values=923087225,1,-2147483648,-1 --print shifted --print times --print lanes --print shorts
// prints: shifted: 1982314721365196800 2147483648 13835058055282163712 18446744071562067968
// prints: times: 1982314721365196800 2147483648 13835058055282163712 18446744071562067968
// prints: lanes: (1982314721365196800, 2147483648) (2147483648, 13835058055282163712) (13835058055282163712, 18446744071562067968) (18446744071562067968, 1982314721365196800)
// prints: shorts: 415006720 32768 0 4294934528
// no-diagnostics
kernel void k(global ulong *shifted, global ulong *times, global ulong2 *lanes, global uint *shorts, global int *x) {
    uint i = (uint)get_global_id(0);
    shifted[i] = (ulong)(long)x[i] << 31;
    times[i] = (ulong)((long)x[i] * 2147483648l);
    lanes[i] = convert_ulong2((int2)(x[i], x[(i + 1) & 3])) << 31ul;
    shorts[i] = (uint)((int)(short)x[i] << 15);
}
