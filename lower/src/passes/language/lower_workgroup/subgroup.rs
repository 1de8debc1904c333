//! Sub-group operations: each becomes operations that the target has.

use super::part::{self, ballot_words, bits_below};
use super::subgroups_in_shared_memory::{Members, Taking};
use crate::error::LowerError;
use crate::ir::{
    BinaryOp, Combine, ConvertOp, FloatCC, Function, GroupOp, Inst, InstKind, IntCC, Module, Scalar, Scope,
    Span, Type, UnaryOp, Value, WorkItem,
};
use crate::target::{SubgroupOperations, Target};
use crate::transform::rewriter::{Rewriter, replace_results};
use smallvec::SmallVec;

/// Rewrites all functions, for work-groups of at most `max_items` work-items.
///
/// # Errors
/// [`LowerError::Unsupported`] if a function has sub-group operations and the target has none.
pub(super) fn run(module: &mut Module, (target, max_items): (&Target, u32)) -> Result<(), LowerError> {
    let mut members = Members::new(target, max_items);
    for func in module.functions.keys().collect::<Vec<_>>() {
        if !super::has_subgroups(&module.functions[func]) {
            continue;
        }
        let mut f = std::mem::take(&mut module.functions[func]);
        let done = run_function(&mut f, module, &mut members, target);
        module.functions[func] = f;
        done?;
    }
    Ok(())
}

fn run_function<'t>(
    f: &mut Function,
    module: &mut Module,
    members: &mut Members<'t>,
    target: &'t Target,
) -> Result<(), LowerError> {
    if !target.has_subgroups() {
        return Err(LowerError::Unsupported {
            kernel: f.name.clone(),
            device: target.name.clone(),
            needs: "sub-groups (VK_SUBGROUP_FEATURE_BASIC_BIT in compute)".to_owned(),
        });
    }
    let is_group = |f: &Function, inst: Inst| matches!(f.insts[inst].kind, InstKind::Group { .. });
    replace_results(f, is_group, |rw, inst| {
        let InstKind::Group { op, args, .. } = rw.f.insts[inst].kind.clone() else { return None };
        let ty = rw.f.ty(*rw.f.insts[inst].results.first()?);
        Some(Lowering { rw, target, module, members }.operation(op, &args, ty))
    });
    Ok(())
}

/// The identity of an operation, as bits of the scalar.
pub(super) fn identity(combine: Combine, scalar: Scalar) -> u64 {
    let ones = u64::MAX >> (64 - scalar.bits());
    let float = |half: u64, single: f32, double: f64| match scalar {
        Scalar::F16 => half,
        Scalar::F32 => u64::from(single.to_bits()),
        _ => double.to_bits(),
    };
    match combine {
        Combine::IAdd | Combine::FAdd | Combine::Or | Combine::Xor | Combine::UMax => 0,
        Combine::IMul => 1,
        Combine::FMul => float(0x3C00, 1.0, 1.0),
        Combine::SMin => ones >> 1,
        Combine::SMax => (ones >> 1) + 1,
        Combine::UMin | Combine::And => ones,
        Combine::FMin => float(0x7C00, f32::INFINITY, f64::INFINITY),
        Combine::FMax => float(0xFC00, f32::NEG_INFINITY, f64::NEG_INFINITY),
    }
}

/// Combines two values.
pub(super) fn apply(rw: &mut Rewriter<'_>, combine: Combine, a: Value, b: Value) -> Value {
    let op = match combine {
        Combine::IAdd => BinaryOp::IAdd,
        Combine::FAdd => BinaryOp::FAdd,
        Combine::IMul => BinaryOp::IMul,
        Combine::FMul => BinaryOp::FMul,
        Combine::SMin => BinaryOp::SMin,
        Combine::UMin => BinaryOp::UMin,
        Combine::SMax => BinaryOp::SMax,
        Combine::UMax => BinaryOp::UMax,
        Combine::And => BinaryOp::And,
        Combine::Or => BinaryOp::Or,
        Combine::Xor => BinaryOp::Xor,
        Combine::FMin | Combine::FMax => {
            let ty = rw.f.ty(a);
            let cc = if combine == Combine::FMin { FloatCC::OLt } else { FloatCC::OGt };
            let other = rw.inst(InstKind::FCmp(cc, b, a), ty.with_scalar(Scalar::Bool));
            return rw.inst(InstKind::Select(other, b, a), ty);
        }
    };
    let ty = rw.f.ty(a);
    rw.inst(InstKind::Binary(op, a, b), ty)
}

/// The members whose values are combined.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whose {
    Active,
    /// All members.
    All,
    /// The members of a cluster of a constant size.
    Cluster(u64),
}

struct Lowering<'a, 'f, 't> {
    rw: &'a mut Rewriter<'f>,
    target: &'t Target,
    /// Operations through memory become functions of this module.
    module: &'a mut Module,
    members: &'a mut Members<'t>,
}

impl Lowering<'_, '_, '_> {
    fn has(&self, operations: SubgroupOperations) -> bool {
        self.target.subgroup_operations().contains(operations)
    }

    /// Emits an operation that the target has.
    fn native(&mut self, op: GroupOp, args: &[Value], ty: Type) -> Value {
        let args = Box::new(SmallVec::from_slice(args));
        self.rw.inst(InstKind::Group { op, scope: Scope::Subgroup, args }, ty)
    }

    fn about(&mut self, item: WorkItem) -> Value {
        self.rw.inst(InstKind::WorkItem(item, 0), Type::I32)
    }

    fn lane(&mut self) -> Value {
        self.about(WorkItem::SubgroupLocalId)
    }

    fn int(&mut self, bits: u64) -> Value {
        self.rw.iconst(Type::I32, bits)
    }

    fn operation(&mut self, op: GroupOp, args: &[Value], ty: Type) -> Value {
        match (op, args) {
            (GroupOp::All | GroupOp::Any, [one]) => self.vote(op, *one),
            (GroupOp::AllEqual, [value]) => self.all_equal(*value),
            (GroupOp::Broadcast, [value, index, ..]) => {
                let index = *index;
                self.words(*value, &mut |this, word| this.broadcast(word, index))
            }
            (GroupOp::BroadcastFirst, [value]) => self.broadcast_first(*value),
            (GroupOp::Ballot, [truth]) => self.ballot(*truth),
            (GroupOp::InverseBallot, [words]) => {
                let lane = self.lane();
                self.bit(*words, lane)
            }
            (GroupOp::BallotBit, [words, index]) => self.bit(*words, *index),
            (GroupOp::BallotCount(span), [words]) => self.count(*words, span),
            (GroupOp::BallotFirst, [words]) => self.first_bit(*words),
            (GroupOp::BallotLast, [words]) => self.last_bit(*words),
            (GroupOp::Combine(combine, span), [value, rest @ ..]) => {
                let size = rest.first().and_then(|c| self.rw.f.const_bits(*c));
                let whose = size.map_or(Whose::Active, Whose::Cluster);
                self.lane_by_lane(*value, ty, &mut |this, value| this.combine(combine, span, value, whose))
            }
            (GroupOp::Shuffle, [value, index]) => self.shuffle(*value, *index),
            (GroupOp::CombineAll(combine, span), [value]) => {
                let whose = Whose::All;
                self.lane_by_lane(*value, ty, &mut |this, value| this.combine(combine, span, value, whose))
            }
            (GroupOp::ShuffleXor, [value, mask]) if self.has(SubgroupOperations::SHUFFLE) => {
                let mask = *mask;
                self.words(*value, &mut |this, word| this.native(op, &[word, mask], Type::I32))
            }
            (GroupOp::ShuffleXor, [value, mask]) => {
                let lane = self.lane();
                let index = self.rw.binary(BinaryOp::Xor, lane, *mask);
                self.shuffle(*value, index)
            }
            (GroupOp::ShuffleUp | GroupOp::ShuffleDown, [value, delta]) => self.relative(op, *value, *delta),
            (GroupOp::Rotate, [value, delta, rest @ ..]) => {
                self.rotate(*value, *delta, rest.first().copied())
            }
            (GroupOp::Elect, []) if self.target.features.wgsl => self.elect_by_broadcast(),
            // Elections stay. Other numbers of operands do not get here (V-8).
            _ => self.native(op, args, ty),
        }
    }

    /// Applies `f` to each word of a value of any type.
    fn words(&mut self, value: Value, f: &mut dyn FnMut(&mut Self, Value) -> Value) -> Value {
        let ty = self.rw.f.ty(value);
        self.lane_by_lane(value, ty, &mut |this, value| this.scalar_words(value, f))
    }

    fn lane_by_lane(
        &mut self,
        value: Value,
        ty: Type,
        f: &mut dyn FnMut(&mut Self, Value) -> Value,
    ) -> Value {
        let mut lanes: SmallVec<[Value; 16]> = SmallVec::new();
        for lane in 0..ty.lanes() {
            let one = self.rw.extract(value, lane);
            lanes.push(f(self, one));
        }
        self.rw.construct(&lanes, ty)
    }

    fn scalar_words(&mut self, value: Value, f: &mut dyn FnMut(&mut Self, Value) -> Value) -> Value {
        let ty = self.rw.f.ty(value);
        let Type::Scalar(scalar) = ty else { return value };
        match scalar {
            Scalar::I32 => f(self, value),
            Scalar::F32 => {
                let word = self.rw.bitcast(value, Type::I32);
                let word = f(self, word);
                self.rw.bitcast(word, ty)
            }
            Scalar::I8 | Scalar::I16 => {
                let word = self.rw.convert(ConvertOp::ZExt, value, Type::I32);
                let word = f(self, word);
                self.rw.convert(ConvertOp::Trunc, word, ty)
            }
            Scalar::F16 => {
                let short = Type::Scalar(Scalar::I16);
                let bits = self.rw.bitcast(value, short);
                let word = self.rw.convert(ConvertOp::ZExt, bits, Type::I32);
                let word = f(self, word);
                let bits = self.rw.convert(ConvertOp::Trunc, word, short);
                self.rw.bitcast(bits, ty)
            }
            Scalar::Bool => {
                let word = self.word_of(value);
                let word = f(self, word);
                self.bool_of(word)
            }
            Scalar::I64 | Scalar::F64 => {
                let pair = Type::Vector(Scalar::I32, 2);
                let halves = self.rw.bitcast(value, pair);
                let (low, high) = (self.rw.extract(halves, 0), self.rw.extract(halves, 1));
                let parts = [f(self, low), f(self, high)];
                let halves = self.rw.construct(&parts, pair);
                self.rw.bitcast(halves, ty)
            }
        }
    }

    /// 1 or 0.
    fn word_of(&mut self, truth: Value) -> Value {
        let (one, zero) = (self.int(1), self.int(0));
        self.rw.inst(InstKind::Select(truth, one, zero), Type::I32)
    }

    fn bool_of(&mut self, word: Value) -> Value {
        let zero = self.int(0);
        self.rw.icmp(IntCC::Ne, word, zero)
    }

    /// A bit for each active member.
    fn ballot(&mut self, truth: Value) -> Value {
        if self.target.has_ballots() {
            return self.native(GroupOp::Ballot, &[truth], Type::Vector(Scalar::I32, 4));
        }
        let word = self.word_of(truth);
        self.members.ballot(self.module, self.rw, word)
    }

    /// Chooses the first active member, for WGSL, whose elections naga does not read.
    fn elect_by_broadcast(&mut self) -> Value {
        let lane = self.lane();
        let first = self.native(GroupOp::BroadcastFirst, &[lane], Type::I32);
        self.rw.icmp(IntCC::Eq, lane, first)
    }

    fn broadcast_first(&mut self, value: Value) -> Value {
        if self.target.has_ballots() {
            return self
                .words(value, &mut |this, word| this.native(GroupOp::BroadcastFirst, &[word], Type::I32));
        }
        let truth = self.rw.iconst(Type::BOOL, 1);
        let present = self.ballot(truth);
        let first = self.first_bit(present);
        self.shuffle(value, first)
    }

    /// Lowers votes to ballots if the target has no votes.
    fn vote(&mut self, op: GroupOp, truth: Value) -> Value {
        if self.has(SubgroupOperations::VOTE) {
            return self.native(op, &[truth], Type::BOOL);
        }
        let all = op == GroupOp::All;
        let asked = if all { self.rw.inst(InstKind::Unary(UnaryOp::Not, truth), Type::BOOL) } else { truth };
        let words = self.ballot(asked);
        let mut some = self.rw.extract(words, 0);
        for n in 1..4 {
            let word = self.rw.extract(words, n);
            some = self.rw.binary(BinaryOp::Or, some, word);
        }
        let zero = self.int(0);
        self.rw.icmp(if all { IntCC::Eq } else { IntCC::Ne }, some, zero)
    }

    /// Compares every member's value with the first member's.
    fn all_equal(&mut self, value: Value) -> Value {
        let ty = self.rw.f.ty(value);
        let first = self.operation(GroupOp::BroadcastFirst, &[value], ty);
        let mut same = self.rw.iconst(Type::BOOL, 1);
        for lane in 0..ty.lanes() {
            let (a, b) = (self.rw.extract(value, lane), self.rw.extract(first, lane));
            let equal = match ty.scalar() {
                Some(s) if s.is_float() => self.rw.inst(InstKind::FCmp(FloatCC::OEq, a, b), Type::BOOL),
                Some(Scalar::Bool) => {
                    let differ = self.rw.inst(InstKind::Binary(BinaryOp::Xor, a, b), Type::BOOL);
                    self.rw.inst(InstKind::Unary(UnaryOp::Not, differ), Type::BOOL)
                }
                _ => self.rw.icmp(IntCC::Eq, a, b),
            };
            same = if lane == 0 {
                equal
            } else {
                self.rw.inst(InstKind::Binary(BinaryOp::And, same, equal), Type::BOOL)
            };
        }
        self.vote(GroupOp::All, same)
    }

    /// The word of a member with a uniform index. Before SPIR-V 1.5 a broadcast's index is a constant.
    fn broadcast(&mut self, word: Value, index: Value) -> Value {
        let may = self.rw.f.const_bits(index).is_some() || self.target.spirv_version() >= (1, 5);
        if may && self.target.has_ballots() {
            self.native(GroupOp::Broadcast, &[word, index], Type::I32)
        } else {
            self.shuffle_word(word, index)
        }
    }

    fn shuffle(&mut self, value: Value, index: Value) -> Value {
        self.words(value, &mut |this, word| this.shuffle_word(word, index))
    }

    /// The word of any member. Without shuffles a loop over all members selects the one with the index.
    fn shuffle_word(&mut self, word: Value, index: Value) -> Value {
        if self.has(SubgroupOperations::SHUFFLE) {
            return self.native(GroupOp::Shuffle, &[word, index], Type::I32);
        }
        if !self.target.has_ballots() {
            return self.members.take(self.module, self.rw, word, index);
        }
        let mut chosen = word;
        for member in 0..self.target.limits.subgroup_size {
            let member = self.int(member.into());
            let theirs = self.native(GroupOp::Broadcast, &[word, member], Type::I32);
            let this = self.rw.icmp(IntCC::Eq, index, member);
            chosen = self.rw.inst(InstKind::Select(this, theirs, chosen), Type::I32);
        }
        chosen
    }

    fn relative(&mut self, op: GroupOp, value: Value, delta: Value) -> Value {
        if self.has(SubgroupOperations::SHUFFLE_RELATIVE) {
            return self.words(value, &mut |this, word| this.native(op, &[word, delta], Type::I32));
        }
        let lane = self.lane();
        let by = if op == GroupOp::ShuffleUp { BinaryOp::ISub } else { BinaryOp::IAdd };
        let index = self.rw.binary(by, lane, delta);
        self.shuffle(value, index)
    }

    /// Sizes of sub-groups and clusters are powers of two.
    fn rotate(&mut self, value: Value, delta: Value, cluster: Option<Value>) -> Value {
        let lane = self.lane();
        let size = match cluster {
            Some(size) => size,
            None => self.about(WorkItem::SubgroupMaxSize),
        };
        let one = self.int(1);
        let mask = self.rw.binary(BinaryOp::ISub, size, one);
        let moved = self.rw.add(lane, delta);
        let within = self.rw.binary(BinaryOp::And, moved, mask);
        let outside = self.rw.inst(InstKind::Unary(UnaryOp::Not, mask), Type::I32);
        let start = self.rw.binary(BinaryOp::And, lane, outside);
        let index = self.rw.binary(BinaryOp::Or, start, within);
        self.shuffle(value, index)
    }
}

/// Bits of ballots.
impl Lowering<'_, '_, '_> {
    /// Bit n of four words.
    fn bit(&mut self, words: Value, index: Value) -> Value {
        let words = [0, 1, 2, 3].map(|n| self.rw.extract(words, n));
        part::has_bit(self.rw, &words, index)
    }

    /// The words with the bits of existing members only.
    fn members(&mut self, words: Value, span: Span) -> SmallVec<[Value; 4]> {
        let end = match span {
            Span::Reduce | Span::Clustered => self.about(WorkItem::SubgroupMaxSize),
            Span::Exclusive => self.lane(),
            Span::Inclusive => {
                let lane = self.lane();
                let one = self.int(1);
                self.rw.add(lane, one)
            }
        };
        (0..ballot_words(self.target))
            .map(|n| {
                let mask = bits_below(self.rw, end, n);
                let word = self.rw.extract(words, n);
                self.rw.binary(BinaryOp::And, word, mask)
            })
            .collect()
    }

    fn count(&mut self, words: Value, span: Span) -> Value {
        let mut sum = self.int(0);
        for word in self.members(words, span) {
            let bits = self.rw.inst(InstKind::Unary(UnaryOp::BitCount, word), Type::I32);
            sum = self.rw.add(sum, bits);
        }
        sum
    }

    /// The index of the lowest set bit. If none is set, any number.
    fn first_bit(&mut self, words: Value) -> Value {
        let mut found = self.int(0);
        for (n, word) in self.members(words, Span::Reduce).into_iter().enumerate().rev() {
            // The number of bits below the lowest set bit.
            let less = self.rw.binary_const(BinaryOp::ISub, word, 1);
            let not = self.rw.inst(InstKind::Unary(UnaryOp::Not, word), Type::I32);
            let below = self.rw.binary(BinaryOp::And, less, not);
            let at = self.rw.inst(InstKind::Unary(UnaryOp::BitCount, below), Type::I32);
            found = self.found_in(n, word, at, found);
        }
        found
    }

    /// The index of the highest set bit.
    fn last_bit(&mut self, words: Value) -> Value {
        let mut found = self.int(0);
        for (n, word) in self.members(words, Span::Reduce).into_iter().enumerate() {
            let mirrored = self.rw.inst(InstKind::Unary(UnaryOp::BitReverse, word), Type::I32);
            let less = self.rw.binary_const(BinaryOp::ISub, mirrored, 1);
            let not = self.rw.inst(InstKind::Unary(UnaryOp::Not, mirrored), Type::I32);
            let above = self.rw.binary(BinaryOp::And, less, not);
            let zeros = self.rw.inst(InstKind::Unary(UnaryOp::BitCount, above), Type::I32);
            let last = self.int(31);
            let at = self.rw.binary(BinaryOp::ISub, last, zeros);
            found = self.found_in(n, word, at, found);
        }
        found
    }

    /// The index of a bit in word n if the word has one, else the index from the other words.
    fn found_in(&mut self, n: usize, word: Value, at: Value, others: Value) -> Value {
        let base = self.int(n as u64 * 32);
        let at = self.rw.add(at, base);
        let some = self.bool_of(word);
        self.rw.inst(InstKind::Select(some, at, others), Type::I32)
    }
}

/// Reductions and scans.
impl Lowering<'_, '_, '_> {
    fn combine(&mut self, combine: Combine, span: Span, value: Value, whose: Whose) -> Value {
        // A cluster of all members is a plain reduction. A cluster of one has its own value.
        let span = match (span, whose) {
            (Span::Clustered, Whose::Cluster(1)) => return value,
            (Span::Clustered, Whose::Cluster(n)) if n >= u64::from(self.target.limits.subgroup_size) => {
                Span::Reduce
            }
            _ => span,
        };
        let ty = self.rw.f.ty(value);
        let Type::Scalar(scalar) = ty else { return value };
        let wide = match (scalar, combine) {
            (Scalar::Bool, _) => {
                let word = self.word_of(value);
                let word = self.wide(combine, span, word, whose);
                return self.bool_of(word);
            }
            (Scalar::F16, _) => self.rw.convert(ConvertOp::FloatToFloat, value, Type::F32),
            (Scalar::I8 | Scalar::I16, Combine::SMin | Combine::SMax) => {
                self.rw.convert(ConvertOp::SExt, value, Type::I32)
            }
            (Scalar::I8 | Scalar::I16, _) => self.rw.convert(ConvertOp::ZExt, value, Type::I32),
            _ => return self.wide(combine, span, value, whose),
        };
        let mut wide = self.wide(combine, span, wide, whose);
        if scalar == Scalar::F16 {
            return self.rw.convert(ConvertOp::FloatToFloat, wide, ty);
        }
        // An exclusive scan's first member gets the narrow type's identity.
        if span == Span::Exclusive && matches!(combine, Combine::SMin | Combine::SMax) {
            let bits = scalar.bits();
            let least = identity(combine, scalar);
            let least = self.int(((least << (64 - bits)) as i64 >> (64 - bits)) as u64);
            wide = apply(self.rw, combine, wide, least);
        }
        self.rw.convert(ConvertOp::Trunc, wide, ty)
    }

    /// Returns whether a scan of all members becomes steps of shuffles.
    fn by_steps(&self, span: Span) -> bool {
        let scan = matches!(span, Span::Inclusive | Span::Exclusive);
        scan && self.target.quirks.slow_scans && self.has(SubgroupOperations::SHUFFLE_RELATIVE)
    }

    /// A scan of all members' values by steps (Hillis and Steele): in step n each member adds the value of the member 2^n before it.
    fn steps(&mut self, combine: Combine, span: Span, value: Value) -> Value {
        let ty = self.rw.f.ty(value);
        let Type::Scalar(scalar) = ty else { return value };
        let lane = self.lane();
        let before = |this: &mut Self, value: Value, step: u32| {
            let step = this.int(step.into());
            let other = this.relative(GroupOp::ShuffleUp, value, step);
            (other, this.rw.icmp(IntCC::Uge, lane, step))
        };
        let (mut sum, mut step) = (value, 1);
        while step < self.target.limits.subgroup_size {
            let (other, there) = before(self, sum, step);
            let with = apply(self.rw, combine, other, sum);
            sum = self.rw.inst(InstKind::Select(there, with, sum), ty);
            step *= 2;
        }
        if span == Span::Inclusive {
            return sum;
        }
        let (other, there) = before(self, sum, 1);
        let nothing = self.rw.iconst(ty, identity(combine, scalar));
        self.rw.inst(InstKind::Select(there, other, nothing), ty)
    }

    /// WGSL has scans of sums and products alone.
    fn lacks_scan(&self, combine: Combine, span: Span) -> bool {
        use Combine::{FAdd, FMul, IAdd, IMul};
        let scan = matches!(span, Span::Inclusive | Span::Exclusive);
        self.target.features.wgsl && scan && !matches!(combine, IAdd | FAdd | IMul | FMul)
    }

    /// Combines values of 32 and 64 bits.
    fn wide(&mut self, combine: Combine, span: Span, value: Value, whose: Whose) -> Value {
        if whose == Whose::All && self.by_steps(span) {
            return self.steps(combine, span, value);
        }
        let ty = self.rw.f.ty(value);
        let f = &self.target.features;
        // The feature of extended types does not imply 64-bit integers: SwiftShader has the former without the latter.
        let typed = ty != Type::I64 || f.shader_subgroup_extended_types && f.shader_int64;
        let needed = match span {
            Span::Clustered => SubgroupOperations::CLUSTERED,
            _ => SubgroupOperations::ARITHMETIC,
        };
        if !typed || !self.has(needed) || self.lacks_scan(combine, span) {
            return self.one_by_one(combine, span, value, whose);
        }
        let op = GroupOp::Combine(combine, span);
        match whose {
            Whose::Cluster(size) if span == Span::Clustered => {
                let size = self.int(size);
                self.native(op, &[value, size], ty)
            }
            _ => self.native(op, &[value], ty),
        }
    }

    /// Combines the values of active members one by one, in order.
    fn one_by_one(&mut self, combine: Combine, span: Span, value: Value, whose: Whose) -> Value {
        let ty = self.rw.f.ty(value);
        let Type::Scalar(scalar) = ty else { return value };
        let cluster = match whose {
            Whose::Cluster(size) if span == Span::Clustered => Some(self.int(size)),
            _ => None,
        };
        if !self.target.has_ballots() {
            let taking = if whose == Whose::All { Taking::All } else { Taking::Part };
            let how = (combine, span, taking);
            return self.members.combine(self.module, self.rw, how, (value, scalar), cluster);
        }
        let lane = self.lane();
        let truth = self.rw.iconst(Type::BOOL, 1);
        let present = self.ballot(truth);
        let mut sum = self.rw.iconst(ty, identity(combine, scalar));
        for n in 0..self.target.limits.subgroup_size {
            let member = self.int(n.into());
            let theirs = self
                .words(value, &mut |this, word| this.native(GroupOp::Broadcast, &[word, member], Type::I32));
            let there = self.bit(present, member);
            let with = apply(self.rw, combine, sum, theirs);
            sum = part::with_those_who_count(
                self.rw,
                (span, cluster),
                (lane, member),
                Some(there),
                [with, sum],
            );
        }
        sum
    }
}
