// Negative bytes of a vector from memory, as unsigned words, divided by what is known at run time: NVIDIA's 580 took them for small.
// run: --kernel k --global 4 --arg uint[4] --arg uint[4] --arg uint[4] --arg uint[4]:values=12,12,7,1000 --arg uint[8]:values=2,4072821818,0,4286119935,128,4018176122,4278255360,2155905152 --print r --print q --print s
// prints: r: 2 2 5 234
// prints: q: 357913940 357913941 613566754 4294967
// prints: s: 0 0 0 4294933872
// no-diagnostics
kernel void k(global uint *r, global uint *q, global uint *s, global uint *by, global char4 *bytes) {
    size_t i = get_global_id(0);
    uint y = by[i];
    r[i] = (uint)bytes[1].s2 % y;
    q[i] = (uint)bytes[i * 2 + 1].s3 / y;
    s[i] = i == 3 ? (uint)((global short2 *)bytes)[7].s0 / y * y + (uint)((global char2 *)bytes)[15].s0 : 0;
}
