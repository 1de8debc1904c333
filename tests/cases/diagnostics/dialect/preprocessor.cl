// Questions about the compiler that are malformed, and what else the preprocessor takes from clang and refuses.
#if __has_builtin //~ error[invalid-feature-test]: '__has_builtin' takes an argument in parentheses
#endif
#if __has_attribute(3) //~ error[invalid-feature-test]: '__has_attribute' takes an identifier in parentheses
#endif
#if __has_warning(x) //~ error[invalid-feature-test]: '__has_warning' takes a string
#endif
#if __has_include(x) //~ error[invalid-feature-test]: expected "FILENAME" or <FILENAME>
#endif
#define NESTED(...) f(__VA_OPT__(a __VA_OPT__(b))) //~ error[invalid-va-opt]: cannot stand within its own argument
#define BARE(...) f __VA_OPT__ //~ error[invalid-va-opt]: takes an argument in parentheses
#define PLAIN(a) a __VA_OPT__(b) //~ warning[misplaced-va-opt]: means something in the expansion of a variadic macro only
#define PASTED(...) __VA_OPT__(## a) //~ error[invalid-paste]: '##' cannot appear at either end of the argument of '__VA_OPT__'
#pragma pop_macro("NOTHING") //~ warning[pop-macro]: no '#pragma push_macro("NOTHING")' came before
#pragma GCC poison banned
#if banned //~ error[poisoned-identifier]: 'banned' is poisoned by a pragma
#endif
#pragma GCC error "an error" //~ error[user-error]: an error
#pragma GCC warning "a warning" //~ warning[user-warning]: a warning
#pragma message("a message") //~ warning[user-warning]: a message
