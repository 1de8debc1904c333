// A-6 accepted: program-scope and static variables in global memory: scalars, arrays, structs, pointers.
// options: -cl-std=CL2.0
// no-diagnostics
typedef struct { int a; float b[2]; } S;
global int scalar = 4;
int unqualified;
global float4 vector = (float4)(1, 2, 3, 4);
static S record = { 1, { 2.0f } };
global int array[3] = { 1, 2 };
global int *global pointer = &scalar;
extern global int later;
global int later = 5;
int next(void) { static int n = 7; return n++; }
kernel void k(global int *p) {
    static S kept[2] = { { 3 } };
    p[0] = scalar++ + unqualified + (int)vector.y + record.a + array[1] + *pointer + later + next() + kept[0].a++;
}
