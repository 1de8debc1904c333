// Blocks and the functions that enqueue them, where the device has them (OpenCL C §6.14, §6.15.19).
// options: -cl-std=CL2.0 -g
// features: __opencl_c_device_enqueue __opencl_c_subgroups
// no-diagnostics
int global_int = 3;
int (^get_global_int)(void) = ^{ return global_int; };
static constant int table[2] = {1, 2};
typedef int (^binary_t)(int, int);
typedef struct {
    int a;
    float4 b;
} pair_t;

// Literals: every form of the header.
kernel void literals(global int *out) {
    int multiplier = 7;
    int (^times)(int) = ^(int n) { return n * multiplier; };
    void (^nothing)(void) = ^void(void) { };
    void (^nothing_too)() = ^() { };
    global int *(^pointer)(global int *) = ^global int *(global int *p) { return p + 1; };
    pair_t (^structure)(int) = ^pair_t(int a) {
        pair_t p = {a, (float4)(multiplier)};
        return p;
    };
    float (^early)(float) = ^float(float x) {
        if (x < 0)
            return 0;
        for (int i = 0; i < 3; i++) {
            if (i == 2)
                break;
            x += i;
        }
        return x;
    };
    nothing();
    nothing_too();
    out[0] = times(3) + get_global_int() + structure(4).a + *pointer(out) + (int)early(1.0f);
    out[1] = ^(int x) { return x + multiplier; }(2);
    multiplier = 8;
    out[2] = times(3);
}

// Captures: values, structures, arrays as pointers, through nested blocks.
kernel void captures(global int *out, constant int *c, local int *l, int n) {
    pair_t s = {1, (float4)(2)};
    int array[2] = {0, 1};
    local int shared[4];
    const float half_of = 0.5f;
    bool flag = n > 2;
    char3 small = (char3)(1, 2, 3);
    void (^nested)(void) = ^{
        out[0] = s.a + array[1] + c[0] + l[0] + shared[1] + (int)(half_of * s.b.y) + flag + small.y;
        void (^inner)(int) = ^(int k) {
            out[k] = n + s.a + table[k] + global_int;
            shared[k] = array[k];
        };
        inner(1);
    };
    nested();
}

// Blocks as arguments of functions, by several choices (§6.14.5, Example 1).
int apply(binary_t f, int a, int b) {
    return f(a, b);
}
int apply_both(binary_t f, binary_t g, int a) {
    return apply(f, a, 1) + apply(g, a, 2) + apply(^(int x, int y) { return x; }, a, a);
}
kernel void arguments(global int *out) {
    int n = out[0];
    binary_t add = ^(int x, int y) { return x + y + n; };
    binary_t same = add;
    static int (^counted)(int, int) = ^(int x, int y) { return x * y; };
    if (n > 1)
        out[1] = apply(add, 1, 2);
    else
        out[1] = apply(^int(int x, int y) { return x * y - n; }, 1, 2);
    out[2] = apply_both(same, counted, n);
}

void enqueue_it(queue_t q, void (^work)(void)) {
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(8), work);
}

// Enqueue in all forms; a kernel may enqueue what calls it.
kernel void evaluate(queue_t q, global int *a, int depth);
kernel void work(queue_t q, global int *a, int depth) {
    if (get_global_id(0) == 0)
        enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ evaluate(q, a, depth); });
}
kernel void evaluate(queue_t q, global int *a, int depth) {
    if (depth == 0)
        return;
    void (^again)(void) = ^{ work(q, a, depth - 1); };
    size_t local_size = get_kernel_work_group_size(again);
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP, ndrange_1D(64, local_size), again);
    enqueue_it(q, again);
    enqueue_it(q, ^{ a[get_global_id(0)] = 1; });
}

kernel void forms(global int *a, int n) {
    queue_t q = get_default_queue();
    size_t size[3] = {4, 4, 4};
    const size_t local_size[3] = {2, 2, 1};
    size_t offset[3] = {0, 0, 0};
    ndrange_t r = ndrange_3D(offset, size, local_size);
    clk_event_t first, second = CLK_NULL_EVENT, list[2];
    void (^with_local)(local void *, local void *) = ^(local void *p, local void *q) {
        ((local int *)p)[get_local_id(0)] = n;
        ((local float *)q)[0] = 1.0f;
    };
    int status = enqueue_kernel(q, 0, r, ^{ a[0] = n; });
    status = enqueue_kernel(q, 0, ndrange_2D(size), 0, NULL, &first, ^{ a[1] = n; });
    status = enqueue_kernel(q, 0, ndrange_2D(size, local_size), 1, &first, NULL, ^(local void *p) { }, 16);
    status = enqueue_kernel(q, 0, r, with_local, (uint)n * sizeof(int), 4);
    list[0] = first;
    list[1] = create_user_event();
    status = enqueue_kernel(q, 0, r, 2, list, &second, with_local, n, n);
    if (enqueue_marker(q, 2, list, &second) != CLK_SUCCESS)
        a[3] = status == CLK_ENQUEUE_FAILURE;
    set_user_event_status(list[1], CL_COMPLETE);
    capture_event_profiling_info(second, CLK_PROFILING_COMMAND_EXEC_TIME, (global void *)a);
    if (is_valid_event(first)) {
        retain_event(first);
        release_event(first);
    }
    a[4] = get_kernel_work_group_size(with_local) + get_kernel_preferred_work_group_size_multiple(^{ });
    a[5] = get_kernel_sub_group_count_for_ndrange(r, with_local);
    a[6] = get_kernel_max_sub_group_size_for_ndrange(ndrange_1D(1, 2, 3), ^{ a[0] = 1; });
}
