// Work-groups that are larger than small devices', whose work-items keep pointers over barriers that may point into several variables: two
// buffers, halves of local memory, private variables, generic ones, null, and pointers that were loaded.
// no-diagnostics
// options: -cl-std=CL2.0
// run: --kernel buffers --global 1024 --local 512 --arg int[1024]:const=0 --arg int[1024]:const=0 --arg int:5 --print p:3 --print q:3
// prints: p: 4 4 4 …
// prints: q: 3 3 3 …
// run: --kernel by_item --global 512 --local 512 --arg int[512]:const=0 --arg int[512]:const=0 --arg int[1]:const=0 --print bad
// prints: bad: 0
// run: --kernel locals --global 1024 --local 1024 --arg int[1024] --arg int[1]:const=0 --print bad
// prints: bad: 0
// run: --kernel privates --global 300 --local 300 --arg int[300] --arg int[1]:const=0 --print bad
// prints: bad: 0
// run: --kernel generics --global 512 --local 256 --arg int[512]:range --arg int[1]:const=0 --print bad
// prints: bad: 0
// run: --kernel tables --global 260 --local 260 --arg int[260]:range --arg int[260]:range --arg int[1]:const=0 --print bad
// prints: bad: 0

kernel void buffers(global int *p, global int *q, int n) {
    global int *r = p;
    for (int k = 0; k < n; k++) {
        r[get_global_id(0)] = k;
        barrier(CLK_GLOBAL_MEM_FENCE);
        r = r == p ? q : p;
    }
}

kernel void by_item(global int *p, global int *q, global int *bad) {
    int i = get_local_id(0), n = get_local_size(0);
    global int *own = i % 3 == 0 ? p : q;
    global int *next = own + i;
    *next = i;
    barrier(CLK_GLOBAL_MEM_FENCE);
    int other = (i + 200) % n;
    global int *theirs = other % 3 == 0 ? p : q;
    if (theirs[other] != other) *bad = 1;
    barrier(CLK_GLOBAL_MEM_FENCE);
    *next += 1;
    next = next == p + i ? q + i : p + i;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (*next != 0 || own[i] != i + 1) *bad = 2;
}

kernel void locals(global int *a, global int *bad) {
    local int first[1024], second[1024];
    int i = get_local_id(0), n = get_local_size(0);
    local int *from = first, *to = second;
    from[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 7; k++) {
        to[(i + 1) % n] = from[i] + 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        local int *old = from;
        from = to;
        to = old;
    }
    if (from[i] != (i + n - 7) % n + 7) *bad = 1;
    a[i] = from[i];
}

kernel void privates(global int *a, global int *bad) {
    local int sums[300];
    int i = get_local_id(0);
    int x = i, y[3] = {i + 1, i + 2, i + 3};
    int *p = i & 1 ? &x : y + i % 3, *none = i % 5 == 0 ? 0 : &x;
    sums[i] = *p;
    barrier(CLK_LOCAL_MEM_FENCE);
    *p += sums[(i + 150) % 300];
    barrier(CLK_LOCAL_MEM_FENCE);
    int o = (i + 150) % 300, theirs = o & 1 ? o : o + 1 + o % 3, mine = i & 1 ? i : i + 1 + i % 3;
    if (*p != theirs + mine || (none == 0) != (i % 5 == 0)) *bad = 1;
    if (none && *none != (i & 1 ? theirs + mine : i)) *bad = 2;
    a[i] = *p;
}

kernel void generics(global int *a, global int *bad) {
    local int l[256];
    int i = get_local_id(0), g = get_global_id(0), own = 1000 + i;
    l[i] = i;
    int *p = i % 3 == 0 ? (int *)&a[g] : i % 3 == 1 ? (int *)&l[i] : &own;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    int is = *p;
    *p += 7;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    int was = i % 3 == 0 ? g : i % 3 == 1 ? i : 1000 + i;
    if (is != was || *p != was + 7) *bad = 1;
}

kernel void tables(global int *p, global int *q, global int *bad) {
    local int l[260];
    int i = get_local_id(0);
    global int *table[3] = {p, q, q + 1};
    global int *r = table[i % 3];
    l[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    table[l[(i + 1) % 260] % 3] = p + i;
    int j = i < 259 ? i : 0;
    if (r[j] != j + (i % 3 == 2)) *bad = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (*table[(i + 1) % 260 % 3] != i) *bad = 2;
    if (r != (i % 3 == 0 ? p : i % 3 == 1 ? q : q + 1)) *bad = 3;
}
