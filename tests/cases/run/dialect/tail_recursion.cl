// Functions that call themselves last are loops: results, arguments that swap, pointers, void ones, with loops inside.
// run: --kernel k --global 1 --arg int[16]:range=1 --print p
// prints: p: 120 30 3 1 4 9 103 -33 111 77 11 12 13 14 15 16
// no-diagnostics
int factorial(int n, int product) { return n <= 1 ? product : factorial(n - 1, product * n); }

uint gcd(uint a, uint b) {
    if (b == 0) return a;
    return gcd(b, a % b);
}

void fill(global int *p, int n) {
    if (n == 0) return;
    p[n] = n * n;
    fill(p, n - 1);
}

void digits(global int *p, int n) {
    if (n >= 10) {
        *p += 1;
        digits(p, n / 10);
    } else
        *p += 100;
}

// The search leaves a loop and begins again.
int search(global const int *p, int from, int wanted) {
    int sum = 0;
    for (int i = from; i < 8; i++) {
        sum += p[i];
        if (sum > wanted) return search(p, i, wanted + 1);
    }
    switch (wanted & 1) {
    case 0: return from * 100 + wanted;
    default: return wanted > 20 ? -wanted : search(p, from, wanted + 1);
    }
}

int collatz(long n, int steps) {
    if (n == 1) return steps;
    if (n & 1) return collatz(3 * n + 1, steps + 1);
    int half_[2] = { 0, (int)(n / 2) };
    return collatz(half_[steps - steps + 1], steps + 1);
}

kernel void k(global int *p) {
    int n = p[4];
    p[0] = factorial(n, 1);
    p[1] = gcd(n * 12, n * 18);
    fill(p + 2, 3);
    p[6] = 0;
    digits(p + 6, n * 1234);
    p[7] = search(p + 8, 0, 30);
    p[8] = collatz(n + 22, 0);
    p[9] = factorial(n - 5, 77);
}
