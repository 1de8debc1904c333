// C99 §6.4.4: numbers, characters and strings that are none.
constant int a = 08; //~ error[invalid-literal]: invalid digit '8' in octal literal
constant float b = 1.0fx; //~ error[invalid-literal]: invalid digit or suffix in floating literal '1.0fx'
constant int c = 0x; //~ error[invalid-literal]: '0x' is no number
constant int d = ''; //~ error[invalid-literal]: empty character constant
constant int e = 'ab'; //~ warning[multichar]: multi-character character constant
constant char f[] = L"wide"; //~ error[invalid-literal]: 'L' literals are not part of OpenCL C
constant float g = 1e400; //~ warning[literal-range]: literal is out of the range of double
constant int h = 0b12; //~ error[invalid-literal]: invalid digit '2' in binary literal
constant int i = 0x100000000000000000000000000000000; //~ error[invalid-literal]: integer literal is too large for any integer type
