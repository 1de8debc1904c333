kernel void k(global ulong *p) { *p = 18446744073709551615; }
//~^ warning[implicitly-unsigned-literal]: integer literal is too large for a signed type and taken as ulong
