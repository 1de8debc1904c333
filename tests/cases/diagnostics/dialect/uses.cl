// Warnings at uses: deprecated names, results that are not to be dropped.
__attribute__((deprecated)) int old(int x) { return x; }
__attribute__((deprecated("use int"))) typedef int older;
__attribute__((warn_unused_result)) int keep(int x) { return x; }
kernel void k(global int *p) {
    int gone __attribute__((deprecated)) = 1;
    p[0] = old(1); //~ warning[deprecated]: 'old' is deprecated
    p[0] = (old)(1); //~ warning[deprecated]: 'old' is deprecated
    older x = 2; //~ warning[deprecated]: 'older' is deprecated: use int
    p[1] = gone + x; //~ warning[deprecated]: 'gone' is deprecated
    keep(1); //~ warning[unused-result]: the result of a function with 'warn_unused_result' is ignored
    (void)keep(2);
    p[2] = keep(3);
}
