//! Semantic analysis: trees of [`crate::syntax`] to [`Program`](crate::hir::Program). Each external declaration is typed
//! when it has been parsed, its parts in the order of the source. The tree that leaves this module is typed throughout.
//! Tokens are looked at for their places and texts alone.
//!
//! - [`context`]: the state ([`context::Sema`]), and reporting;
//! - [`scope`]: names: ordinary identifiers, tags, labels;
//! - [`decl`], [`declspec`], [`declarator`], [`record`], [`attribute`]: declarations;
//! - [`stmt`], [`switch`], [`function`]: statements and function bodies;
//! - [`expr`]: the nodes of expressions; [`convert`], [`operators`], [`call`], [`vector`]: their typing;
//! - [`init`], [`part`]: initialisers; [`constant`]: constant evaluation; [`literal`]: numbers, characters, strings;
//! - [`cxx`]: C++ for OpenCL;
//! - [`asm`]: `asm` statements; [`gnu`]: forms of C11 and GNU C that programs use; [`refused`]: features that are not there.
//!
//! # Diagnostics of declarations and statements
//!
//! Errors, but for those marked (w), which are warnings.
//!
//! | about | ids |
//! |---|---|
//! | Syntax | `expected-semicolon`, `expected-token`, `expected-identifier`, `expected-declaration`, `expected-parameter`, `expected-member`, `expected-statement`, `extraneous-brace`, `else-without-if`, `nesting-too-deep`, `inline-assembly`, `unsupported-feature` |
//! | Names | `undeclared-identifier`, `unknown-type`, `undefined-enum`, `redefinition`, `conflicting-types`, `tag-mismatch`, `duplicate-member`, `undefined-function`, `undefined-label`, `duplicate-label`, `label-in-expression`, `unused-label` (w) |
//! | Specifiers | `missing-type` (w where `int` can be assumed), `invalid-type-combination`, `long-double`, `long-long` (w), `complex`, `missing-extension`, `unsupported-type`, `unsupported-storage-class`, `multiple-storage-classes`, `misplaced-storage-class`, `duplicate-specifier` (w), `invalid-restrict`, `invalid-access-qualifier`, `multiple-access-qualifiers`, `empty-declaration` (w), `illegal-initializer`, `not-a-function` |
//! | Address spaces | `multiple-address-spaces`, `duplicate-address-space` (w), `generic-unavailable`, `program-scope-address-space`, `static-local`, `function-scope-address-space`, `parameter-address-space`, `return-address-space`, `member-address-space`, `kernel-pointer-address-space`, `local-initializer`, `not-in-kernel`, `not-outermost-scope`, `constant-uninitialized`, `initializer-not-constant` (A-9) |
//! | Types | `incomplete-type`, `array-size`, `array-too-large`, `variable-length-array`, `invalid-element`, `invalid-pointee`, `function-pointer`, `invalid-return-type`, `void-parameter`, `invalid-variable`, `type-too-complex`, `type-too-large`, `too-many-parameters`, `variadic-function`, `bit-field`, `flexible-array`, `opaque-member`, `function-member`, `empty-enum`, `enumerator-range`, `non-constant-enumerator`, `local-outside-function` |
//! | Functions | `kernel-return-type`, `kernel-name`, `kernel-parameter-type`, `static-kernel`, `overloaded-kernel`, `kernel-redeclaration` (w), `nested-function`, `recursion`, `missing-return` (w), `return-with-value`, `return-without-value` |
//! | Statements | `assignment-as-condition` (w), `switch-type`, `duplicate-case`, `non-constant-case`, `case-range`, `case-outside-switch`, `break-outside-loop`, `continue-outside-loop`, `static-assertion`, `misplaced-unroll` (w) |
//! | Selections | `generic-selection` |
//! | Attributes, pragmas | `unknown-attribute` (w), `unsupported-attribute`, `attribute-argument`, `attribute-needs-kernel`, `conflicting-attribute`, `invalid-alignment`, `ignored-attribute` (w), `unknown-pragma` (w), `misplaced-pragma` (w), `unknown-extension` (w), `unsupported-extension` (w) |

use crate::diag::Diagnostics;
use crate::hir::Program;
use crate::options::Options;
use crate::symbol::Interner;
use crate::syntax::pragma::without_misplaced;
use crate::token::Token;
use context::Sema;

mod asm;
pub(crate) mod attribute;
mod block;
mod call;
mod constant;
mod context;
mod convert;
mod cxx;
mod decl;
#[cfg(test)]
mod decl_tests;
mod declarator;
mod declspec;
pub(crate) mod display;
mod expr;
#[cfg(test)]
mod expr_tests;
mod function;
mod gnu;
mod init;
mod intrinsic;
mod literal;
mod local;
mod mangle;
mod operators;
mod parameter;
mod part;
mod pointer;
mod pragma;
mod printf;
mod printf_format;
mod record;
mod refused;
mod scope;
mod spectype;
mod state;
mod stmt;
mod switch;
mod tail_calls;
mod vector;

/// Parses and checks a translation unit. A tree comes back even after errors, when there is one.
pub fn analyze(
    tokens: &[Token],
    symbols: &mut Interner,
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> Option<Program> {
    let kept = without_misplaced(tokens);
    for span in kept.iter().flat_map(|(_, dropped)| dropped) {
        let message = "a pragma inside a declaration or an expression is ignored";
        diagnostics.warning("misplaced-pragma", *span, message);
    }
    let tokens = kept.as_ref().map_or(tokens, |(kept, _)| kept);
    let of_cxx = options.cxx.map(|_| crate::syntax::cxx::tokens::of_cxx(tokens, symbols));
    let tokens = of_cxx.as_deref().unwrap_or(tokens);
    let mut sema = Sema::new(tokens, symbols, options, diagnostics);
    match options.cxx {
        Some(_) => sema.cxx_unit(),
        None => sema.translation_unit(),
    }
    sema.finish_functions();
    sema.drop_constant_functions();
    sema.check_recursion();
    let Sema { types, globals, functions, fp_contract, .. } = sema;
    Some(Program { types, globals, functions, fp_contract })
}
