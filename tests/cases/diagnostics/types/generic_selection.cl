// _Generic: one association for each type, and one that fits (C11 §6.5.1.1).
kernel void k(global int *p) {
    p[0] = _Generic(p[1], int: 1, float: 2, int: 3); //~ error[generic-selection]: two associations of '_Generic' are for the same type
    p[1] = _Generic(1.0f, int: 1); //~ error[generic-selection]: no association of '_Generic' is for the type 'float'
}
