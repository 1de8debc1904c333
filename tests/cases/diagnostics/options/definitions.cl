// -D and -U in order; a macro of the command line may have parameters and a value with anything in it.
// options: -DA -D B=2 -DC=(A+B) -DGONE -U GONE -DF(x,y)=((x)*(y)) -DNAME=k -DEMPTY= -D __OPENCL_VERSION_X__=7
// no-diagnostics
#if A != 1 || B != 2 || C != 3 || defined(GONE) || F(2, 3) != 6 || __OPENCL_VERSION_X__ != 7
#error definitions
#endif
kernel void NAME(global int *p) { EMPTY p[0] = F(A, B); }
