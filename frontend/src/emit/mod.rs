//! The typed tree to OpenCL SPIR-V.

use crate::diag::Diagnostics;
use crate::hir::Program;
use crate::options::Options;
use crate::source::SourceMap;
use crate::symbol::Interner;

/// Emits the module. What cannot be expressed (an object too large, say) becomes a diagnostic.
pub fn emit(
    _program: &Program,
    _symbols: &Interner,
    _sources: &SourceMap,
    _options: &Options,
    _diagnostics: &mut Diagnostics,
) -> Option<Vec<u32>> {
    None
}
