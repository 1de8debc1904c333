// Lists of nodes in private, local and global memory, built and walked in one kernel; null ends them.
// run: --kernel private_list --global 3 --arg int[3]:const=0 --print out
// prints: out: 0 10 31
// run: --kernel local_list --global 4 --local 4 --arg int[4]:const=0 --print out
// prints: out: 4321 4321 4321 4321
// run[address]: --kernel global_list --global 1 --arg long[16]:const=0 --arg int[2]:const=0 --print out
// prints: out: 43210 5
// run: --kernel reversed --global 2 --arg int[2]:const=0 --print out
// prints: out: 12345 123456
// no-diagnostics
typedef struct Node { struct Node *next; int value; } Node;

kernel void private_list(global int *out) {
    int i = get_global_id(0);
    Node first = { 0, 10 }, second = { &first, 20 }, third = { &second, 1 };
    Node *head = i == 0 ? 0 : i == 1 ? &first : &third;
    int sum = 0;
    for (Node *n = head; n; n = n->next)
        sum += n->value;
    out[i] = sum;
}

typedef struct Shared { local struct Shared *next; int value; } Shared;

kernel void local_list(global int *out) {
    local Shared nodes[4];
    int i = get_local_id(0);
    nodes[i].next = i ? &nodes[i - 1] : 0;
    nodes[i].value = i + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    int digits = 0;
    for (local Shared *n = &nodes[3]; n != 0; n = n->next)
        digits = digits * 10 + n->value;
    out[i] = digits;
}

typedef struct Far { global struct Far *next; int value; } Far;

kernel void global_list(global Far *nodes, global int *out) {
    global Far *head = 0;
    for (int i = 0; i < 5; ++i) {
        nodes[i].next = head;
        nodes[i].value = i;
        head = &nodes[i];
    }
    int digits = 0, count = 0;
    for (global Far *n = head; n; n = n->next, ++count)
        digits = digits * 10 + n->value;
    out[0] = digits;
    out[1] = count;
}

kernel void reversed(global int *out) {
    int i = get_global_id(0);
    Node pool[8];
    Node *head = 0;
    for (int k = 0; k < 5 + i; ++k) {
        pool[k].value = k + 1;
        pool[k].next = head;
        head = &pool[k];
    }
    Node *back = 0;
    while (head) {
        Node *next = head->next;
        head->next = back;
        back = head;
        head = next;
    }
    int digits = 0;
    for (; back; back = back->next)
        digits = digits * 10 + back->value;
    out[i] = digits;
}
