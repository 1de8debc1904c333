struct S { int a; };
kernel void k(void) { union S *u; }
//~^ error[tag-mismatch]: use of 'S' with a kind of tag that does not match the previous declaration
