// Every work-item's text comes out whole, in some order; what does not fit is told, and printf gives -1 then.
// no-diagnostics
// run: --kernel one --global 1 --local 1 --arg n=int:3
// prints: 0: 0
// prints: 0: 1
// prints: 0: 2
// run: --kernel count --global 100000 --arg out=int[2]:zero --print out
// prints: out: 87379 12621
kernel void one(int n) {
    for (int i = 0; i < n; i++) {
        printf("%u: %d\n", (uint)get_global_id(0), i);
    }
}
// A record of three words: (262144 - 4) / 3 of them fit into the buffer of 1 MiB. The text is empty.
kernel void count(global int *out) {
    int status = printf("%.0d%.0d", 0, 0);
    atomic_inc(&out[status ? 1 : 0]);
}
