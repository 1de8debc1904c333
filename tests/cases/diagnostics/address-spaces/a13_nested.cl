// A-13 rejected: nested pointers to different spaces do not convert implicitly.
void f(global int **p) {}
kernel void k(global int *g, local int *l) {
    global int *pg = g;
    local int *pl = l;
    global int **a = &pg;
    global int **b = &pl; //~ error[nested-address-space]: initializing '__global int **' with '__local int **' changes the address space of a nested pointer
    local int **c = a; //~ error[nested-address-space]: initializing '__local int **' with '__global int **' changes the address space of a nested pointer
    f(&pg);
    f(&pl); //~ error[nested-address-space]: passing '__local int **' to a parameter of type '__global int **' changes the address space of a nested pointer
    int **d = &pg; //~ error[nested-address-space]: initializing 'int **' with '__global int **' changes the address space of a nested pointer
}
