// A-2 accepted: without a qualifier parameters and locals are private, program-scope and static variables global.
// options: -cl-std=CL2.0
// no-diagnostics
int counter = 3;
static int hidden;
constant int fixed = 4;
void f(int x, int *out) {
    static int calls = 0;
    private int *p = &x;
    int y = *p;
    private int *q = &y;
    calls++;
    *out = *q + calls;
}
kernel void k(global int *p) {
    global int *g = &counter;
    static global int seen;
    seen += *g + hidden + fixed;
    f(1, p);
}
