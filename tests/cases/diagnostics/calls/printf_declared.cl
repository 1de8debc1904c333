// The prototype of printf, from the time when it was an extension, says nothing new.
// no-diagnostics
int printf(constant const char *restrict format, ...);
extern int printf(constant const char *, ...) __attribute__((format(printf, 1, 2)));
kernel void k(int a) { printf("%d\n", a); }
