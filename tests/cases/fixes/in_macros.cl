// Nothing is proposed for text that a macro brought along.
#define READ(p) p[get_gobal_id(0)]
kernel void k(global int *p) {
    p[0] = READ(p); //~ error[undeclared-function]: 'get_gobal_id'
                    //~^ fix: p[0] = READ(p);
}
