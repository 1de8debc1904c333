// A null pointer of one space, converted to the generic one, is one of two that a variable may hold. It was taken for the other, a
// private variable's address (offset 0 of the only root).
// options: -cl-std=CL2.0
// run[address]: --kernel k --global 2 --arg out=int[2] --arg chosen=int[2]:range --print out
// prints: out: 1 0
typedef struct Pair {
    int number;
    global short *pointer;
} Pair;
kernel void k(global int *out, global const int *chosen) {
    int own = 7;
    Pair pair = {0};
    short *p = pair.pointer;
    if (chosen[get_global_id(0)]) p = (short *)&own;
    out[get_global_id(0)] = p ? 0 : 1;
}
