//! Accesses of memory: bounds, null pointers, alignment.

use super::contents::{self, Contents};
use super::objects::{Fat, Objects, Origin, Origins, Sizes};
use super::report::{ReportValues, Reporter, SiteFault, When};
use super::shadows::Shadows;
use super::states::States;
use crate::analysis::ranges::Ranges;
use crate::check::{Access as Direction, Checks, Fault};
use crate::ir::{
    AtomicOp, BinaryOp, Function, Inst, InstKind, IntCC, Place, Root, Scalar, Type, Value, fold,
};
use crate::transform::rewriter::{Rewriter, Site};
use rustc_hash::{FxHashMap, FxHashSet};

/// An access that may be faulty.
#[derive(Debug, Clone, Copy)]
pub(in crate::passes::check) struct Access {
    pub pointer: Value,
    ty: Type,
    pub direction: Direction,
    pub bytes: u64,
    /// The alignment, if it is to be looked at.
    pub align: Option<u64>,
    /// The bounds are to be looked at.
    bounds: bool,
    /// Nobody asked about bounds: what is outside has no record, and is not reported.
    silent: bool,
    /// The offset is a multiple of this.
    multiple: u64,
    /// The argument about whose memory the launch tells.
    pub fact: Option<u32>,
}

/// The accesses of a function.
pub(in crate::passes::check) struct Accesses {
    found: FxHashMap<Inst, Access>,
    pub origins: Origins,
    /// The pointers of async copies.
    copied: Vec<Value>,
    /// The marks of members that are known to be accessed within their bounds.
    proven: FxHashSet<Inst>,
}

impl Accesses {
    /// Finds the accesses that are not proven to be right, without records of memory.
    pub fn of_memory(f: &mut Function, sizes: &Sizes, checks: Checks, contents: Option<&Contents>) -> Self {
        Accesses::find(f, sizes, checks, (None, contents))
    }

    /// Finds the accesses that are not proven to be right.
    pub(super) fn find(
        f: &mut Function,
        sizes: &Sizes,
        checks: Checks,
        (shadows, contents): (Option<&Shadows>, Option<&Contents>),
    ) -> Self {
        let origins = Origins::find(f, sizes);
        let cfg = f.cfg();
        let mut ranges = Ranges::new(f, &cfg);
        let mut found = FxHashMap::default();
        let proven = proven_members(f, &mut ranges);
        let asked = checks.intersects(Checks::BOUNDS | Checks::NULL | Checks::ALIGNMENT);
        let copies = f.layout.iter().flat_map(|block| &f.blocks[*block].insts);
        let copied = copies.filter_map(|inst| match &f.insts[*inst].kind {
            InstKind::AsyncCopy { args } => args.get(..2),
            _ => None,
        });
        let copied: Vec<Value> = copied.flatten().copied().collect();
        if !asked && shadows.is_none() && contents.is_none() {
            return Accesses { found, origins, copied, proven };
        }
        for inst in f.layout.iter().flat_map(|block| &f.blocks[*block].insts) {
            let Some((pointer, ty, direction, align)) = access(f, *inst) else { continue };
            let pointer_bytes = if matches!(ty, Type::Ptr(_)) { sizes.pointer_bytes() } else { 0 };
            let bytes = u64::from(ty.bytes()) + pointer_bytes;
            let origin = origins.origin(f, pointer);
            // A loop's range was looked at before the loop.
            let looked_at = f.insts[*inst].line.is_within();
            if looked_at && matches!(origin, Origin::One(Root::Arg(_))) {
                continue;
            }
            if bytes == 0 || matches!(origin, Origin::Nothing | Origin::Unknown) {
                continue;
            }
            let extent = extent(f, &mut ranges, pointer);
            let size = match origin {
                Origin::One(root) => sizes.known(f, root),
                _ => None,
            };
            let ends_within =
                |size: u64| extent.greatest.and_then(|g| g.checked_add(bytes)).is_some_and(|e| e <= size);
            let fact = contents.and_then(|contents| contents.argument(origin));
            let watched = shadows.is_some_and(|shadows| shadows.uses.contains_key(inst)) || fact.is_some();
            let may_leave = !looked_at && !size.is_some_and(ends_within);
            let silent = watched && !checks.contains(Checks::BOUNDS);
            let bounds = (checks.intersects(Checks::BOUNDS | Checks::NULL) || watched) && may_leave;
            let align = Some(align).filter(|a| {
                checks.contains(Checks::ALIGNMENT) && !looked_at && !extent.multiple.is_multiple_of(*a)
            });
            if bounds || align.is_some() || watched {
                let multiple = extent.multiple;
                let of = Access { pointer, ty, direction, bytes, align, bounds, silent, multiple, fact };
                found.insert(*inst, of);
            }
        }
        Accesses { found, origins, copied, proven }
    }

    /// Returns whether a mark of a member's access needs no check.
    pub(super) fn is_proven(&self, mark: Inst) -> bool {
        self.proven.contains(&mark)
    }

    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    pub fn get(&self, inst: Inst) -> Option<Access> {
        self.found.get(&inst).copied()
    }

    /// The objects of all pointers.
    pub(super) fn objects<'a>(
        &self,
        f: &mut Function,
        sizes: &'a Sizes,
        reporter: &mut Reporter<'_>,
    ) -> Objects<'a> {
        let mut inst: Vec<Inst> = self.found.keys().copied().collect();
        inst.sort_unstable();
        let mut pointers: Vec<Value> = inst.iter().map(|inst| self.found[inst].pointer).collect();
        pointers.extend(&self.copied);
        Objects::new(f, self.origins.clone(), sizes, &pointers, reporter)
    }
}

/// The marks of members ([`InstKind::MemberAccess`]) whose offsets are within their arrays.
fn proven_members(f: &Function, ranges: &mut Ranges<'_>) -> FxHashSet<Inst> {
    let mut proven = FxHashSet::default();
    for inst in f.layout.iter().flat_map(|block| &f.blocks[*block].insts) {
        if let InstKind::MemberAccess { offset, bytes, size, .. } = f.insts[*inst].kind
            && ranges.greatest(offset).checked_add(bytes.into()).is_some_and(|end| end <= size.into())
        {
            proven.insert(*inst);
        }
    }
    proven
}

/// Reports an access that its mark says to be outside of a member. The access stays: it is looked at for itself.
pub(super) fn look_at_member(rw: &mut Rewriter<'_>, mark: Inst, reporter: &mut Reporter<'_>) {
    let InstKind::MemberAccess { offset, bytes, size, name, access } = rw.f.insts[mark].kind else { return };
    let outside = match size.checked_sub(bytes) {
        Some(last) => {
            let last = rw.iconst(Type::I64, last.into());
            rw.icmp(IntCC::Ugt, offset, last)
        }
        None => rw.iconst(Type::BOOL, 1),
    };
    let access = [Direction::Read, Direction::Write, Direction::Atomic][usize::from(access.min(2))];
    let what = SiteFault { fault: Fault::Bounds, access, size: bytes };
    let object = rw.iconst(Type::I32, reporter.member(name).into());
    let limit = rw.iconst(Type::I64, size.into());
    let values = ReportValues { object, value: offset, limit };
    reporter.report_in(rw, (When::Always, what, rw.line()), values, Some(outside));
}

/// The pointer of an access, the type of what it moves, its direction and its alignment.
pub(super) fn access(f: &Function, inst: Inst) -> Option<(Value, Type, Direction, u64)> {
    let data = &f.insts[inst];
    let result = data.results.first().map(|result| f.ty(*result));
    match &data.kind {
        InstKind::Load { place: Place::Pointer(pointer), flags } => {
            Some((*pointer, result?, Direction::Read, flags.align.into()))
        }
        InstKind::Store { place: Place::Pointer(pointer), value, flags } => {
            Some((*pointer, f.ty(*value), Direction::Write, flags.align.into()))
        }
        InstKind::Atomic { op, place: Place::Pointer(pointer), operands, .. } => {
            let ty = result.or_else(|| operands.iter().next().map(|v| f.ty(*v)))?;
            let direction = match op {
                AtomicOp::Load => Direction::Read,
                AtomicOp::Store => Direction::Write,
                _ => Direction::Atomic,
            };
            Some((*pointer, ty, direction, ty.bytes().max(1).into()))
        }
        _ => None,
    }
}

/// The facts about an offset.
struct Extent {
    /// The largest offset, if the pointer is a sum of parts that are not negative.
    greatest: Option<u64>,
    /// A power of two of which the offset is a multiple.
    multiple: u64,
}

fn extent(f: &Function, ranges: &mut Ranges<'_>, mut pointer: Value) -> Extent {
    let mut sum: Option<i128> = Some(0);
    let mut multiple = 1 << 32;
    loop {
        let Some(inst) = f.def_inst(pointer) else { return Extent { greatest: None, multiple: 1 } };
        match inst.kind {
            InstKind::RootAddr(_) => {
                let greatest = sum.and_then(|sum| u64::try_from(sum).ok());
                return Extent { greatest, multiple };
            }
            InstKind::PtrAdd { base, index, scale } => {
                let width = f.ty(index).scalar().map_or(64, Scalar::bits);
                let greatest = ranges.greatest(index);
                let positive = greatest <= fold::mask(width) >> 1;
                sum = sum.filter(|_| positive).map(|sum| sum + i128::from(greatest) * i128::from(scale));
                multiple = multiple.min(power_in(scale) * power_in_value(f, index));
                pointer = base;
            }
            InstKind::PtrOffset { base, bytes } => {
                // A step back makes the offset negative where the parts before it are 0.
                sum = sum.filter(|_| bytes >= 0).map(|sum| sum + i128::from(bytes));
                multiple = multiple.min(power_in(bytes.unsigned_abs()));
                pointer = base;
            }
            InstKind::PtrCast(base) | InstKind::Bitcast(base) => pointer = base,
            _ => return Extent { greatest: None, multiple: 1 },
        }
    }
}

/// The largest power of two up to 2^16 that divides a number.
fn power_in(number: u64) -> u64 {
    1 << number.trailing_zeros().min(16)
}

fn power_in_value(f: &Function, value: Value) -> u64 {
    power_in(crate::analysis::ranges::possible_bits(f, value))
}

/// Executes an access if it is right, and reports it otherwise. Gives the value that replaces its result.
pub(super) fn guard(
    rw: &mut Rewriter<'_>,
    point: &mut Site,
    (inst, access): (Inst, Access),
    objects: &mut Objects<'_>,
    (reporter, watch, contents): (&mut Reporter<'_>, Option<(&Shadows, States)>, Option<&Contents>),
) -> Option<Value> {
    let fat = objects.fat(rw, access.pointer, reporter);
    let within = access.bounds.then(|| within(rw, &access, fat, reporter.checks));
    let line = rw.f.insts[inst].line;
    let used = watch.and_then(|(shadows, states)| Some((shadows, states, *shadows.uses.get(&inst)?)));
    let stored = match rw.f.insts[inst].kind {
        InstKind::Store { value, .. } => Some(value),
        _ => None,
    };
    let fact = contents.zip(access.fact);
    let align = contents::align_of(rw.f, inst);
    let look = |rw: &mut Rewriter<'_>, point: &mut Site, reporter: &mut Reporter<'_>| {
        if let Some((contents, arg)) = fact {
            let Access { direction, bytes, ty, .. } = access;
            let of = contents::Use { arg, direction, bytes, ty, align, line };
            contents.visit(rw, point, of, fat, reporter);
        }
        if let Some((shadows, states, of)) = used {
            states.visit(rw, point, (of, stored, line), fat, (shadows, reporter));
        }
    };
    let aligned = access.align.map(|align| {
        let rest = rw.binary_const(BinaryOp::And, fat.offset, align - 1);
        let zero = rw.iconst(Type::I64, 0);
        rw.icmp(IntCC::Eq, rest, zero)
    });
    let right = match (within, aligned) {
        (Some(a), Some(b)) => rw.binary(BinaryOp::And, a, b),
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => {
            look(rw, point, reporter);
            rw.keep(inst);
            return None;
        }
    };
    let kind = rw.f.insts[inst].kind.clone();
    let types: Vec<Type> = rw.f.insts[inst].results.iter().map(|r| rw.f.ty(*r)).collect();
    let mut fork = point.fork(rw, right, &types);
    look(rw, point, reporter);
    let mut results = Vec::new();
    match types.first() {
        Some(ty) => results.push(rw.inst(kind, *ty)),
        None => rw.void(kind),
    }
    fork.otherwise(point, rw, &results);
    if line.is_marked() && matches!(objects.origins.origin(rw.f, access.pointer), Origin::One(Root::Slot(_)))
    {
        // A shadow: the access that it belongs to is reported, and counts as one of written memory.
        let ones = |ty: &Type| rw.f.iconst(*ty, fold::mask(ty.scalar().map_or(64, Scalar::bits)));
        let ones: Vec<Value> = types.iter().map(ones).collect();
        return fork.join(point, rw, &ones).first().copied();
    }
    if access.silent && access.align.is_none() {
        let zeros: Vec<Value> =
            types.iter().map(|ty| rw.f.constant(*ty, crate::ir::Constant::Bits(0))).collect();
        return fork.join(point, rw, &zeros).first().copied();
    }
    let values = ReportValues { object: fat.number, value: fat.offset, limit: fat.size };
    let what = |fault, size| (SiteFault { fault, access: access.direction, size }, line);
    let bytes = u32::try_from(access.bytes).unwrap_or(u32::MAX);
    let bounds = what(Fault::Bounds, bytes);
    match (within, access.align) {
        (Some(within), Some(align)) => {
            let align = what(Fault::Alignment, u32::try_from(align).unwrap_or(u32::MAX));
            let mut which = point.fork(rw, within, &[]);
            reporter.report(rw, align, values);
            which.otherwise(point, rw, &[]);
            if !access.silent {
                reporter.report(rw, bounds, values);
            }
            which.join(point, rw, &[]);
        }
        (None, Some(align)) => {
            reporter.report(rw, what(Fault::Alignment, u32::try_from(align).unwrap_or(u32::MAX)), values);
        }
        _ => reporter.report(rw, bounds, values),
    }
    let zeros: Vec<Value> = types.iter().map(|ty| rw.f.constant(*ty, crate::ir::Constant::Bits(0))).collect();
    fork.join(point, rw, &zeros).first().copied()
}

/// Computes whether an access is within its object.
fn within(rw: &mut Rewriter<'_>, access: &Access, fat: Fat, checks: Checks) -> Value {
    let Fat { offset, size, .. } = fat;
    if !checks.contains(Checks::BOUNDS) && !access.silent {
        let zero = rw.iconst(Type::I64, 0);
        return rw.icmp(IntCC::Ne, size, zero);
    }
    if let Some(size) = rw.f.const_bits(size) {
        return match size.checked_sub(access.bytes) {
            Some(last) => {
                let last = rw.iconst(Type::I64, last);
                rw.icmp(IntCC::Ule, offset, last)
            }
            None => rw.iconst(Type::BOOL, 0),
        };
    }
    let last = rw.binary_const(BinaryOp::IAdd, offset, access.bytes - 1);
    let ends = rw.icmp(IntCC::Ult, last, size);
    if access.multiple >= access.bytes {
        // Such an offset below 0 ends below 0.
        return ends;
    }
    let begins = rw.icmp(IntCC::Ult, offset, size);
    rw.binary(BinaryOp::And, begins, ends)
}
