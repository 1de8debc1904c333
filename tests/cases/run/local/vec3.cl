// 3-component vectors in local and constant memory: 4 components apart (OpenCL C §6.1.5).
// run: --kernel k --global 4 --local 4 --arg int[16] --print out
// prints: out: 3 4 5 16 13 14 15 16 13 14 15 16 3 4 5 16
// no-diagnostics
constant int3 t[2] = { (int3)(3, 4, 5), (int3)(13, 14, 15) };

kernel void k(global int *out) {
    local int3 l[4];
    int i = get_local_id(0);
    l[i] = t[(i + 1) / 2 % 2];
    l[i].y = t[(i + 1) / 2 % 2].y;
    barrier(CLK_LOCAL_MEM_FENCE);
    int3 v = l[i];
    vstore3(v, 0, out + i * 4);
    out[i * 4 + 3] = (local char *)&l[1] - (local char *)&l[0];
}
