//! OpenCL.std functions become IR operations, GLSL.std.450 instructions, or expansions with OpenCL's
//! semantics (written by the lead; `lo-ir` need not).
