#define A0 A1 A1 A1 A1 A1 A1 A1 A1
#define A1 A2 A2 A2 A2 A2 A2 A2 A2
#define A2 A3 A3 A3 A3 A3 A3 A3 A3
#define A3 A4 A4 A4 A4 A4 A4 A4 A4
#define A4 A5 A5 A5 A5 A5 A5 A5 A5
#define A5 A6 A6 A6 A6 A6 A6 A6 A6
#define A6 A7 A7 A7 A7 A7 A7 A7 A7
#define A7 A8 A8 A8 A8 A8 A8 A8 A8
#define A8 A9 A9 A9 A9 A9 A9 A9 A9
#define A9 A10 A10 A10 A10 A10 A10 A10 A10
#define A10 1
A0
//~^ error[expansion-too-large]: macro expansion produces too many tokens
//~^^ error[expected-declaration]: expected a declaration, found '1'
kernel void k(void) {}
