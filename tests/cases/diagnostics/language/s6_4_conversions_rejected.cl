// §6.4.1, §6.4.2: vectors do not convert implicitly nor by casts; no scalar of greater rank beside a vector.
struct S { int a; };
kernel void k(global int *p, global float4 *f, global int4 *v, global char4 *c, global uint4 *u, float x, long l, int i, struct S s) {
    f[0] = v[0]; //~ error[vector-conversion]: assigning 'int4' to 'float4': vectors do not convert implicitly
    v[0] = u[0]; //~ error[vector-conversion]: assigning 'uint4' to 'int4': vectors do not convert implicitly
    v[0] = v[1] + u[0]; //~ error[vector-type-mismatch]: vectors do not convert implicitly: the operands are 'int4' and 'uint4'
    v[0] = v[1] + l; //~ error[scalar-rank]: the scalar operand has greater rank than the element of the vector: 'long' beside 'int4'
    v[0] = v[1] + x; //~ error[scalar-rank]: the scalar operand has greater rank than the element of the vector: 'float' beside 'int4'
    c[0] = c[1] + i; //~ error[scalar-rank]: the scalar operand has greater rank than the element of the vector: 'int' beside 'char4'
    f[0] = (float4)v[0]; //~ error[vector-cast]: 'int4' cannot be cast to 'float4'
    i = v[0]; //~ error[vector-conversion]: assigning 'int4' to 'int': vectors do not convert implicitly
    p = i; //~ error[int-conversion]: assigning 'int' to '__global int *': pointers and integers convert only by a cast
    i = p; //~ error[int-conversion]: assigning '__global int *' to 'int': pointers and integers convert only by a cast
    x = p; //~ error[incompatible-types]: assigning '__global int *' to 'float': the types are incompatible
    s = i; //~ error[incompatible-types]: assigning 'int' to 'struct S': the types are incompatible
    i = s; //~ error[incompatible-types]: assigning 'struct S' to 'int': the types are incompatible
    i = (int)s; //~ error[invalid-cast]: 'struct S' cannot be cast to 'int'
    s = (struct S)i; //~ error[invalid-cast]: 'int' cannot be cast to 'struct S'
    p[0] = (int)f[0]; //~ error[vector-cast]: 'float4' cannot be cast to 'int'
    x = (float)p; //~ error[invalid-cast]: '__global int *' cannot be cast to 'float'
}
