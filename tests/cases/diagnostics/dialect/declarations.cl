// What clang refuses, too, of the declarations that it adds to C99.
typedef struct { int n; } S;
void f(S s) {
    __auto_type a; //~ error[auto-type]: '__auto_type' declares a plain variable, initialised with an expression
    __auto_type b = { 1 }; //~ error[auto-type]: '__auto_type' declares a plain variable
    __auto_type c = 1, d = 2.0f; //~ error[auto-type]: '__auto_type' is 'int' for an earlier variable and 'float' for this one
    __auto_type *e = 0; //~ error[auto-type]: '__auto_type' declares a plain variable
    (void)(__auto_type)1; //~ error[auto-type]: stands in the declaration of an initialised variable only
}
enum Narrow : uchar { Fits = 255, Not }; //~ error[enumerator-range]: the value 256 does not fit the enumeration's type 'uchar'
enum Float : float { Zero }; //~ error[enum-type]: 'float' cannot hold an enumeration
struct Middle { int a[]; int b; }; //~ error[flexible-array]: an array without a size can only be the last member
struct Check { int a; _Static_assert(sizeof(int) == 5, "five"); }; //~ error[static-assertion]: static assertion failed: five
int g(a, b) int a; { return a + b; } //~ warning[old-style-definition]: a definition without a prototype
//~^ warning[missing-type]: this parameter has no declaration: it is an 'int'
int h(a) int a; int b; { return a; } //~ error[expected-parameter]: this declares no parameter of the list
//~^ warning[old-style-definition]: a definition without a prototype
int later(z); //~ error[expected-parameter]: a parameter list without types belongs to a definition
int call(int x) { return g(x); } //~ error[argument-count]: too few arguments: 1 given, 2 expected
typedef int five __attribute__((vector_size(20))); //~ error[attribute-argument]: there is no vector of 5 'int'
typedef int odd __attribute__((vector_size(10))); //~ error[attribute-argument]: there is no vector of that size in bytes of 'int'
typedef float mixed __attribute__((mode(DI))); //~ error[attribute-argument]: no mode makes 'ulong' of 'float'
typedef int what __attribute__((mode(XX))); //~ error[attribute-argument]: attribute 'mode' takes one of
int w(__attribute__((address_space(9))) int *p); //~ error[attribute-argument]: attribute 'address_space' takes 0
void clean(int *p) { int x __attribute__((cleanup(clean))) = 1; } //~ error[unsupported-attribute]: attribute 'cleanup' is not supported
int named(void) __asm__("other"); //~ warning[ignored-attribute]: the name for an assembler is ignored
struct Last { int n; int rest[]; };
struct None { int n; int none[0]; int m; };
constant struct Last last = { 3, { 1, 2 } }; //~ error[flexible-array]: a flexible array member cannot be initialised
constant struct None none = { 1, 2 }; //~ error[array-initializer]: an array without elements is initialised by '{}' alone
constant struct None braces = { 1, {}, 2 };
