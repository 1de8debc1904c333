struct S { int a; };
kernel void k(global int *p) {
    struct S s = {1};
    *p = s.+;
//~^ error[expected-member]: expected a member name, found '+'
//~^^ error[expected-expression]: expected an expression, found ';'
}
