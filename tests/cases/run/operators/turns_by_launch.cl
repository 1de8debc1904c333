// 16 bits turned by a number that the launch decides on: where it is 8 their bytes are swapped, which a driver gets wrong.
// run: --kernel k --global 8 --local 8 --arg ushort[8]:values=65535,43707,4660,33023,1,256,0,32769 --arg ushort[16] --print out
// prints: out: 65535 48042 13330 65408 256 1 0 384 65535 48042 13330 65408 256 1 0 384
kernel void k(global const ushort *in, global ushort *out) {
    uint i = (uint)get_global_id(0);
    ushort n = (ushort)get_local_size(0);
    local ushort l[8];
    l[i & 7] = rotate(in[i], n);
    out[i] = l[i & 7];
    out[8 + i] = rotate(in[i], (ushort)(16 - n));
}
