#define F(a) __VA_ARGS__
//~^ error[invalid-va-args]: '__VA_ARGS__' can only appear in the expansion of a variadic macro
kernel void k(void) {}
