// Parts of C++ that would be computed wrongly are refused by their names: destructors in parts that may not be evaluated, goto out of the scope of
// objects, implicit assignments, specialisations for const, decltype of a reference.
// options: -cl-std=CLC++2021
struct T { int v; T(int n) : v(n) {} ~T() { v = 0; } };
struct A { int v; A &operator=(const A &a) { v = a.v + 1; return *this; } };
struct B { A a; };
template <class X> struct Q { static constexpr int v = 0; };
template <class X> struct Q<const X> { static constexpr int v = 1; }; //~ error[unsupported-cxx]: a partial specialisation for types with 'const' or 'volatile'
kernel void k(global int *o) {
    int a = 1;
    if (o[0] && T(1).v) a = 2; //~ error[unsupported-cxx]: in an operand that may not be evaluated
    if (o[0] || T(1).v) a = 2; //~ error[unsupported-cxx]: in an operand that may not be evaluated
    if (T(1).v && o[0]) a = 2;
    a = o[0] ? T(1).v : a; //~ error[unsupported-cxx]: in an operand that may not be evaluated
    for (int i = 0; i < 2; i += T(1).v) a++; //~ error[unsupported-cxx]: in the head of a for
    { T t(1); if (t.v) goto end; } //~ error[unsupported-cxx]: a goto where objects have destructors
end:;
    B b, c;
    b = c; //~ error[unsupported-cxx]: the implicit assignment of a class
    decltype((a)) d = a; //~ error[unsupported-cxx]: 'decltype' of an expression in parentheses
    o[0] = a;
}
