enum E {};  //~ error[empty-enum]: an enumeration needs at least one enumerator
kernel void k(void) {}
