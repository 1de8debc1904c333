// Characters that start no token, and literals that their line does not end.
kernel void k(global int *p) {
    p[0] = 1 @ ; //~ error[invalid-character]: unexpected character '@'
    p[1] = p[0] 'a
    //~^ error[unterminated-literal]: missing terminating ''' character
    ;
}
