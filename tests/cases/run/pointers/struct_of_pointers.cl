// Pointers in private structs and arrays.
// run[address]: --kernel k --global 2 --arg int[4]:range=1 --arg int[4]:range=11 --arg int[4]:const=0 --print out
// prints: out: 1 112 12 103
// no-diagnostics
typedef struct { global int *p; int at; } Cursor;

int next(Cursor *c) { return c->p[c->at++]; }

kernel void k(global int *a, global int *b, global int *out) {
    int id = get_global_id(0);
    Cursor c[2] = { { a, id * 2 }, { b, 1 } };
    int first = next(&c[0]);
    c[0].p += id;
    global int *ps[2] = { a + 1, b };
    out[id * 2] = id ? next(&c[1]) : first;
    out[id * 2 + 1] = ps[1 - id][1] + 100 + (id ? 0 : 0);
}
