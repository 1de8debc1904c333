// Members of blocks of 22 bytes, at places that are no multiple of 4, are read and written as words: llama.cpp's weights.
// no-diagnostics
// run: --kernel reads --global 4 --local 1 --arg uchar[88]:range --arg uint[24] --print out
// prints: out: 84148994 454695192 825241390 1195787588 134678021 505224219 875770417 1246316615 134678021 505224219 875770417 1246316615 185207048 555753246 926299444 1296845642 5 27 49 71 50462976 421009174 791555372 1162101570
// run: --kernel writes --global 4 --local 1 --arg uchar[88] --arg uint:4294967295 --print blocks
// prints: blocks: 0 0 255 255 255 255 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 255 255 255 255 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 255 255 255 255 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 255 255 255 255 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
// run: --kernel own --global 4 --local 1 --arg uint[4] --print out
// prints: out: 67305985 67305985 67305985 67305985
struct block { ushort scale; uchar high[4]; uchar low[16]; };
union bytes { uchar all[22]; struct block block; };

kernel void reads(global struct block *blocks, global uint *out) {
    size_t i = get_global_id(0);
    out[i] = *(global uint *)blocks[i].high;
    out[4 + i] = *(global uint *)&blocks[i].high[3];
    out[8 + i] = ((global uint *)(blocks[i].high + 3))[0];
    global union bytes *u = (global union bytes *)blocks + i;
    out[12 + i] = ((global uint *)u->block.low)[0] + ((global uint2 *)(&u->block.low[2]))->x - *(global uint *)&u->block.low[0];
    out[16 + i] = *(global uchar *)&blocks[i].high[3];
    out[20 + i] = *(global uint *)(blocks + i);
}

kernel void writes(global struct block *blocks, uint value) {
    *(global uint *)(blocks[get_global_id(0)].high) = value;
}

kernel void own(global uint *out) {
    struct block blocks[4];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) blocks[i].high[j] = j + 1;
    out[get_global_id(0)] = *(uint *)blocks[get_global_id(0)].high;
}
