// Punctuators that are missing.
// fixed
struct pair { int a; int b } //~ error[expected-semicolon]: expected ';' after member declaration
                             //~^ error[expected-semicolon]: expected ';' after
                             //~^^ fix: struct pair { int a; int b; };
kernel void k(global int *out, global int *p, int n) {
    int x = 1 //~ error[expected-semicolon]: expected ';' after declaration
              //~^ fix: int x = 1;
    out[0] = (x + 2; //~ error[expected-token]: expected ')'
                     //~^ fix: (x + 2);
    out[1] = p[0; //~ error[expected-token]: expected ']'
               //~^ fix: p[0];
    if (n > 2 { //~ error[expected-token]: expected ')' after condition
                //~^ fix: if (n > 2) {
        out[2] = min(n, 1; //~ error[expected-token]: expected ')'
                           //~^ fix: min(n, 1);
    }
    for (int i = 0; i < n; i++ //~ error[expected-token]: expected ')' after 'for'
                               //~^ fix: i++)
        out[i] = i;
    do x++; while (x < n) //~ error[expected-semicolon]: expected ';' after 'do' statement
                          //~^ fix: while (x < n);
    return //~ error[expected-semicolon]: expected ';' after 'return'
           //~^ fix: return;
}
