kernel void k(global int *p) { switch (*p) { case 5 ... 1: *p = 0; } } //~ warning[case-range]: this 'case' range is empty: no value is in it
kernel void l(global int *p) { switch (*p) { case 1 ... 20000: *p = 0; } } //~ error[case-range]: a 'case' range must go upwards over at most 16384 values
