_Pragma(5)
//~^ error[invalid-pragma-operator]: _Pragma takes a parenthesized string literal
//~^^ error[expected-declaration]: expected a declaration, found ')'
kernel void k(void) {}
