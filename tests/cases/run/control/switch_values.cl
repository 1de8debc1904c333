// switch on char, unsigned, long and enum values with negative and large labels; default in the middle.
// run: --kernel k --global 4 --arg int[16] --print out
// prints: out: 1 20 100 3 2 10 200 1 3 30 100 2 3 20 300 1
// no-diagnostics
enum E { RED = -1, GREEN, BLUE };

int of_enum(enum E e) { switch (e) { case RED: return 1; case GREEN: return 2; default: return 3; } }

kernel void k(global int *out) {
    int id = get_global_id(0);
    out += id * 4;
    out[0] = of_enum((enum E)(id - 1));
    uint u = id == 1 ? 0xffffffffu : id == 2 ? 0x80000000u : id;
    switch (u) {
    case 0xffffffff: out[1] = 10; break;
    default: out[1] = 20; break;
    case 0x80000000u: out[1] = 30;
    }
    long l = id == 1 ? 0x100000000L : id == 3 ? -0x100000001L : 0;
    switch (l) {
    case 0x100000000L: out[2] = 200; break;
    case -0x100000001L: out[2] = 300; break;
    case 0: out[2] = 100;
    }
    char c = id == 0 ? -128 : id == 2 ? 'x' : 5;
    switch (c) {
    case 'x': out[3] = 2; break;
    case -128: out[3] = 3; break;
    case 5: out[3] = 1;
    }
}
