#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable
//~^ warning[unsupported-extension]: extension 'cl_khr_3d_image_writes' is not supported by this device
kernel void k(void) {}
