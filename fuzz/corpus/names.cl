// Names of the language where they may be something else, shadowing, and characters beyond ASCII in comments: ÄÖ 中文 😀
typedef float kernel_t; typedef kernel_t (vector)[3];
float global_max(float max, float min) { return max > min ? max : min; }
struct image { int width; } ;
kernel void k(global float *kernels) {
    int sin = 3, dot = 4, half_ = 5; { int sin = dot; dot = sin; } vector v = { 1 };
    struct image image = { sin }; kernels[0] = global_max(image.width, dot) + v[0]; "ünï" ; L'x';
}
