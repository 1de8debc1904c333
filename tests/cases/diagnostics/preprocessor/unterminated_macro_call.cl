#define F(a) a
kernel void k(void) {}
F(1
//~^ error[unterminated-macro-call]: unterminated argument list invoking macro 'F'
//~^^ error[expected-declaration]: expected a declaration, found 'F'
