// Null pointers, as arguments and in the code; and addresses that are no multiples.
// run: --check --kernel argument --global 2 --arg null --arg int[2] --print out
// reports: 13 null: a read of 4 bytes through a null pointer: the buffer of argument 0 'in' (int*) is none
// prints: out: 0 0
// run: --check --kernel chosen --global 2 --arg int[2]:const=7 --arg int[2] --print out
// reports: 18 null: a read of 4 bytes through a null pointer
// prints: out: 7 0
// run: --check=alignment --kernel odd --global 2 --arg uchar[12]:const=1 --arg int[2] --print out
// reports: 23 alignment: a read at byte 1 of the buffer of argument 0 'in' (uchar*), which is no multiple of 4
// prints: out: 16843009 0
// run: --check=bounds --kernel fits --global 2 --arg uchar[12]:const=1 --arg int[2] --print out
// prints: out: 16843009 16843009
kernel void argument(global int *in, global int *out) { out[get_global_id(0)] = in[get_global_id(0)]; }

kernel void chosen(global int *in, global int *out) {
    int i = get_global_id(0);
    global int *p = i == 0 ? in : (global int *)0;
    out[i] = *p;
}

kernel void odd(global uchar *in, global int *out) {
    int i = get_global_id(0);
    out[i] = *(global int *)(in + i);
}

kernel void fits(global uchar *in, global int *out) {
    int i = get_global_id(0);
    out[i] = *(global int *)(in + 4 * i);
}

// With printf, whose records come after the entries of checks.
// run: --check --kernel prints --global 3 --arg int[2]:range=5
// reports: 38 bounds: a read of 4 bytes beyond the buffer of argument 0 'in'
// prints: 5
// prints: 6
// prints: 0
kernel void prints(global int *in) {
    printf("%d\n", in[get_global_id(0)]);
}
