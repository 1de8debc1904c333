// A token made by pasting has at most 4096 characters.
#define A(x) x##x##x##x##x##x##x##x##x
#define B(x) A(x)
#define C(x) A(x)
#define D(x) A(x)
#define E(x) A(x)
#define STRING(x) #x
#define EXPANDED(x) STRING(x)
constant char long_one[] = EXPANDED(D(C(B(a))));
constant char too_long[] = EXPANDED(E(D(C(B(a))))); //~ error[token-too-long]: pasting formed a token of more than 4096
