// Program-scope constant tables: structs, nested arrays, vectors, strings and pointers between them (rule A-9).
// run: --kernel k --global 3 --arg int[15] --print out
// prints: out: 1 97 20 5 0 2 98 21 6 300 3 0 22 7 600
// no-diagnostics
typedef struct { char name[4]; int id; short2 xy; } Row;

constant Row rows[] = { { "a", 1, (short2)(20, 5) }, { "bb", 2, { 21, 6 } }, { .id = 3, .xy = (short2)(22, 7) } };
constant int offsets[3][2] = { { 0 }, { [1] = 300 }, { 200, 400 } };

kernel void k(global int *out) {
    int id = get_global_id(0);
    constant Row *row = &rows[id];
    out[id * 5] = row->id;
    out[id * 5 + 1] = row->name[0];
    out[id * 5 + 2] = row->xy.x;
    out[id * 5 + 3] = row->xy.y;
    out[id * 5 + 4] = offsets[id][0] + offsets[id][1];
}
