// Initialisers that do not fit (C99 §6.7.8).
typedef struct { int a; float4 v; } S;
kernel void k(global int *out) {
    int x = { 1, 2 }; //~ warning[excess-initializers]: there are more initializers than the object has parts
    int a[2] = { 1, 2, 3 }; //~ warning[excess-initializers]: there are more initializers than the object has parts
    int b[2] = { [2] = 1 }; //~ error[invalid-designator]: a designator must be a constant integer within the array
    int c[2] = { [-1] = 1 }; //~ error[invalid-designator]: a designator must be a constant integer within the array
    S s = { .nope = 1 }; //~ error[no-member]: no member named 'nope' to initialize
    S t = { .a = { { 1 } } };
    int d[] = 5; //~ error[array-initializer]: an array is initialised by a list in braces or, of char, by a string
    int e[]; //~ error[incomplete-type]: array 'e' has neither a size nor an initialiser
    char text[2] = "long"; //~ warning[excess-initializers]: the string is longer than the array of 2
    int f[3] = a; //~ error[array-initializer]: an array is initialised by a list in braces or, of char, by a string
    S u = 1; //~ error[incompatible-types]: initializing 'struct (unnamed)' with 'int': the types are incompatible
    float4 v = { 1, 2, 3, 4, 5 }; //~ error[vector-literal-count]: too many components for 'float4': 5 instead of 4
    int4 w = (int4){ 1, 2 }; //~ error[vector-literal-count]: too few components for 'int4': 2 instead of 4
    int g[2] = { .x = 1 }; //~ error[invalid-designator]: a member designator in the initializer of an array
    int4 h = { (float2)(1) }; //~ error[vector-conversion]: initializing 'int4' with 'float2': vectors do not convert implicitly
    int4 j = { 1 }; //~ error[vector-literal-count]: too few components for 'int4': 1 instead of 4
}
