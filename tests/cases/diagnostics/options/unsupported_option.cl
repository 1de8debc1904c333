// options: -cl-fp32-correctly-rounded-divide-sqrt
//~^ error[unsupported-option]: -cl-fp32-correctly-rounded-divide-sqrt: the device does not round so (CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT is not in CL_DEVICE_SINGLE_FP_CONFIG)
kernel void k(void) {}
