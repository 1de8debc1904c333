//! The lowering's intermediate representation.
//!
//! A [`Module`] holds global variables and [`Function`]s; a function is a control-flow graph in SSA
//! form whose blocks take parameters (no phis). **Pointers are untyped**: a pointer value is an
//! address space and a byte offset from a [`Root`]; every load and store carries its type and
//! alignment. There are no aggregate values: the reader splits structures and arrays into their
//! scalar and vector leaves, and functions take and return lists.
//!
//! The IR goes through **stages**; the verifier checks what each may contain:
//!
//! | stage | after | what holds |
//! |---|---|---|
//! | [`Stage::Read`] | the reader | anything below |
//! | [`Stage::Resolved`] | `lower_addresses` | no pointer values: every memory operand is [`Place::Element`] or [`Place::Address`]; kernels have no parameters |
//! | [`Stage::Legal`] | `legalize_types` | only types and accesses that the Target has; vectors of at most 4 lanes |
//! | [`Stage::Structured`] | `structurize` | every function's control flow is structured, with merges |
//!
//! The IR prints ([`std::fmt::Display`] of [`Module`]) and parses ([`text::parse`]).

pub mod cfg;
mod compact_lists;
mod debug;
mod effects;
mod entities;
#[cfg(test)]
mod evaluate;
pub mod fold;
mod function;
mod group;
mod image;
mod instructions;
#[cfg(test)]
pub mod interp;
mod module;
mod operators;
mod term;
pub mod text;
mod types;
pub mod verify;

pub use compact_lists::{Mask, Pair, Results};
pub use debug::{DebugInfo, DebugScope, ScopeKind, Site, SourceLine};
pub use effects::Effects;
pub use entities::{Block, Entity, EntityMap, Func, GlobalVar, Inst, Opaque, Slot, Value};
pub use function::{
    BlockData, EMPTY_CONTINUE, Function, InstData, Merge, SlotData, UNHINTED, ValueData, ValueDef,
};
pub use group::{Combine, GroupOp, Span};
pub use image::{ImageOp, ImageRef, ImageType, Level, MAX_LEVELS, OpaqueType, TEXEL_SIZES};
pub use instructions::{InstKind, Operands};
pub use module::{
    GlobalInit, GlobalVarData, KernelArg, KernelArgKind, KernelData, KernelPlan, LocalArena, Module, Stage,
    WindowPlan,
};
pub use operators::{
    AtomicOp, BinaryOp, BuiltinInput, Constant, ConvertOp, FloatCC, IntCC, MemFlags, Place, Root, Rounding,
    Scope, Semantics, Takes, UnaryOp, WorkItem,
};
pub use term::{Target as BranchTarget, Terminator};
pub use types::{Scalar, Space, Type};
