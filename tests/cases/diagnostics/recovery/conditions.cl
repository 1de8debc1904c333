// A condition without its ')': what stands before the next one is skipped, and the statement behind it is read.
kernel void k(global int *p, int n) {
    if (n 1) p[0] = 1; //~ error[expected-token]: expected ')' after condition, found '1'
    while (n == undeclared 1) p[0]++; //~ error[undeclared-identifier]: use of undeclared identifier 'undeclared'
    for (int i = 0; i < n; i++ 1) p[i] = 1; //~ error[expected-token]: expected ')' after 'for', found '1'
    if (n p[1] = 2; //~ error[expected-token]: expected ')' after condition, found 'p'
    p[2] = undeclared_too; //~ error[undeclared-identifier]: use of undeclared identifier 'undeclared_too'
}
