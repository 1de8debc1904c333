//! What the launch tells of the memory of arguments: which bytes of it were written before, and whether kernels may read and write it.
//!
//! The host keeps a **record** of the bytes of a buffer that were written, a byte of ones for each, and copies it to the launch's printf buffer and
//! back. [`InstKind::ArgumentContent`] says where it is, and has the buffer's flags:
//!
//! ```text
//! x = p[i]        becomes        if (flags say no) report(); if (there is a record && record[i] is not all ones) report(); x = p[i]
//! p[i] = x        becomes        if (flags say no) report(); if (there is a record) record[i] = all ones; p[i] = x
//! ```
//!
//! Specialization constants say whether there are records and flags ([`InstKind::HasArgumentRecord`], [`InstKind::HasArgumentFlags`]): launches of
//! buffers of which all was written, and which kernels may use as they do, have code without this.

use super::objects::{Fat, Origin, Origins, Sizes};
use super::report::{ReportValues, Reporter, SiteFault, When};
use super::shadows::{calls, escaped};
use crate::check::{Access as Direction, Checks, Fault};
use crate::ir::{
    BinaryOp, Function, Inst, InstKind, IntCC, MemFlags, Module, Place, Root, Scalar, SourceLine, Space,
    Type, UnaryOp, Value, fold,
};
use crate::transform::rewriter::{Rewriter, Site as Point};
use std::collections::BTreeSet;

/// The bits of the record's place.
const PLACE: u64 = (1 << 62) - 1;
/// Kernels may not read the memory.
const UNREADABLE: u64 = 1 << 62;
/// Kernels may not write it.
const UNWRITABLE: u64 = 1 << 63;

/// The arguments about which a kernel asks.
pub(in crate::passes::check) struct Contents {
    /// Those of which records are kept.
    records: BTreeSet<u32>,
    flags: bool,
}

/// An access as this looks at it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Use {
    pub arg: u32,
    pub direction: Direction,
    pub bytes: u64,
    /// What it moves.
    pub ty: Type,
    pub align: u32,
    pub line: SourceLine,
}

impl Use {
    /// The bytes of the access, for its report.
    fn size(self) -> u32 {
        u32::try_from(self.bytes).unwrap_or(u32::MAX)
    }
}

impl Contents {
    /// Finds the arguments, and tells the runtime of those with records.
    pub fn new(module: &mut Module, kernel: usize, f: &Function, checks: Checks) -> Option<Self> {
        let flags = checks.contains(Checks::FLAGS);
        let mut records = BTreeSet::new();
        if checks.contains(Checks::UNINITIALISED) && !calls(f) {
            let origins = Origins::find(f, &Sizes::new(module));
            let escaped = escaped(f, &origins);
            let args = 0..module.kernels[kernel].args.len() as u32;
            records.extend(args.filter(|arg| !escaped.contains(&Root::Arg(*arg))));
        }
        if !flags && records.is_empty() {
            return None;
        }
        Some(Contents { records, flags })
    }

    /// The argument of an access that is looked at.
    pub fn argument(&self, origin: Origin) -> Option<u32> {
        match origin {
            Origin::One(Root::Arg(arg)) if self.flags || self.records.contains(&arg) => Some(arg),
            _ => None,
        }
    }

    /// The conditions under which an access in this direction needs no look at what the launch tells of an argument.
    pub fn without_facts(&self, rw: &mut Rewriter<'_>, arg: u32, direction: Direction) -> Vec<Value> {
        let mut conditions = Vec::new();
        let mut never = |rw: &mut Rewriter<'_>, fact: InstKind, mask: u64| {
            let word = rw.inst(InstKind::ArgumentContent(arg), Type::I64);
            let bits = rw.binary_const(BinaryOp::And, word, mask);
            let zero = rw.iconst(Type::I64, 0);
            let none = rw.icmp(IntCC::Eq, bits, zero);
            let fact = rw.inst(fact, Type::BOOL);
            let not = rw.inst(InstKind::Unary(UnaryOp::Not, fact), Type::BOOL);
            conditions.push(rw.binary(BinaryOp::Or, not, none));
        };
        if self.flags {
            let bit = if direction == Direction::Read { UNREADABLE } else { UNWRITABLE };
            never(rw, InstKind::HasArgumentFlags(arg), bit);
        }
        if self.records.contains(&arg) {
            never(rw, InstKind::HasArgumentRecord(arg), PLACE);
        }
        conditions
    }

    /// Looks at an access that is within its memory.
    pub(super) fn visit(
        &self,
        rw: &mut Rewriter<'_>,
        point: &mut Point,
        of: Use,
        fat: Fat,
        reporter: &mut Reporter<'_>,
    ) {
        let word = rw.inst(InstKind::ArgumentContent(of.arg), Type::I64);
        let zero = rw.iconst(Type::I64, 0);
        if self.flags {
            let bit = if of.direction == Direction::Read { UNREADABLE } else { UNWRITABLE };
            let bit = rw.binary_const(BinaryOp::And, word, bit);
            let wrong = rw.icmp(IntCC::Ne, bit, zero);
            let fact = rw.inst(InstKind::HasArgumentFlags(of.arg), Type::BOOL);
            let wrong = rw.binary(BinaryOp::And, fact, wrong);
            let what = SiteFault { fault: Fault::Flags, access: of.direction, size: of.size() };
            reporter.report_by_facts(rw, wrong, (what, of.line), fat.number);
        }
        if self.records.contains(&of.arg) {
            reporter.keeps_record(of.arg, of.direction != Direction::Read);
            let start = rw.binary_const(BinaryOp::And, word, PLACE);
            let any = rw.icmp(IntCC::Ne, start, zero);
            let fact = rw.inst(InstKind::HasArgumentRecord(of.arg), Type::BOOL);
            let any = rw.binary(BinaryOp::And, fact, any);
            let mut fork = point.fork(rw, any, &[]);
            self.record(rw, of, (start, fat), reporter);
            fork.otherwise(point, rw, &[]);
            fork.join(point, rw, &[]);
        }
    }

    /// Looks at the record of an access, or changes it.
    fn record(
        &self,
        rw: &mut Rewriter<'_>,
        of: Use,
        (start, fat): (Value, Fat),
        reporter: &mut Reporter<'_>,
    ) {
        let global = Type::Ptr(Space::Global);
        let base = rw.inst(InstKind::RootAddr(Root::Printf), global);
        let at = rw.add(start, fat.offset);
        let at = rw.inst(InstKind::PtrAdd { base, index: at, scale: 1 }, global);
        let scalar = match of.ty.scalar() {
            Some(Scalar::Bool) => Scalar::I8,
            Some(scalar) => Scalar::int(scalar.bytes()).unwrap_or(Scalar::I32),
            // A pointer.
            None => Scalar::int(of.bytes as u32).unwrap_or(Scalar::I64),
        };
        let ty = Type::new(scalar, of.ty.lanes());
        let flags = MemFlags { align: of.align, volatile: false };
        let ones = rw.iconst(ty, fold::mask(scalar.bits()));
        if of.direction != Direction::Write && !of.line.is_marked() {
            let known = rw.load(Place::Pointer(at), ty, flags);
            let never = rw.icmp(IntCC::Ne, known, ones);
            let never = match ty.lanes() {
                1 => never,
                _ => rw.inst(InstKind::Unary(UnaryOp::Any, never), Type::BOOL),
            };
            let what = SiteFault { fault: Fault::Uninitialised, access: of.direction, size: of.size() };
            let values = ReportValues { object: fat.number, value: fat.offset, limit: fat.size };
            reporter.report_in(rw, (When::Facts, what, of.line), values, Some(never));
        }
        if of.direction != Direction::Read {
            rw.store(Place::Pointer(at), ones, flags);
        }
    }
}

/// The alignment of an access.
pub(super) fn align_of(f: &Function, inst: Inst) -> u32 {
    match f.insts[inst].kind {
        InstKind::Load { flags, .. } | InstKind::Store { flags, .. } => flags.align,
        _ => f.insts[inst].results.first().map_or(4, |result| f.ty(*result).element().bytes().max(1)),
    }
}
