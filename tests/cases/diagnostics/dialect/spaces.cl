int f(void) { return 1; } //~ warning[unicode-whitespace]: a space that is not ASCII is taken as white space
