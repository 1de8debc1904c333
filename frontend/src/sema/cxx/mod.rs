//! C++ for OpenCL: classes, references, overloads, templates, lambdas, to the typed tree of C.
//!
//! A member function is a function whose first parameter is a pointer to its object. A reference is a pointer, a base class
//! the first member, a constructor a function that is called with the address of storage. Names of namespaces and classes
//! are entered into the file's scope by their qualified names. Bodies, templates and default arguments are read from their
//! tokens when they are needed, with the names of their [`Context`].
//!
//! | module | what it has |
//! |---|---|
//! | [`unit`] | the file: declarations in turn, bodies and instances that wait |
//! | [`lookup`] | names: of blocks, classes, namespaces |
//! | [`class`], [`method`] | classes; member functions, constructors, destructors |
//! | [`implicit`] | copies, moves and assignments that no declaration gives |
//! | [`construct`] | objects and their first values |
//! | [`program_objects`] | objects of the program, and what gives them their values |
//! | [`allocate`] | `new` and `delete` |
//! | [`cleanup`] | what is destroyed, and where |
//! | [`declare`] | variables, functions, `auto`, references |
//! | [`call`], [`operators`] | overload resolution; calls; operators of classes |
//! | [`convert`], [`cast`] | conversions, binding of references; casts |
//! | [`narrow`] | narrowing conversions in braces |
//! | [`expr`] | expressions that C does not have |
//! | [`template`], [`deduce`] | templates, their arguments |
//! | [`guide`] | class template argument deduction |
//! | [`pack`] | templates with packs |
//! | [`special`] | specialisations |
//! | [`outside`] | members of templates that are defined outside of their classes |
//! | [`lambda`] | lambdas |
//! | [`state`] | the types of what is known |
//! | [`eval`] | functions that are called in constant expressions |

use super::context::Sema;
use crate::hir::{Constant, Expr};
use crate::source::Span;
use crate::types::{RecordId, TypeId};

mod allocate;
mod call;
mod cast;
mod class;
mod cleanup;
mod construct;
mod convert;
mod declare;
mod deduce;
mod eval;
mod expr;
mod guide;
mod implicit;
mod lambda;
mod lookup;
mod method;
mod narrow;
mod operators;
mod outside;
mod pack;
mod program_objects;
mod special;
pub(super) mod state;
mod stmt;
mod template;
mod unit;

pub(super) use declare::shown_name;
pub(super) use state::*;

/// An expression of type `void` that does nothing.
fn nothing(span: Span) -> Expr {
    let kind = crate::hir::ExprKind::Statements { block: crate::hir::Block::default(), value: None };
    super::convert::rvalue(kind, crate::types::Types::VOID, span)
}

impl Sema<'_> {
    /// The class of a type.
    pub(super) fn class_of(&self, ty: TypeId) -> Option<RecordId> {
        match self.types.get(ty) {
            crate::types::Type::Record(id) if self.cxx.classes.contains_key(id) => Some(*id),
            _ => None,
        }
    }

    /// The facts about a class.
    pub(super) fn class_facts(&self, id: RecordId) -> Option<&Class> {
        self.cxx.classes.get(&id)
    }

    /// An expression for what has no type yet.
    pub(super) fn stashed(&mut self, stash: Stash, span: Span) -> Expr {
        self.cxx.stash.push(stash);
        let index = self.cxx.stash.len() as i64 - 1;
        super::convert::rvalue(
            crate::hir::ExprKind::Constant(Constant::Int(index)),
            self.cxx.unresolved,
            span,
        )
    }

    /// What an expression of [`Sema::stashed`] stands for.
    pub(super) fn unstash(&self, e: &Expr) -> Option<&Stash> {
        if !self.cxx.enabled || e.ty.ty != self.cxx.unresolved {
            return None;
        }
        match e.kind {
            crate::hir::ExprKind::Constant(Constant::Int(index)) => self.cxx.stash.get(index as usize),
            _ => None,
        }
    }

    /// Reports a feature that C++ for OpenCL, or this compiler, does not have.
    pub(super) fn refuse_cxx(&mut self, what: &str, span: Span) {
        self.error("unsupported-cxx", span, format!("C++ for OpenCL does not have {what}"));
    }

    /// Reports a feature of C++ for OpenCL that this compiler does not take.
    pub(super) fn lacks_cxx(&mut self, what: &str, span: Span) {
        self.error(
            "unsupported-cxx",
            span,
            format!("{what} is not taken by Pumice's own compiler of C++ for OpenCL"),
        )
        .remark("an installed clang takes it: PUMICE_CLANG chooses one");
    }
}
