// options: -cl-std=CL1.2
kernel void k(global float4 *p) { p[0].r = 1.0f; }
//~^ warning[rgba-swizzle]: 'r': the letters rgba are a feature of OpenCL C 3.0
