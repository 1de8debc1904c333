// What kernels return, and the members of what they are given.
// fixed
struct pair { int a; int b; };
kernel int returns_nothing(global int *p) { //~ error[kernel-return-type]: a kernel must return void, not 'int'
                                            //~^ fix: kernel void returns_nothing(
    p[0] = 1;
    if (p[1] > 2) return -1; //~ fix: return;
    return 0; //~ fix: return;
}
kernel unsigned int two_words(global int *p) { //~ error[kernel-return-type]: a kernel must return void, not 'uint'
                                               //~^ fix: kernel void two_words(
    p[0] = 1;
    return (1); //~ fix: return;
}
kernel void members(global struct pair *pairs, struct pair pair) {
    pairs.a = 1; //~ error[member-of-pointer]: use '->' to reach a member
                 //~^ fix: pairs->a = 1;
    pairs->b = pair->b; //~ error[not-a-pointer]: use '.' to reach a member
                        //~^ fix: pairs->b = pair.b;
}
