// The restrictions on blocks (OpenCL C §6.14.5), and what enqueued blocks must be (§6.15.19).
// options: -cl-std=CL3.0
// features: __opencl_c_device_enqueue __opencl_c_generic_address_space __opencl_c_program_scope_global_variables
typedef int (^unary_t)(int);
int (^uninitialised)(void); //~ error[uninitialized-block]: the block variable 'uninitialised' must be initialised
extern int (^elsewhere)(void); //~ error[invalid-variable]: the block variable 'elsewhere' cannot be 'extern'
unary_t returned(void); //~ error[invalid-return-type]: a function cannot return 'int (^)(int)'
unary_t *pointer; //~ error[invalid-pointee]: pointer to type 'int (^)(int)' is invalid
struct with_block {
    unary_t member; //~ error[opaque-member]: type 'int (^)(int)' cannot be used in a structure
};
int ^not_a_function = 0; //~ error[invalid-block-type]: parentheses with its parameters must follow
int (^with_block)(unary_t); //~ error[invalid-block-type]: a block cannot be the parameter of a block
kernel void from_host(unary_t b) { } //~ error[kernel-parameter-type]: a block cannot be passed to a kernel
int (^no_capture)(void) = ^{ return 1; };
clk_event_t at_program_scope; //~ error[invalid-variable]: a program-scope variable cannot have type 'clk_event_t'
kernel void events(clk_event_t e, ndrange_t r, queue_t allowed) { } //~ error[kernel-parameter-type]: 'clk_event_t' cannot be
//~^ error[kernel-parameter-type]: 'ndrange_t' cannot be the type of a kernel parameter

struct with_event {
    int n;
    clk_event_t e[2]; //~ note: the member is here
};
kernel void event_inside(struct with_event s) { } //~ error[kernel-parameter-type]: a structure passed to a kernel cannot contain a 'clk_event_t'

kernel void uses(global int *out, int n, local int *l) {
    unary_t b = ^(int x) { return x + n; };
    unary_t other = ^(int x) { return x; };
    unary_t table[2]; //~ error[invalid-element]: array of 'int (^)(int)' is invalid
    b = other; //~ error[const-write]: a block variable cannot be assigned
    no_capture = ^{ return 2; }; //~ error[const-write]: a block variable cannot be assigned
    out[0] = (n ? b : other)(1); //~ error[block-operand]: a block cannot be an operand of '?:'
    out[1] = sizeof(b); //~ error[incomplete-type]: a block has no size
    &b; //~ error[address-of-opaque]: the address of a 'int (^)(int)' cannot be taken
    *b; //~ error[not-a-pointer]: indirection requires a pointer
    void (^outer)(void) = ^{
        out[0] = b(1); //~ error[captured-block]: a block cannot capture the block variable 'b'
        out[1] = no_capture();
    };
    void (^assigns)(void) = ^{
        n = 4; //~ error[const-write]: a const-qualified object cannot be written
    };
    int (^mixed)(int) = ^(int x) {
        if (x)
            return 1;
        return 2.0f; //~ error[block-return-type]: the block returns 'float' here and 'int' before
    };
    int (^wrong)(float) = ^(int x) { return x; }; //~ error[incompatible-types]: initializing 'int (^)(float)' with 'int (^)(int)'
    static int (^fixed)(void) = ^{ return n; }; //~ error[captured-by-static]: the static block 'fixed' cannot capture
    int (^many)(int, ...) = ^(int x) { return x; }; //~ error[variadic-function]: variadic
    int (^itself)(int) = ^(int x) { return itself(x); }; //~ error[captured-block]: cannot capture the block variable 'itself'
    __block int changed; //~ error[unsupported-type]: OpenCL C has no '__block' variables
    Block_copy(b); //~ error[undeclared-function]: OpenCL C has no 'Block_copy'
    b(1, 2); //~ error[argument-count]: too many arguments: 2 given, 1 expected
    b(out); //~ error[int-conversion]: passing '__global int *' to a parameter of type 'int'
    for (int i = 0; i < 2; i++) {
        void (^leaves)(void) = ^{
            break; //~ error[break-outside-loop]: 'break' outside of a loop
        };
    }
}

kernel void enqueues(global int *out, int n, local int *l) {
    queue_t q = get_default_queue();
    ndrange_t r = ndrange_1D(1, 2, 3, 4); //~ error[no-matching-builtin]: no overload of 'ndrange_1D' takes
    r = ndrange_2D(4); //~ error[no-matching-builtin]: no overload of 'ndrange_2D' takes (int)
    int returns = enqueue_kernel(q, 0, r, ^{ return 1; }); //~ error[enqueued-block]: returns nothing, and not 'int'
    enqueue_kernel(q, 0, r, ^(int x) { }, 1); //~ error[enqueued-block]: must be a '__local void *', and not a 'int'
    enqueue_kernel(q, 0, r, ^(local int *p) { }, 1); //~ error[enqueued-block]: must be a '__local void *', and not a '__local int *'
    enqueue_kernel(q, 0, r, ^(local void *p) { }); //~ error[argument-count]: the block has 1 parameters in local memory, but 0 sizes
    enqueue_kernel(q, 0, r, ^{ }, 1); //~ error[argument-count]: the block has 0 parameters in local memory, but 1 sizes
    enqueue_kernel(q, 0, r); //~ error[no-matching-builtin]: no overload of 'enqueue_kernel' takes (queue_t, int, ndrange_t)
    enqueue_kernel(q, 0, r, 1, out, out, ^{ }); //~ error[no-matching-builtin]: no overload of 'enqueue_kernel' takes
    enqueue_kernel(q, 0, 1, ^{ }); //~ error[no-matching-builtin]: no overload of 'enqueue_kernel' takes
    enqueue_kernel(q, 0, r, ^{ out[0] = l[0]; }); //~ warning[captured-memory]: no access to the __local memory that 'l' points to
    get_kernel_work_group_size(q); //~ error[no-matching-builtin]: no overload of 'get_kernel_work_group_size' takes (queue_t)
    get_kernel_sub_group_count_for_ndrange(r, ^{ }); //~ error[needs-feature]: needs __opencl_c_subgroups
    retain_event(n); //~ error[incompatible-types]: passing 'int' to a parameter of type 'clk_event_t'
}

void call(void (^b)(void)) {
    b();
}
void recursive(void) {
    call(^{ recursive(); }); //~ error[recursion]: recursion is not supported
}
