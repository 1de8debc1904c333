// A misspelt name may be that of a macro that the program defines.
#define BLOCK_SIZE 16 //~ note: did you mean 'BLOCK_SIZE', declared here?
#define SQUARE_OF(x) ((x) * (x)) //~ note: did you mean 'SQUARE_OF', declared here?
#define TWICE(x) (2 * (x)) //~ note: the macro 'TWICE' has parameters: it is replaced where '(' follows
#define tile_width 8
#undef tile_width
#define row_counter 8
kernel void k(global int *p, int row_count) { //~ note: did you mean 'row_count', declared here?
    p[0] = BLOCK_SIZ; //~ error[undeclared-identifier]: use of undeclared identifier 'BLOCK_SIZ'
    p[1] = SQARE_OF(p[0]); //~ error[undeclared-function]: call of undeclared function 'SQARE_OF'
    p[2] = TWICE; //~ error[undeclared-identifier]: use of undeclared identifier 'TWICE'
    p[3] = tile_widht; //~ error[undeclared-identifier]: use of undeclared identifier 'tile_widht'
    p[4] = row_cuont; //~ error[undeclared-identifier]: use of undeclared identifier 'row_cuont'
}
