// Names, members, components and subscripts that are not there.
typedef struct { int a; } S;
kernel void k(global int *out, S s, int4 v, float f) {
    out[0] = nothing; //~ error[undeclared-identifier]: use of undeclared identifier 'nothing'
    out[1] = s.b; //~ error[no-member]: 'struct (unnamed)' has no member named 'b'
    out[2] = s->a; //~ error[not-a-pointer]: 'struct (unnamed)' is no pointer: use '.' to reach a member
    out[3] = v.q; //~ error[invalid-swizzle]: 'q' selects no vector components
    out[4] = v.s4; //~ error[invalid-swizzle]: component '4' is beyond the end of a vector of 4 components
    out[5] = v.xyzwx; //~ error[invalid-swizzle]: 'xyzwx' selects 5 components; a vector has 2, 3, 4, 8 or 16
    out[6] = f[0]; //~ error[invalid-subscript]: a subscripted value must be an array, a pointer or a vector ('float'
    out[7] = out.x; //~ error[member-of-pointer]: '__global int *' is a pointer: use '->' to reach a member
    v.xx = (int2)(1, 2); //~ error[duplicate-component]: a vector component is assigned twice
    out[1.5f] = 1; //~ error[invalid-subscript]: a subscript must be an integer ('float' is none)
    f.x = 1; //~ error[no-member]: 'float' has no members
    no_function(1); //~ error[undeclared-function]: call of undeclared function 'no_function'
    out[8] = v.xs1.x; //~ error[invalid-swizzle]: 'xs1' selects no vector components
}
