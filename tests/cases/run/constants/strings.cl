// String literals live in constant; escapes, concatenation and sizeof (C99 §6.4.5, rule A-14).
// run: --kernel k --global 1 --arg uchar[14] --print out
// prints: out: 104 105 10 65 255 0 33 4 7 0 98 34 92 39
// no-diagnostics
kernel void k(global uchar *out) {
    constant char *s = "hi\n" "A\xff";
    for (int i = 0; i < 6; i++)
        out[i] = s[i];
    out[6] = "bang!"[4];
    out[7] = sizeof "abc";
    char copy[] = "\a\0b\"";
    for (int i = 0; i < 4; i++)
        out[8 + i] = copy[i];
    out[12] = '\\';
    out[13] = '\47';
}
