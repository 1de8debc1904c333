// Malformed directives and macros (C99 §6.10).
#define 1x //~ error[invalid-macro-name]: macro name must be an identifier
#define F(a, a) a //~ error[duplicate-macro-parameter]: duplicate macro parameter 'a'
#define G(x) #y //~ error[invalid-stringize]: '#' is not followed by a macro parameter
#define H ## //~ error[invalid-paste]: '##' cannot appear at either end of a macro expansion
#define TWICE 1
#define TWICE 2 //~ warning[macro-redefined]: 'TWICE' macro redefined
#define ARGS(a, b) a + b
#undef //~ error[invalid-macro-name]: macro name missing
#nonsense //~ error[invalid-directive]: invalid preprocessing directive
#if 1 + //~ error[invalid-condition]: expected a value at the end of the preprocessor expression
#endif
#if 1 / 0 //~ error[invalid-condition]: division by zero in preprocessor expression
#endif
#include "missing_file.h" //~ error[file-not-found]: 'missing_file.h' file not found
#line zero //~ error[invalid-line]: #line needs a line number, and optionally a file name in quotes
#error this is wrong: 3 //~ error[user-error]: #error this is wrong: 3
#pragma OPENCL EXTENSION cl_nothing : enable //~ warning[unknown-extension]: unknown OpenCL extension 'cl_nothing' is ignored
#ifdef //~ error[invalid-macro-name]: macro name missing
#endif
#else //~ error[stray-conditional]: #else without #if
#endif //~ error[stray-conditional]: #endif without #if
constant int a = ARGS(1); //~ error[macro-argument-count]: too few arguments provided to function-like macro invocation 'ARGS':
//~^ error[expected-expression]: expected an expression, found ';'
constant int b = ARGS(1, 2, 3); //~ error[macro-argument-count]: too many arguments provided to function-like macro invocation 'ARGS':
constant int c = 1 ARGS 2; //~ error[expected-semicolon]: expected ';' after declaration, found 'ARGS'
#define __LINE__ 1 //~ warning[predefined-macro]: '__LINE__' is predefined: it should be neither defined nor undefined
#undef __FILE__ //~ warning[predefined-macro]: '__FILE__' is predefined: it should be neither defined nor undefined
kernel void contracted(global float *p) {
    p[0] = 1;
#pragma OPENCL FP_CONTRACT OFF //~ warning[misplaced-pragma]: FP_CONTRACT stands outside of functions or at the start of a block
    p[1] = 2;
}
