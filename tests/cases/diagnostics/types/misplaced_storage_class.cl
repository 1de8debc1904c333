struct S { static int a; };  //~ error[misplaced-storage-class]: 'static' is not allowed here
kernel void k(void) {}
