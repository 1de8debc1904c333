// A union whose other member stands for it in SPIR-V, initialised by an address (C99 §6.7.8, 17).
// options: -cl-std=CL2.0
// run[address]: --kernel k --global 1 --arg int[4]:const=0 --print out
// no-diagnostics
global int values[3] = {5, 6, 7};
union Link { long number; global int *pointer; };
struct Pair { char tag; union Link links[2]; };
global struct Pair pair = {1, {{2}, {.pointer = values + 1}}};
global union Link reversed = {.pointer = &values[2]};

kernel void k(global int *out) {
    out[0] = pair.tag;
    out[1] = (int)pair.links[0].number;
    out[2] = *pair.links[1].pointer;
    out[3] = *reversed.pointer;
}
// prints: out: 1 2 6 7
