//! GLSL helper kernels and their SPIR-V.
