// What follows a typeof with an error is read as ever.
kernel void k(global int *p) {
    typeof(p[0] b = 1; //~ error[expected-token]: expected ')' after the operand of 'typeof', found 'b'
    p[0] = b;
}
kernel void l(global int *p) {
    typeof(undeclared) c = 1; //~ error[undeclared-identifier]: use of undeclared identifier 'undeclared'
    typeof() d = 1; //~ error[expected-expression]: expected an expression, found ')'
    p[0] = c + d;
}
kernel void m(global int *p) {
    typeof x = 1; //~ error[expected-token]: expected '(' after 'typeof', found 'x'
    p[0] = x;
}
