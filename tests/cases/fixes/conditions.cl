// Assignments where a comparison was probably meant; another pair of parentheses says that it was not.
// fixed
kernel void k(global int *p, int a, int b) {
    if (a = b) { //~ warning[assignment-as-condition]: an assignment is the condition
                 //~^ fix: if (a == b) {
        p[0] = 1;
    }
    while (p[1] = a) { //~ warning[assignment-as-condition]: an assignment
                       //~^ fix: while (p[1] == a)
        p[2]++;
    }
    do p[3]++; while (b = 0); //~ warning[assignment-as-condition]: an assignment
                              //~^ fix: while (b == 0);
    for (; a = p[4];) b++; //~ warning[assignment-as-condition]: an assignment
                           //~^ fix: for (; a == p[4];)
    if ((a = b)) p[5] = 1;
    if ((a = b) != 0) p[6] = 1;
    if (p[a = 1]) p[7] = 1;
    switch (a = b) { default: p[8] = 1; }
}
