//! The OpenCL C API as libpumice.so.
