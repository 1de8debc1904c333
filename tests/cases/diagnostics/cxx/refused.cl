// What C++ for OpenCL does not have, and what this compiler does not take, each by its name.
// options: -cl-std=CLC++1.0
struct V { virtual void f(); }; //~ error[unsupported-cxx]: C++ for OpenCL does not have virtual functions
struct W { virtual int g() = 0; }; //~ error[unsupported-cxx]: virtual functions
void h() noexcept;
thread_local int tl; //~ error[unsupported-cxx]: 'thread_local'
void k() {
    int *p = new int; //~ error[unsupported-cxx]: does not have 'operator new' of its own
    delete p; //~ error[unsupported-cxx]: does not have 'operator delete' of its own
    throw 1; //~ error[unsupported-cxx]: exceptions
    int q = typeid(int); //~ error[unsupported-cxx]: run-time type information
    auto r = dynamic_cast<V *>(nullptr); //~ error[unsupported-cxx]: 'dynamic_cast'
    auto s = &h; //~ error[unsupported-cxx]: pointers to functions
    int V::*m; //~ error[unsupported-cxx]: pointers to members
}
void (&rf)() = h; //~ error[unsupported-cxx]: references to functions
