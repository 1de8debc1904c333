// Variables at program scope need a space, which before OpenCL C 2.0 can only be __constant.
// options: -cl-std=CL1.2
// fixed
float table[2] = { 1.0f, 2.0f }; //~ error[program-scope-address-space]: has no address space
                                 //~^ fix: __constant float table[2]
static const int a = 1, b = 2; //~ error[program-scope-address-space]: 'a' has no address space
                               //~^ error[program-scope-address-space]: 'b' has no address space
                               //~^^ fix: __constant static const int a = 1, b = 2;
global int c = 3; //~ error[program-scope-address-space]: in the __global address space
                  //~^ fix: __constant int c = 3;
local int d = 4; //~ error[program-scope-address-space]: in the __local address space
                 //~^ fix: __constant int d = 4;
kernel void k(global float *p) { p[0] = table[1] + a + b + c + d; }
