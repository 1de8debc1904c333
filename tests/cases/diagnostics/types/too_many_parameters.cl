// The error stands at the first parameter that is too many.
#define P4 int, int, int, int
#define P16 P4, P4, P4, P4
#define P64 P16, P16, P16, P16
#define P256 P64, P64, P64, P64
int f(P256, P256, P256, P256);
int g(P256, P256, P256, P256,
      int a, //~ error[too-many-parameters]: more than 1024 parameters
      int b);
kernel void k(global int *p) { p[0] = 1; }
