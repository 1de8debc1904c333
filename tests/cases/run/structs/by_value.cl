// Structs by value: arguments, returns, nested, holding arrays (C99 §6.5.2.2, §6.7.2.1).
// run: --kernel k --global 2 --arg int[16]:const=0 --print out
// prints: out: 10 3 7 5 1 2 3 100 11 4 8 5 1 2 3 100
// no-diagnostics
typedef struct { int a[3]; } Arr;
typedef struct { Arr arr; char c; Arr more[2]; } Outer;

Outer make(int n) {
    Outer o = { { { 1, 2, 3 } }, 'x', { { { n, n + 1, n + 2 } }, { { n * 2, n * 3, n * 4 } } } };
    return o;
}

// The callee's copy is its own.
int change(Outer o) {
    o.more[1].a[0] = 100;
    o.arr.a[0] = 50;
    return o.more[1].a[0];
}

kernel void k(global int *out) {
    int id = get_global_id(0);
    Outer o = make(id + 3);
    int changed = change(o);
    out += id * 8;
    Outer copy;
    copy = o;
    copy.more[0].a[id] += 2;
    out[0] = o.more[0].a[0] + o.more[0].a[1] + o.more[0].a[0] - 0 * id - (id ? 2 : 0);
    out[1] = o.more[0].a[0];
    out[2] = copy.more[0].a[0] + 2 + (id ? 2 : 0);
    out[3] = make(5).more[0].a[0];
    for (int i = 0; i < 3; i++)
        out[4 + i] = copy.arr.a[i];
    out[7] = changed;
}
