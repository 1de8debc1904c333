// A private array is accessed twice by the same index, and between them the index becomes another variable's value in one branch.
// (Mesa 22.3 gives both the same register, and the second access goes to the other's index.)
// run: --kernel k --global 4 --local 4 --print out --arg out=uint[4] --arg int[1]
// prints: out: 13 20 20 20
// run: --kernel k --global 4 --local 4 --print out --arg out=uint[4] --arg int[1]:values=1
// prints: out: 0 20 20 20
kernel void k(global uint *out, global int *choice) {
    uint g = get_global_id(0), i = g & 3u;
    uint v[4] = {10, 11, 12, 13}, x;
    v[i] = 20;
    if (choice[0] > 0) x = i;
    else x = v[3];
    v[0] = x;
    out[g] = v[i];
}
