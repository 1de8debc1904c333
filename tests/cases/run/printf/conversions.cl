// printf's conversions with arguments of every kind (OpenCL C §6.15.14).
// options: -cl-std=CL3.0
// run: --kernel k --global 1 --arg x=int[4]:range=7 --arg f=float:2.5 --arg y=int:1 --print x
// prints: 7 -8 9|00007|+7|7   |0x1f 037 1F
// prints: -1 255 65535 -9000000000000000000
// prints: 2.50 2.500000e+00 2.5 0x1.4p+1 [    2.5]
// prints: a% yes no none
// prints: 1.00,2.00,3.00,2.50
// prints: 0xfa,0x0b
// prints: -1,2,-3 1,2,3,4,5,6,7,8
// prints: inf -inf nan
// prints: plain
// prints: 0
// prints: x: 0 0 9 10
// The pointer is a parameter here, but it gets literals only.
static void say(constant char *text, int n) { printf("%s%s", text, n ? " " : "\n"); }

kernel void k(global int *x, float f, int y) {
    printf("%d %i %u|%.5d|%+d|%-4d|%#x %#o %X\n", x[0], -x[1], (uint)x[2], x[0], x[0], x[0], 31, 31, 31);
    printf("%hhd %u %hu %ld\n", 255, 255u, 65535, -9000000000000000000L);
    printf("%.2f %e %g %a [%7.1f]\n", f, f, f, f, f);
    printf("%c%% ", 'a');
    say(y ? "yes" : "no", 1);
    say(y ? "no" : "yes", 1);
    say("none", 0);
    printf("%.2v4hlf\n", (float4)(1, 2, 3, f));
    printf("%#04v2hhx\n", (uchar2)(0xfa, 0x0b));
    printf("%v3hd %v8hli\n", (short3)(-1, 2, -3), (int8)(1, 2, 3, 4, 5, 6, 7, 8));
    printf("%f %f %g\n", f / 0.0f, -f / 0.0f, nan(0u));
    x[0] = printf("plain\n");
    x[1] = printf("%d\n", x[0]);
}
