// C99 §6.8: labels, jumps and selections where they cannot stand.
int f(int x) { return; } //~ error[return-without-value]: function 'f' must return a value of type 'int'
kernel void k(global int *p, global float *x) {
    break; //~ error[break-outside-loop]: 'break' outside of a loop or 'switch'
    continue; //~ error[continue-outside-loop]: 'continue' outside of a loop
    case 3: ; //~ error[case-outside-switch]: 'case' outside of a 'switch'
    goto nowhere; //~ error[undefined-label]: use of undeclared label 'nowhere'
    switch (x[0]) { } //~ error[switch-type]: 'switch' needs an integer, this is 'float'
    switch (p[0]) { case 1: case 1: ; default: ; default: ; } //~ error[duplicate-case]: duplicate case value 1
//~^ error[duplicate-case]: a second 'default' in one 'switch'
    switch (p[0]) { case p[1]: ; } //~ error[non-constant-case]: a 'case' value must be an integer constant expression
    int q;
    int q; //~ error[redefinition]: redefinition of 'q'
    { int q; }
    return 1; //~ error[return-with-value]: function 'k' returns void; it cannot return 'int'
}
