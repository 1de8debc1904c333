// Declarations of one name that do not go together (C99 §6.2.2, 7; §6.7.1, 5; §6.7, 4), as clang has them.
// options: -cl-std=CL2.0
typedef int F(int);
F g;
float g(int a) { return a; } //~ error[conflicting-types]: only the result differs
int none();
int none(int a) { return a; } //~ error[conflicting-types]: conflicting types
global int shown;
static global int shown; //~ error[conflicting-linkage]: once static and once not
static global int kept;
extern global int kept;
global int kept; //~ error[conflicting-linkage]: once static and once not
int pointee(global int (*p)[3]);
int pointee(global int (*p)[4]); //~ error[conflicting-types]: conflicting types
global int one[]; //~ warning[tentative-array]: it has one element
int function(int a);
kernel void k(global int *p) {
    static F inside; //~ error[misplaced-storage-class]: a function that a block declares
    int hides = 1;
    F hides; //~ error[redefinition]: different kind of name
    extern global int function; //~ error[redefinition]: different kind of name
    extern global float kept; //~ error[conflicting-types]: is declared with type
    p[0] = hides + inside(3);
}
__attribute__((overloadable)) float max(float a, int b) { return a; }
__attribute__((overloadable)) float max(int a, float b) { return b; }
kernel void ambiguous(global float *p, global double *q) {
    p[0] = max(*q, p[1]); //~ error[ambiguous-call]: take (double, float)
}
int inside(int a) { return a; }
