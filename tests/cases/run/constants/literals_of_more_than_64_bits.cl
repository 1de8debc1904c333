// Integer literals of 65 to 128 bits keep their low 64 bits, with a warning, as clang's do where they become a ulong.
// run: --kernel k --global 1 --arg ulong[3] --print out
// prints: out: 8709371129873690708 0 1
constant ulong base = 0x278DDE6E5FD29F054UL; //~ warning[literal-range]: truncated to 0x78dde6e5fd29f054
kernel void k(global ulong *out) {
    out[0] = base;
    out[1] = 18446744073709551616; //~ warning[literal-range]: truncated to 0x0
    out[2] = 0xffffffffffffffff0000000000000001; //~ warning[literal-range]: truncated to 0x1
}
