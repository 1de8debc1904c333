// -cl-std=CL2.0
kernel void dead(global int *o, int n) {
  if (n) { return; o[0] = 1; lab: o[1] = 2; }
  while (n) { break; o[0]++; }
  switch (n) { o[2] = 3; case 1: return; o[4] = 1; default: break; o[5] = 3; }
  switch (n) { }
  switch (n) case 3: o[0] = 2;
  switch (n) { default: o[1] = 1; }
  do { if (n) break; continue; } while (0);
  for (;;) { switch (o[0]) { case 0: continue; case 1: goto end; default: break; } o[1]++; if (o[1] > 10) break; }
end: ;
  for (;;) ;
}
kernel void inf(global int *o) { while (1) { o[0]++; } }
kernel void inf2(global int *o) { do { o[0]++; } while (1); }
kernel void sw(global long *o, uchar c, long l, uint u) {
  switch (c) { case 'a' ... 'a': o[0] = 1; break; }
}
kernel void sw2(global long *o, uchar c, long l, uint u) {
  switch (c) { case 'a': o[0] = 1; break; case 255: { o[1] = 2; } }
  switch (u) { case 0xffffffffu: o[0] = 2; case -1 + 0u - 1: ; }
  switch (l) { case -1: while (l) { l--; if (l == 4) goto out; } default: o[0] = 3; }
  out: o[3] = 1;
}
