// A conditional and a comment that do not end (C99 §6.10.1, §6.4.9).
#if 1 //~ error[unterminated-conditional]: unterminated conditional directive
constant int a = 1;
/* never closed //~ error[unterminated-comment]: unterminated /* comment
