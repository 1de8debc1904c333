// §6.3.7: vector literals and components that are none.
kernel void k(global float4 *p, global int4 *q) {
    float4 f = (float4)(1.0f, 2.0f); //~ error[vector-literal-count]: too few components for 'float4': 2 instead of 4
    f = (float4)(1, 2, 3, 4, 5); //~ error[vector-literal-count]: too many components for 'float4': 5 instead of 4
    f = (float4)((float3)(1), (float2)(1)); //~ error[vector-literal-count]: too many components for 'float4': 5 instead of 4
    f.xyzq = f; //~ error[invalid-swizzle]: 'xyzq' selects no vector components
    f.s4 = 1; //~ error[invalid-swizzle]: component '4' is beyond the end of a vector of 4 components
    f.xs0 = (float2)(1); //~ error[invalid-swizzle]: 'xs0' selects no vector components
    f.xx = (float2)(1); //~ error[duplicate-component]: a vector component is assigned twice
    float2 g = f; //~ error[vector-conversion]: initializing 'float2' with 'float4': vectors do not convert implicitly
    g.z = 1; //~ error[invalid-swizzle]: component 'z' is beyond the end of a vector of 2 components
    f.foo = 1; //~ error[invalid-swizzle]: 'foo' selects no vector components
    float3 h;
    h.w = 1; //~ error[invalid-swizzle]: component 'w' is beyond the end of a vector of 3 components
    f = (float4)q[0]; //~ error[vector-cast]: 'int4' cannot be cast to 'float4'
    &f.x; //~ error[address-of-component]: the address of a vector component cannot be taken
    bool4 b; //~ error[unknown-type]: unknown type name 'bool4'
    int5 five; //~ error[unknown-type]: unknown type name 'int5'
}
