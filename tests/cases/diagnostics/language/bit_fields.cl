// §6.11 (c): bit-fields are not supported.
struct S { int a : 3; uint b : 4; int : 0; }; //~ error[bit-field]: bit-fields are not supported in OpenCL C
//~^ error[bit-field]: bit-fields are not supported in OpenCL C
//~^^ error[bit-field]: bit-fields are not supported in OpenCL C
