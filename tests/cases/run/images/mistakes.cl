// Images that do not fit their arguments are refused before the launch.
// run: --kernel k --global 1 --arg image1d<r,float>[4]
// fails: image1d_t
// no-diagnostics
// features: __opencl_c_images
kernel void k(write_only image2d_t out) { write_imagef(out, (int2)(0, 0), (float4)(1)); }
