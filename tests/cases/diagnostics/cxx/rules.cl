// The rules of C++ for OpenCL.
// options: -cl-std=CLC++1.0
class A {
    int hidden;
    A(int) {}
public:
    A() = default;
    int shown() const;
    int local_only() __local;
    void gone() = delete;
};
typedef int Int;
struct B : Int {}; //~ error[invalid-base]: a base must be a class
struct R { int &r; R(int &x) : r(x) {} };
struct C { kernel void k(); }; //~ error[kernel-member]: a kernel cannot be a member
template <typename T> kernel void tk(global T *p) {} //~ error[kernel-template]: a kernel cannot be a template
template <typename T> struct One { T t; };
namespace n { int x; }
void f(int &x);
int g() const; //~ error[misplaced-qualifier]: only a member function
int plain(int v) : n(v) { return v; } //~ error[misplaced-initializer]: only a constructor
static int statics() { return this; } //~ error[no-object]: 'this' stands in member functions
void use(global int *p) {
    A a;
    a.hidden = 1; //~ error[member-access]: 'hidden' is a private member of 'A'
    A b(1); //~ error[member-access]: the constructor is a private member of 'A'
    a.gone(); //~ error[deleted-function]: the function is deleted
    a.local_only(); //~ error[no-matching-function]: no function 'local_only' takes ()
    f(1); //~ error[no-matching-function]: no function 'f' takes (int)
    int &u; //~ error[reference-uninitialized]: a reference must be initialised
    int &v = 1; //~ error[reference-binding]: that is not const cannot be bound to a value
    const global int &w = 2; //~ error[reference-binding]: cannot be bound to a value
    One<1> o; //~ error[template-argument]: must be a type
    n::y = 1; //~ error[undeclared-identifier]: no member named 'y' in 'n'
    m::z = 1; //~ error[unknown-scope]: 'm' is no class, namespace or enumeration
    auto l = [] { return p[0]; }; //~ error[lambda-capture]: 'p' is not captured
    int *q = p;
    global int *back = q; //~ error[address-space]: from '__generic' to '__global'
    local int *cast = addrspace_cast<local int *>(p); //~ error[address-space]: changes the address space
    int narrow = static_cast<int>(p); //~ error[int-conversion]: pointers and integers
    namespace inner {} //~ error[misplaced-namespace]: a namespace stands at file scope
    template <typename T> void t(T); //~ error[misplaced-template]: outside of functions
    char *text = "a"; //~ error[address-space]: from '__constant' to '__generic'
}
template <> void f(int x) {} //~ error[unknown-template]: this specialises no template
kernel void kr(int &x) {} //~ error[kernel-pointer-address-space]: a reference parameter of a kernel
kernel void ka(R r) {} //~ error[kernel-parameter-type]: it is no plain data
void missing_result() {
    auto f = [](int x) -> { return x; }; //~ error[missing-type]: a type is missing after '->'
}
