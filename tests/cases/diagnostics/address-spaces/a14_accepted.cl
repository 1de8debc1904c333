// A-14 accepted: string literals through pointers to constant, and as initialisers of arrays.
// no-diagnostics
constant char *constant names[] = { "one", "two" };
int length(constant char *s) { int n = 0; while (s[n]) n++; return n; }
kernel void k(global int *out) {
    constant char *p = "text";
    const constant char *q = p + 1;
    char array[] = "array", sized[8] = { "sized" };
    array[0] = *q;
    out[0] = length(p) + length("literal") + length(names[1]) + sizeof("12") + array[0] + sized[1] + "abc"[1];
}
