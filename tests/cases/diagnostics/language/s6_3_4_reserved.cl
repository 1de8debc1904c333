// §6.3.6: reserved types, and types of C that OpenCL C does not have.
kernel void k(global int *p) {
    quad q; //~ error[unknown-type]: unknown type name 'quad'
    bool2 b; //~ error[unknown-type]: unknown type name 'bool2'
    float2x2 m; //~ error[unknown-type]: unknown type name 'float2x2'
    long double ld; //~ error[long-double]: OpenCL C has no type 'long double'
    _Complex float c; //~ error[complex]: OpenCL C has no complex types
    long long ll = 1; //~ warning[long-long]: OpenCL C has no type 'long long'; it is taken as 'long', which has 64 bits
}
