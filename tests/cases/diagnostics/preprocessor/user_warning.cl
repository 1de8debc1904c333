#warning so it is
//~^ warning[user-warning]: #warning so it is
kernel void k(void) {}
