// clang's preprocessor: questions about the compiler, __VA_OPT__, GNU's variadic macros, names with $ and beyond ASCII, put-by macros.
// run: --kernel k --global 1 --arg int[32]:zero --print p
// prints: p: 1 1 103 1 37 89 7 21 22 5 2003 160 10 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
// no-diagnostics
#ifndef __has_builtin
#error "no __has_builtin"
#elif __has_builtin(__builtin_nosuch) || !__has_builtin(__builtin_popcount)
#error "wrong answers"
#elif !(__has_attribute(always_inline) && __has_attribute(__vector_size__) && !__has_attribute(nosuch))
#error "wrong answers"
#elif !__has_extension(c_static_assert) || __has_feature(c_static_assert) || !__has_extension(c_generic_selections)
#error "wrong answers"
#elif __has_include("nosuch.h") || __has_include(<nosuch.h>)
#error "wrong answers"
#elif !__is_identifier(foo) || __is_identifier(kernel) || __is_identifier(int)
#error "wrong answers"
#endif
#define HAS(x) __has_builtin(__builtin_##x)
#if HAS(clz) && !HAS(alloca) && (1, 2) == 2
#define HAVE 1
#endif

#define CALL(f, ...) f(__VA_ARGS__)
#define ADD(a, ...) sum(a __VA_OPT__(,) __VA_ARGS__ __VA_OPT__(+ 100))
#define NAMED(a, rest...) sum(a, ##rest)
#define JOIN(a, ...) a##__VA_OPT__(1)##2
#define TEXT(...) #__VA_OPT__(a __VA_ARGS__)
#define SKIP(x, ...) __VA_OPT__(x)

#define VALUE 1
#pragma push_macro("VALUE")
#undef VALUE
#define VALUE 2
enum { inner = VALUE };
#pragma pop_macro("VALUE")

int __attribute__((overloadable)) sum(int a) { return a; }
int __attribute__((overloadable)) sum(int a, int b) { return a + b; }
int größe(int x$y) { int $ = x$y; return $ + 1; }
int n\u00e4me(int \u03b1) { return α * 2; }
constant char text[] = TEXT(b, c);

kernel void k(global int *p) {
    int 变量 = 5, x = 7, x2 = 8, x12 = 9;
    p[0] = HAVE;
    p[1] = ADD(1);
    p[2] = ADD(1, 2);
    p[3] = ADD(1, );
    p[4] = NAMED(3) * 10 + NAMED(3, 4);
    p[5] = JOIN(x) * 10 + JOIN(x, 1);
    p[6] = sizeof(text);
    p[7] = inner * 10 + VALUE;
    p[8] = größe(1) + näme(10);
    p[9] = 变量;
    p[10] = CALL(sum, 1, 2) SKIP(+ 1000) SKIP(+ 2000, y);
    p[11] = __INCLUDE_LEVEL__ + sizeof(__FILE_NAME__) * 10;
    p[12] = __COUNTER__ + 10 * __COUNTER__;
#define EMPTY
    p[13] = sizeof(TEXT(EMPTY));
    p[14] = x - x2 + x12 - 8;
}
