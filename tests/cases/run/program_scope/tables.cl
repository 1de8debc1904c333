// A-6, A-7: program-scope tables of pointers, generic pointers to program-scope variables, values kept between launches.
// options: -cl-std=CL3.0
// features: __opencl_c_generic_address_space __opencl_c_program_scope_global_variables
// run[address]: --kernel walk --global 1 --repeat 3 --arg int[6]:const=0 --print out
// prints: out: 3 30 12 4 98 7
// run: --kernel names --global 2 --arg int[2]:const=0 --arg int:1 --print out
// prints: out: 99 102
// no-diagnostics
global int cells[4] = { 10, 20, 30, 40 };
global int *at = &cells[0];
int *generic_at = &cells[1];
typedef struct { constant char *name; global int *value; int n; } Row;
constant char first[] = "ab";
global Row rows[2] = { { first, &cells[2], 5 }, { first + 1, cells + 3, 7 } };
constant char *constant texts[3] = { "abc", "def", first };

kernel void walk(global int *out) {
    static int launches;
    out[0] = ++launches;
    out[1] = *at;
    ++at;
    generic_at = launches == 1 ? &cells[3] : generic_at;
    *generic_at += 1;
    out[2] = rows[0].n + rows[1].n;
    rows[1].value = &rows[0].n;
    out[3] = rows[1].value == &rows[0].n ? 4 : 0;
    out[4] = rows[1].name[0];
    out[5] = *rows[1].value + (cells[3] == 40 + launches ? 2 : 0);
}

kernel void names(global int *out, int k) {
    int i = get_global_id(0);
    out[i] = texts[i][2] + (i == 0 ? texts[2][k] - 'b' : 0);
}
