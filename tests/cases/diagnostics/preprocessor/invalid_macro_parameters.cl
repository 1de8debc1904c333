#define F(a, 5) a
//~^ error[invalid-macro-parameters]: expected a macro parameter name
kernel void k(void) {}
