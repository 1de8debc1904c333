// Only printf is variadic, and it gives an int.
void printf(constant const char *, ...); //~ error[variadic-function]: variadic functions are not allowed in OpenCL C
int sprintf(char *, constant const char *, ...); //~ error[variadic-function]: variadic functions are not allowed in OpenCL C
