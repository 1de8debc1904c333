// Statements out of place (C99 §6.8).
int f(int x) {
    break; //~ error[break-outside-loop]: 'break' outside of a loop or 'switch'
    continue; //~ error[continue-outside-loop]: 'continue' outside of a loop
    case 1: x++; //~ error[case-outside-switch]: 'case' outside of a 'switch'
    default: x++; //~ error[case-outside-switch]: 'default' outside of a 'switch'
    goto nowhere; //~ error[undefined-label]: use of undeclared label 'nowhere'
twice: x++; //~ warning[unused-label]: unused label 'twice'
twice: x++; //~ error[duplicate-label]: redefinition of label 'twice'
    switch (x) {
    case 1: case 1: break; //~ error[duplicate-case]: duplicate case value 1
    case 2 + 0: default: default: break; //~ error[duplicate-case]: a second 'default' in one 'switch'
    case 2: break; //~ error[duplicate-case]: duplicate case value 2
    }
    switch (1.0f) { case 1: break; } //~ error[switch-type]: 'switch' needs an integer, this is 'float'
    switch (x) { case x: break; } //~ error[non-constant-case]: a 'case' value must be an integer constant expression
    if ((float4)(1)) x++; //~ error[condition-not-scalar]: a scalar is required as condition ('float4' is invalid)
    while (f) x++; //~ error[function-as-value]: 'f' is a function: OpenCL C has no pointers to functions
    return; //~ error[return-without-value]: function 'f' must return a value of type 'int'
    else x = 1; //~ error[else-without-if]: 'else' without an 'if' before it
    for (int i = 0; i < 3, i++) x++; //~ error[expected-semicolon]: expected ';' after the condition of 'for', found ')'
    int int_;
    x + 1 = 2; //~ error[not-assignable]: the expression is not assignable
    5 = x; //~ error[not-assignable]: the expression is not assignable
    &5; //~ error[not-an-lvalue]: the address of a value of type 'int' cannot be taken
    *x = 1; //~ error[not-a-pointer]: indirection requires a pointer ('int' is none)
    const int c = 1;
    c = 2; //~ error[const-write]: a const-qualified object cannot be written
    c++; //~ error[const-write]: a const-qualified object cannot be written
}
void g(void) { return 1; } //~ error[return-with-value]: function 'g' returns void; it cannot return 'int'
