// §6.6: operands that the operators do not take.
struct S { int a; };
kernel void k(global int *p, global int4 *v, global float4 *f, global int *q, float x, int i, struct S s) {
    x % 2; //~ error[invalid-operands]: invalid operands: 'float' and 'int'
    f[0] % f[1]; //~ error[invalid-operands]: invalid operands: 'float4' and 'float4'
    x << 1; //~ error[invalid-operands]: invalid operands: 'float' and 'int'
    x & 1; //~ error[invalid-operands]: invalid operands: 'float' and 'int'
    ~x; //~ error[invalid-operands]: invalid operand of type 'float'
    ~f[0]; //~ error[invalid-operands]: invalid operand of type 'float4'
    1 << v[0]; //~ error[invalid-operands]: invalid operands: 'int' and 'int4'
    p + q; //~ error[invalid-operands]: invalid operands: '__global int *' and '__global int *'
    p * 2; //~ error[invalid-operands]: invalid operands: '__global int *' and 'int'
    -p; //~ error[invalid-operands]: invalid operand of type '__global int *'
    s + 1; //~ error[invalid-operands]: invalid operands: 'struct S' and 'int'
    s == s; //~ error[invalid-operands]: invalid operands: 'struct S' and 'struct S'
    !s; //~ error[invalid-operands]: invalid operand of type 'struct S'
    *i; //~ error[not-a-pointer]: indirection requires a pointer ('int' is none)
    &3; //~ error[not-an-lvalue]: the address of a value of type 'int' cannot be taken
    i[2]; //~ error[invalid-subscript]: a subscripted value must be an array, a pointer or a vector ('int' is none)
    i(); //~ error[not-a-function]: the called object is not a function
    i = v[0] && v[1]; //~ error[vector-conversion]: assigning 'int4' to 'int': vectors do not convert implicitly
    v[0] = x && v[1]; //~ error[scalar-rank]: the scalar operand has greater rank than the element of the vector: 'float' beside 'int4'
    f[0] = f[1] ? f[2] : f[3]; //~ error[condition-not-integer]: a vector condition must have integer elements ('float4' is invalid)
    f[0] = v[0] ? f[1] : v[1]; //~ error[vector-type-mismatch]: vectors do not convert implicitly: the operands are 'float4' and 'int4'
    if (v[0]) i = 1; //~ error[condition-not-scalar]: a scalar is required as condition ('int4' is invalid)
    3 = i; //~ error[not-assignable]: the expression is not assignable
    i + 1 = 2; //~ error[not-assignable]: the expression is not assignable
    i.x = 1; //~ error[no-member]: 'int' has no members
    s.zz = 1; //~ error[no-member]: 'struct S' has no member named 'zz'
    s->a = 1; //~ error[not-a-pointer]: 'struct S' is no pointer: use '.' to reach a member
    sizeof(struct Unknown); //~ error[incomplete-type]: the incomplete type 'struct Unknown' has no size
    x += v[0]; //~ error[invalid-operands]: invalid operands: 'float' and 'int4'
    f[0]++; //~ error[float-step]: '++' and '--' are not for vectors of floating numbers ('float4')
    --x; //~ warning[float-step]: OpenCL C has no '++' and '--' for floating numbers ('float')
    i = x ? 1 : 2; //~ error[condition-not-integer]: the condition of '?:' must be an integer or a pointer ('float' is invalid)
    v[0] = v[0] + (uint)i; //~ error[scalar-rank]: the scalar operand has greater rank than the element of the vector: 'uint' beside 'int4'
    v[0] = v[0] - 1u; //~ warning[scalar-rank]: the constant has greater rank than the element of the vector ('uint' beside 'int4')
    v[0] ? (char)i : (short)i; //~ error[vector-select-size]: the condition 'int4' and the result 'short4' do not have elements of one size
    i = vec_step(p); //~ error[invalid-operands]: 'vec_step' takes a scalar or a vector, not '__global int *'
    i = vec_step(s); //~ error[invalid-operands]: 'vec_step' takes a scalar or a vector, not 'struct S'
}
