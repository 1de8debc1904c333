// A converted number comes by one way, a constant by the other: both are what they were behind the branch. Mesa's Turnip took 1.0f for its bits as a half,
// 15360, where the other way brings a float of a short, and 300 for 44 beside a char (`passes/workaround/opaque_phi.rs`).
// run: --kernel k --global 4 --arg ushort[4]:values=7,65535,9,40000 --arg char[4]:values=-1,-128,5,127 --arg int[4]:values=1,9,2,8 --arg float[4] --arg float[4] --arg int[4] --arg int[8] --print f --print g --print i --print ways
// prints: f: 1 65535 1 40000
// prints: g: -0.5 -128 -0.5 127
// prints: i: 300 -128 300 127
// prints: ways: 0 1 9 0 0 2 8 0
// no-diagnostics
kernel void k(global const ushort *us, global const char *c, global const int *n, global float *f, global float *g, global int *i, global int *ways) {
    const size_t id = get_global_id(0);
    float x, y;
    int z;
    if (n[id] > 3) {
        x = us[id];
        y = c[id];
        z = c[id];
        ways[2 * id] = n[id];
    } else {
        x = 1.0f;
        y = -0.5f;
        z = 300;
        ways[2 * id + 1] = n[id];
    }
    f[id] = x;
    g[id] = y;
    i[id] = z;
}
