//! The preprocessor (C99 §6.10).

use crate::diag::Diagnostics;
use crate::options::Options;
use crate::source::{FileId, SourceMap};
use crate::symbol::Interner;
use crate::token::Token;

/// Preprocesses the file `main` and everything that it includes. The last token is `Eof`.
pub fn preprocess(
    _main: FileId,
    _sources: &mut SourceMap,
    _symbols: &mut Interner,
    _options: &Options,
    _diagnostics: &mut Diagnostics,
) -> Vec<Token> {
    Vec::new()
}
