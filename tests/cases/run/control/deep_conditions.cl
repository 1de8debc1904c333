// Conditions nested 90 deep, with code behind each: llvmpipe has room for 80. They are cut (`structurize/cut.rs`).
// no-diagnostics
// run: --kernel nest --global 6 --arg in=uint[6]:values=5,12,60,99,104,300 --arg out=uint[6] --print out
// prints: out: 15 165 2274389725 3070557933 3070557823 3070557823
#define OPEN(i) r = r * 3u + i##u; if (x > i##u) {
#define CLOSE(i) r ^= x + i##u; } else { r += 2u; }
#define UP(M, i) M(i##0) M(i##1) M(i##2) M(i##3) M(i##4) M(i##5) M(i##6) M(i##7) M(i##8) M(i##9)
#define DOWN(M, i) M(i##9) M(i##8) M(i##7) M(i##6) M(i##5) M(i##4) M(i##3) M(i##2) M(i##1) M(i##0)
kernel void nest(global const uint *in, global uint *out)
{
    uint x = in[get_global_id(0)], r = 1;
    UP(OPEN, 1) UP(OPEN, 2) UP(OPEN, 3) UP(OPEN, 4) UP(OPEN, 5) UP(OPEN, 6) UP(OPEN, 7) UP(OPEN, 8) UP(OPEN, 9)
    DOWN(CLOSE, 9) DOWN(CLOSE, 8) DOWN(CLOSE, 7) DOWN(CLOSE, 6) DOWN(CLOSE, 5) DOWN(CLOSE, 4) DOWN(CLOSE, 3) DOWN(CLOSE, 2) DOWN(CLOSE, 1)
    out[get_global_id(0)] = r;
}
