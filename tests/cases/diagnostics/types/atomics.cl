// Atomic types are types of their own (OpenCL C §6.15.12.6): what is accepted.
// options: -cl-std=CL2.0
// no-diagnostics
global atomic_int counter = ATOMIC_VAR_INIT(42);
global atomic_float table[3] = {1, 2.5f};
global atomic_flag taken = ATOMIC_FLAG_INIT;
struct Node { atomic_uint state; int payload; };
global struct Node nodes[2] = {{1, 2}, {3, 4}};
typedef volatile atomic_int Shared;
_Static_assert(sizeof(atomic_int) == 4 && sizeof(struct Node) == 8 && __alignof__(atomic_uint) == 4, "");

int bump(volatile atomic_int *p) { return atomic_fetch_add(p, 1); }

kernel void k(global Shared *g, local atomic_uint *l, global int *plain, global struct Node *n) {
    static atomic_int calls = ATOMIC_VAR_INIT(1);
    local atomic_int group[4];
    private atomic_int own;
    atomic_init(&group[1], 5);
    atomic_init(&own, 0);
    (void)own;
    plain[0] = bump(&counter) + bump(g) + bump(&group[1]) + bump(&calls);
    global atomic_int *cast = (global atomic_int *)plain;
    atomic_store(cast + 1, 3);
    global int *back = (global int *)g;
    back[2] = 4;
    struct Node copy = *n;
    n[1] = copy;
    n->payload = 7;
    plain[1] = g < g + 1 ? 1 : 0;
    global volatile void *any = g;
    int expected = 1;
    atomic_compare_exchange_strong(g, &expected, 2);
    atomic_flag_clear(&taken);
}
