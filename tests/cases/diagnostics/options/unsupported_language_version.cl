// options: -cl-std=CL3.1
//~^ error[unsupported-language-version]: the device's version is 3.0: it does not support -cl-std=CL3.1
kernel void k(void) {}
