// §6.15: calls of builtin and other functions with wrong arguments.
float fn(float a, int b) { return a * b; }
void nothing(void) {}
kernel void k(global int *p, global float *f, global float4 *v) {
    fn(1); //~ error[argument-count]: too few arguments: 1 given, 2 expected
    fn(1, 2, 3); //~ error[argument-count]: too many arguments: 3 given, 2 expected
    fn(p, 1); //~ error[incompatible-types]: passing '__global int *' to a parameter of type 'float': the types are incompatible
    p[0] = nothing(); //~ error[void-value]: a value of type 'void' cannot be used
    fn = 1; //~ error[function-as-value]: 'fn' is a function: OpenCL C has no pointers to functions
    f[0] = sin(p); //~ error[no-matching-builtin]: no overload of 'sin' takes (__global int *)
    v[0] = max(v[0], (float2)(1)); //~ error[no-matching-builtin]: no overload of 'max' takes (float4, float2)
    p[0] = get_global_id(); //~ error[no-matching-builtin]: no overload of 'get_global_id' takes ()
    barrier(); //~ error[no-matching-builtin]: no overload of 'barrier' takes ()
    printf(p); //~ error[printf-format]: the format of printf must be a string literal
    f[0] = sqrtf(2.0f); //~ error[undeclared-function]: call of undeclared function 'sqrtf'
    f[0] = cos(1, 2); //~ error[no-matching-builtin]: no overload of 'cos' takes (int, int)
}
