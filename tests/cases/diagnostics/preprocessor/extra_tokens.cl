#ifdef A
#endif A
//~^ warning[extra-tokens]: extra tokens at end of #endif directive
kernel void k(void) {}
