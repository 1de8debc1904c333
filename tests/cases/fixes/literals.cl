// Suffixes of other languages on floating literals.
// fixed
kernel void k(global float *p) {
    p[0] = 1.0L; //~ error[invalid-literal]: '1.0l'
                 //~^ fix: p[0] = 1.0;
    p[1] = 2.5d; //~ error[invalid-literal]: '2.5d'
                 //~^ fix: p[1] = 2.5;
    p[2] = 1e3F32; //~ error[invalid-literal]: '1e3f32'
                   //~^ fix: p[2] = 1e3f;
    p[3] = 1.0lf; //~ error[invalid-literal]: '1.0l'
                  //~^ fix: p[3] = 1.0;
}
