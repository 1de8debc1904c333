// What cannot stand in a macro's name begins its value, with a warning, as in a line of #define: UFO makes names of the device's, with its comma.
// options: -w -DDEVICE_LLVMPIPE__LLVM_15_0_6,_256_BITS_ -DMINUS-
// no-diagnostics
#ifndef DEVICE_LLVMPIPE__LLVM_15_0_6
#error no macro
#endif
kernel void k(global int *p) {
    p[0] = 3 MINUS;
}
