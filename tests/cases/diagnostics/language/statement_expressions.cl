// GNU's ({ … }): what cannot be in one, and where one cannot be.
constant int outside = ({ 1; }); //~ error[local-outside-function]: a statement expression can only stand in a function
kernel void k(global int *p) {
    int x = ({ int y = 1; }); //~ error[void-value]: a value of type 'void' cannot be used
    switch (p[0]) { case 1: p[1] = ({ case 2: 3; }); } //~ error[case-outside-switch]: 'case' outside of a 'switch'
    p[2] = ({ here: ; 4; }); //~ error[label-in-expression]: a label cannot stand in a statement expression
    goto here;
    p[3] = ({ undeclared; }); //~ error[undeclared-identifier]: use of undeclared identifier 'undeclared'
    p[4] = ({ switch (p[0]) { case 1: break; } 5; });
}
