kernel void k(global char *p) { *p = 1000; }
//~^ warning[constant-conversion]: conversion to 'char' changes the value from 1000 to -24
