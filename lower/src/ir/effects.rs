//! What an instruction does besides giving its results: one table for all passes.
//!
//! | | reads | writes | convergent | traps | idempotent |
//! |---|---|---|---|---|---|
//! | arithmetic, conversions, vectors, pointers, work-item functions | | | | division, remainder, shifts | yes |
//! | load of memory that nobody writes | | | | yes | yes |
//! | load | yes | | | yes | yes |
//! | volatile load | yes | yes | | yes | |
//! | store, copy | copy | yes | | yes | unless volatile |
//! | atomic | yes | yes | | yes | load alone |
//! | memory barrier | yes | yes | | | yes |
//! | control barrier | yes | yes | yes | | |
//! | operation of a group | | | yes | yes | |
//! | call that is pure | | | | yes | yes |
//! | other call, function of OpenCL.std | yes | yes | yes | yes | |
//!
//! *Convergent*: which work-items take part matters, so that it may not be executed by fewer or more at once than in the source:
//! it must not get to other control flow, and two of a kind are not one even with equal operands. *Traps*: there are operands
//! for which the result is undefined or the execution is not allowed, so that it must not be executed where it was not.
//!
//! Passes ask one of the questions: they differ. What may be removed ([`Effects::can_be_removed`]) may still not be done twice or
//! where it was not done.

use super::{AtomicOp, BinaryOp, Function, ImageOp, InstKind, Place, Root, Space, Type};

/// A row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Effects {
    /// Looks at memory that may change.
    pub reads: bool,
    /// Changes memory or what others see of it, or must be seen to happen (`volatile`).
    pub writes: bool,
    /// Which work-items take part matters.
    pub convergent: bool,
    /// Not allowed, or undefined, for some operands.
    pub traps: bool,
    /// Done again at once, it gives the same and changes nothing more.
    pub idempotent: bool,
}

impl Effects {
    const PURE: Effects =
        Effects { reads: false, writes: false, convergent: false, traps: false, idempotent: true };
    const ALL: Effects =
        Effects { reads: true, writes: true, convergent: true, traps: true, idempotent: false };

    /// Whether nobody notices if it is not done and its results are not used.
    #[inline]
    pub fn can_be_removed(self) -> bool {
        !self.writes
    }

    /// Whether another one with the same operands that dominates it gives the same, whatever happens between.
    #[inline]
    pub fn can_be_numbered(self) -> bool {
        self.idempotent && !self.reads && !self.writes && !self.convergent
    }

    /// Whether it may be done where it was not: its result is not used there.
    #[inline]
    pub fn can_be_speculated(self) -> bool {
        !self.writes && !self.convergent && !self.traps
    }

    /// Whether it may stand in several places of which each work-item reaches one.
    pub fn can_be_duplicated(self) -> bool {
        !self.convergent
    }

    /// Whether it may get to other control flow as long as the same work-items do it: out of a loop that all leave, or into it.
    pub fn can_change_company(self) -> bool {
        !self.convergent
    }
}

impl InstKind {
    /// What it does besides giving its results.
    #[inline]
    pub fn effects(&self, function: &Function) -> Effects {
        use InstKind::*;
        let pure = Effects::PURE;
        match self {
            Binary(op, ..) => Effects { traps: has_undefined_cases(*op), ..pure },
            Unary(..)
            | ICmp(..)
            | FCmp(..)
            | Select(..)
            | Convert { .. }
            | Bitcast(_)
            | Construct(_)
            | Extract(..)
            | Insert { .. }
            | Shuffle(..)
            | Glsl { .. }
            | Fma(..)
            | RootAddr(_)
            | PtrAdd { .. }
            | PtrOffset { .. }
            | PtrCast(_)
            | PtrToInt(_)
            | IntToPtr(_)
            | PtrToSpace(_)
            | PtrFence(_)
            | PtrDiff(..)
            | WorkItem(..)
            | Input(..)
            | WorkgroupSize(_)
            | BuffersCross
            | SeveralWindows
            | LocalArgUnits(_) => pure,
            SamplerBits(_) => pure,
            Image { op, .. } => match op {
                ImageOp::Size(_) | ImageOp::Format | ImageOp::Levels => pure,
                // Images that a kernel reads so are read_only: it writes them under no other name either (OpenCL C §6.7).
                ImageOp::Sample { .. } | ImageOp::Fetch(_) | ImageOp::FetchBits | ImageOp::Filter { .. } => {
                    Effects { traps: true, ..pure }
                }
                ImageOp::Read(_) | ImageOp::Load(_) | ImageOp::LoadBits(_) | ImageOp::ReadBytes(_) => {
                    Effects { reads: true, traps: true, ..pure }
                }
                ImageOp::Write(_) | ImageOp::Store(..) | ImageOp::StoreBits(..) | ImageOp::WriteBytes(_) => {
                    Effects { writes: true, traps: true, ..pure }
                }
            },
            // The lane may be none.
            ExtractDyn(..) | InsertDyn { .. } => Effects { traps: true, ..pure },
            Load { place, flags } => Effects {
                reads: flags.volatile || !is_read_only(function, place),
                writes: flags.volatile,
                idempotent: !flags.volatile,
                traps: true,
                ..pure
            },
            Store { flags, .. } => Effects { writes: true, traps: true, idempotent: !flags.volatile, ..pure },
            Copy { flags, .. } => {
                Effects { reads: true, writes: true, traps: true, idempotent: !flags.volatile, ..pure }
            }
            Atomic { op, .. } => {
                Effects { reads: true, writes: true, traps: true, idempotent: *op == AtomicOp::Load, ..pure }
            }
            MemBarrier { .. } => Effects { reads: true, writes: true, ..pure },
            // Nothing that it stands between may go past it.
            Clock(_) => Effects { reads: true, writes: true, idempotent: false, ..pure },
            Barrier { .. } => {
                Effects { reads: true, writes: true, convergent: true, idempotent: false, ..pure }
            }
            Group { .. } => Effects { convergent: true, traps: true, idempotent: false, ..pure },
            // It may not end for arguments that it does not get.
            Call { pure: true, .. } => Effects { traps: true, ..pure },
            // The callee is not looked at. Some functions of OpenCL.std write through pointers; `lower_math` decides.
            Call { .. } | ExtInst { .. } => Effects::ALL,
        }
    }
}

/// Division by zero, the quotient that does not fit, and shifts by the width or more.
fn has_undefined_cases(op: BinaryOp) -> bool {
    use BinaryOp::{AShr, LShr, SDiv, SRem, Shl, UDiv, URem};
    matches!(op, UDiv | SDiv | URem | SRem | Shl | LShr | AShr)
}

/// Whether a launch never writes the memory.
fn is_read_only(function: &Function, place: &Place) -> bool {
    match place {
        Place::Pointer(p) => matches!(function.ty(*p), Type::Ptr(Space::Constant | Space::Block)),
        Place::Element { root, .. } => matches!(root, Root::Block | Root::Constants),
        Place::Address(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::ir::text;

    /// Removed, numbered, speculated, duplicated: `r`, `n`, `s`, `d` where it may be.
    #[test]
    fn questions() {
        let source = "module read bits=64
func f0 \"f\" returns ()
b0(v0: ptr.global, v1: i32, v2: ptr.constant, v3: i32x4):
  v4: i32 = iadd v1, v1
  v5: i32 = udiv v1, v1
  v6: i32 = load [v0], align=4
  v7: i32 = load [v2], align=4
  v8: i32 = load [v0], align=4 volatile
  store [v0], v1, align=4
  v9: i32 = extractdyn v3, v1
  barrier workgroup workgroup acquire|release|local
  membarrier workgroup acquire|release|local
  v10: i32 = group.combine.iadd.reduce subgroup(v1)
  call f1()
  call.pure f1()
  return()
func f1 \"g\" returns ()
b0():
  return()
";
        let expected = ["rnsd", "rnd", "rd", "rnd", "d", "d", "rnd", "", "d", "r", "", "rnd"];
        let module = text::parse(source).unwrap_or_else(|e| panic!("{e}"));
        let f = module.functions.values().next().expect("a function");
        for (inst, expected) in f.blocks[f.entry()].insts.iter().zip(expected) {
            let effects = f.insts[*inst].kind.effects(f);
            let answers = [
                ('r', effects.can_be_removed()),
                ('n', effects.can_be_numbered()),
                ('s', effects.can_be_speculated()),
                ('d', effects.can_be_duplicated()),
            ];
            let found: String = answers.iter().filter(|a| a.1).map(|a| a.0).collect();
            assert_eq!(found, expected, "{}", text::inst_to_string(f, *inst));
        }
    }
}
