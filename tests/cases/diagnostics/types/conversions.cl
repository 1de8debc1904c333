// Conversions that OpenCL does not have implicitly (OpenCL C §6.2).
kernel void k(global int *out, float4 f, int4 i, int2 i2, uint4 u, float s) {
    int4 a = f; //~ error[vector-conversion]: initializing 'int4' with 'float4': vectors do not convert implicitly
    f = i; //~ error[vector-conversion]: assigning 'int4' to 'float4': vectors do not convert implicitly
    i = i2; //~ error[vector-conversion]: assigning 'int2' to 'int4': vectors do not convert implicitly
    i = u; //~ error[vector-conversion]: assigning 'uint4' to 'int4': vectors do not convert implicitly
    i = (int4)f; //~ error[vector-cast]: 'float4' cannot be cast to 'int4'
    int b = i; //~ error[vector-conversion]: initializing 'int' with 'int4': vectors do not convert implicitly
    i = s;
    int *p = 5; //~ error[int-conversion]: initializing 'int *' with 'int': pointers and integers convert only
    int n = out; //~ error[int-conversion]: initializing 'int' with '__global int *': pointers and integers
    i = convert_int4(i2); //~ error[no-matching-builtin]: no overload of 'convert_int4' takes (int2)
    i = as_int4(i2); //~ error[no-matching-builtin]: no overload of 'as_int4' takes (int2)
    double4 d = f + i; //~ error[vector-type-mismatch]: vectors do not convert implicitly: the operands are 'float4' and
    i = i + u; //~ error[vector-type-mismatch]: vectors do not convert implicitly: the operands are 'int4' and 'uint4'
    i += s; //~ error[scalar-rank]: the scalar operand has greater rank than the element of the vector:
    float4 g = (float4)(1, 2, 3); //~ error[vector-literal-count]: too few components for 'float4': 3 instead of 4
    float4 h = (float4)(1, i2, 2, 3); //~ error[vector-literal-part]: 'int2' cannot be part of a vector of 'float'
    i = f ? i : i; //~ error[condition-not-integer]: a vector condition must have integer elements ('float4' is invalid)
    i = i2 ? i : i; //~ error[vector-select-size]: the condition 'int2' and the result 'int4' do not have as many
    i = i & f; //~ error[invalid-operands]: invalid operands: 'int4' and 'float4'
    s = s % 2.0f; //~ error[invalid-operands]: invalid operands: 'float' and 'float'
    s = ~s; //~ error[invalid-operands]: invalid operand of type 'float'
    i = i << i2; //~ error[invalid-operands]: invalid operands: 'int4' and 'int2'
    s = s << 1; //~ error[invalid-operands]: invalid operands: 'float' and 'int'
}
