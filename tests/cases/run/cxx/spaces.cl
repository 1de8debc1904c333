// C++ for OpenCL: macros, casts, references and members by address space (rules C-2 to C-5 and C-8).
// options: -cl-std=CLC++1.0
// run: --kernel language --global 1 --arg out=int[12] --print out
// prints: out: 100 202100 3 7 5 1 4 0 9 8 1 0
// run: --kernel casts --global 1 --local 1 --arg out=int[8] --print out
// prints: out: 5 6 1065353216 1 11 12 0 0
// run: --kernel references --global 1 --local 1 --arg out=int[10] --print out
// prints: out: 1 2 3 4 3 0 21 31 6 0
// run: --kernel members --global 1 --local 1 --arg out=int[12] --print out
// prints: out: 1 2 3 1 2 3 10 20 7 7 4 0
#define COUNT(...) count(__VA_ARGS__)
template <class A, class B> struct same { static constexpr bool value = false; };
template <class A> struct same<A, A> { static constexpr bool value = true; };

// C-2: macros, variadic macros, nullptr, the vector ?:; C-8: NULL, static members in global memory.
int count(int a, int b = 0, int c = 0) { return (a != 0) + (b != 0) + (c != 0); }
struct Counter { static int all; int own; };
int Counter::all = 5;
kernel void language(global int *out) {
    int n = 0;
    out[n++] = __OPENCL_CPP_VERSION__;
    out[n++] = __CL_CPP_VERSION_2021__;
#ifdef __OPENCL_C_VERSION__
    out[n++] = -1;
#else
    out[n++] = COUNT(1, 2, 3);
#endif
    const int seven = 7;
    out[n++] = seven;
    int *null = nullptr;
    out[n++] = null == NULL && !null ? 5 : 6;
    int4 mask = (int4)(-1, 0, 1, -2147483647 - 1);
    int4 chosen = mask ? (int4)(1, 2, 3, 4) : (int4)(5, 6, 7, 8);
    out[n++] = chosen.x;
    out[n++] = chosen.w;
    Counter a, b;
    a.own = b.own = 0;
    Counter::all += 4;
    global int *place = &Counter::all;
    out[n++] = a.own;
    out[n++] = *place;
    out[n++] = sizeof(Counter) * 2;
    out[n++] = same<decltype(nullptr), decltype(nullptr)>::value;
}

// C-3: addrspace_cast between spaces, reinterpret_cast between vectors and scalars of one size, C-style casts of nested pointers.
kernel void casts(global int *out) {
    local int shared[2];
    shared[0] = 5;
    int *any = addrspace_cast<int *>(&shared[0]);
    out[0] = *any;
    local int *back = addrspace_cast<local int *>(any);
    back[1] = 6;
    out[1] = shared[1];
    out[2] = reinterpret_cast<int2>(reinterpret_cast<long>((float2)(1.0f, 2.0f))).x;
    out[3] = reinterpret_cast<int4>((uint4)(1, 2, 3, 4)).x;
    int mine = 11, *pointer = &mine;
    int **nested = &pointer;
    out[4] = **(int **)nested;
    const int **constant_nested = const_cast<const int **>(nested);
    mine = 12;
    out[5] = **constant_nested;
}

// C-4: references to spaces, temporaries, the spaces that auto and templates deduce, specialisations for a space.
int space(private int &) { return 1; }
int space(local int &) { return 2; }
int space(global int &) { return 3; }
int temporary(const int &x) { return x; }
template <class T> int pointed(T *p) { return space(*p); }
template <class T> struct bare { typedef T type; };
template <class T> struct bare<__global T> { typedef T type; };
int program = 6;
kernel void references(global int *out) {
    local int shared;
    int mine = 20;
    global int &first = out[0];
    first = space(mine);
    out[1] = space(shared);
    out[2] = space(first);
    out[3] = temporary(4);
    out[4] = pointed(out);
    auto copy = mine;
    auto &alias = mine;
    alias++;
    out[6] = mine;
    bare<global int>::type own = 31;
    out[7] = own;
    auto *to = &program;
    out[8] = *to;
}

// C-5: members, constructors and lambdas by the space of the object.
struct Place {
    int made;
    Place() __private : made(10) {}
    Place() __global : made(20) {}
    Place(int v) : made(v) {}
    int where() __private { return 1; }
    int where() __local { return 2; }
    int where() __global { return 3; }
    int anywhere() const { return made; }
};
Place object;
kernel void members(global int *out) {
    Place mine;
    local Place shared;
    shared.made = 7;
    out[0] = mine.where();
    out[1] = shared.where();
    out[2] = object.where();
    private Place *p = &mine;
    local Place *l = &shared;
    global Place *g = &object;
    out[3] = p->where();
    out[4] = l->where();
    out[5] = g->where();
    out[6] = mine.made;
    out[7] = object.made;
    out[8] = shared.anywhere();
    auto lambda = [](int x) { return x + 3; };
    out[9] = lambda(4);
    auto spaced = [&]() __private { return mine.where() + 3; };
    out[10] = spaced();
}
