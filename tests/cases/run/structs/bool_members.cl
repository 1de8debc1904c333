// bool in structs, arrays, arguments and returns: one byte that holds 0 or 1 (OpenCL C §6.3.1).
// run: --kernel k --global 2 --arg int[12]:const=0 --print out
// prints: out: 1 0 1 4 1 2 1 1 0 4 0 1
// no-diagnostics
typedef struct { bool on; int n; bool flags[4]; } B;

bool either(bool a, bool b) { return a || b; }

bool truth(int x) { return x; }

kernel void k(global int *out) {
    int id = get_global_id(0);
    B b = { id == 0, 4, { true, 256 * (id + 1), id, 0.5f } };
    out += id * 6;
    out[0] = either(b.on, b.flags[1]);
    out[1] = b.flags[2];
    out[2] = b.flags[3] ? b.flags[3 * id] : 9;
    out[3] = b.n;
    out[4] = truth(id * 512) == b.flags[2];
    b.flags[id + 1] = b.n & 2;
    out[5] = b.on + b.flags[0] + b.flags[1] * 0;
    if (id) {
        out[0] = 1;
        out[2] = b.flags[id + 1];
        out[4] = b.on;
    }
}
