void k(void);
kernel void k(void) {}
//~^ warning[kernel-redeclaration]: this declares as a kernel a function that was declared without 'kernel' before
