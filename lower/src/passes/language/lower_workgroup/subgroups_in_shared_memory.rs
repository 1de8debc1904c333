//! Subgroup emulation through shared memory, for devices whose sub-groups have ids and barriers only.
//!
//! Every Vulkan device has these in compute (VK_SUBGROUP_FEATURE_BASIC_BIT; Vulkan, VkPhysicalDeviceSubgroupProperties).
//! Each operation is a function of the module, inlined like any other.
//!
//! ```text
//! shuffle(v, i)        becomes        cell[own] = v; sub_group_barrier; r = cell[first + i]; sub_group_barrier
//! ```
//!
//! A member stores its value in its own cell, and reads others' cells behind a sub-group barrier.
//! A second barrier keeps the cells until all have read.
//!
//! Only some members may reach most of these functions (cl_khr_subgroup_ballot and the like).
//! The barrier waits for the active members.
//! Words of the sub-group say which members are active: the active members clear them, and each then sets its bit.
//!
//! Members on different paths of a branch share these words.
//! The words are therefore cleared and read in one block, without a branch between: SwiftShader interleaves the blocks of both paths.
//! A driver that switched paths at a barrier would corrupt the words; drivers that may do so have ballots.
//! Loops over members have the same number of iterations for each member, so nothing here makes members diverge.

use super::cells::{self, Body, target};
use super::part::{self, ballot_words};
use super::subgroup::{apply, identity};
use crate::ir::{
    AtomicOp, BinaryOp, Combine, Func, GlobalVar, InstKind, IntCC, MemFlags, Module, Scalar, Scope,
    Semantics, Span, Terminator, Type, Value, WorkItem,
};
use crate::target::Target;
use crate::transform::rewriter::Rewriter;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The kinds of functions that this pass adds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    /// The word of the member with an index.
    Take,
    /// The members whose word is not 0.
    Ballot,
    /// The combined values of active members, or of all members.
    Combine(Combine, Span, Taking),
}

/// The members whose values are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Taking {
    Part,
    All,
}

/// The functions and the memory that a module gets.
pub(super) struct Members<'a> {
    target: &'a Target,
    /// The maximum number of work-items in a work-group.
    max_items: u32,
    functions: FxHashMap<(Kind, Scalar), Func>,
    /// A cell for each work-item, of 32 and of 64 bits.
    memory: [Option<GlobalVar>; 2],
    bits: Option<Bits>,
}

/// Words for each sub-group, with a bit for each member.
#[derive(Clone, Copy)]
struct Bits {
    memory: GlobalVar,
    /// The number of words for each sub-group.
    words: u8,
}

impl<'a> Members<'a> {
    pub(super) fn new(target: &'a Target, max_items: u32) -> Self {
        Members { target, max_items, functions: FxHashMap::default(), memory: [None; 2], bits: None }
    }

    /// The word of the member with an index. The index may be any number.
    pub(super) fn take(
        &mut self,
        module: &mut Module,
        rw: &mut Rewriter<'_>,
        word: Value,
        index: Value,
    ) -> Value {
        let func = self.function(module, Kind::Take, Scalar::I32);
        call(rw, func, &[word, index], Type::I32)
    }

    /// A bit for each member whose word is not 0, as four words.
    pub(super) fn ballot(&mut self, module: &mut Module, rw: &mut Rewriter<'_>, word: Value) -> Value {
        let func = self.function(module, Kind::Ballot, Scalar::I32);
        call(rw, func, &[word], Type::Vector(Scalar::I32, 4))
    }

    /// Combines values of 32 or 64 bits. `cluster` is the size of a cluster.
    pub(super) fn combine(
        &mut self,
        module: &mut Module,
        rw: &mut Rewriter<'_>,
        (combine, span, taking): (Combine, Span, Taking),
        (value, scalar): (Value, Scalar),
        cluster: Option<Value>,
    ) -> Value {
        let func = self.function(module, Kind::Combine(combine, span, taking), scalar);
        let args: Vec<Value> = [value].into_iter().chain(cluster).collect();
        call(rw, func, &args, Type::Scalar(scalar))
    }

    fn function(&mut self, module: &mut Module, kind: Kind, scalar: Scalar) -> Func {
        if let Some(func) = self.functions.get(&(kind, scalar)) {
            return *func;
        }
        let memory = self.memory(module, scalar);
        let bits = self.bits(module);
        let ty = Type::Scalar(scalar);
        let (params, result): (&[Type], Type) = match kind {
            Kind::Take => (&[ty, Type::I32], ty),
            Kind::Ballot => (&[ty], Type::Vector(Scalar::I32, 4)),
            Kind::Combine(_, Span::Clustered, _) => (&[ty, Type::I32], ty),
            Kind::Combine(..) => (&[ty], ty),
        };
        let name = format!("sub_group.{kind:?}.{scalar}");
        let f = cells::function(&name, (params, result), (memory, scalar), |body, params| match kind {
            Kind::Take => body.take(params[0], params[1]),
            Kind::Ballot => body.ballot(bits, params[0]),
            Kind::Combine(combine, span, taking) => {
                let bits = (taking == Taking::Part).then_some(bits);
                body.combine_members(bits, (combine, span), params[0], params.get(1).copied())
            }
        });
        let func = module.functions.push(f);
        self.functions.insert((kind, scalar), func);
        func
    }

    fn memory(&mut self, module: &mut Module, scalar: Scalar) -> GlobalVar {
        let wide = scalar.bits() == 64;
        let cells = self.max_items.next_multiple_of(self.target.limits.subgroup_size.max(1));
        *self.memory[usize::from(wide)].get_or_insert_with(|| cells::memory(module, "sub_group", wide, cells))
    }

    fn bits(&mut self, module: &mut Module) -> Bits {
        let words = ballot_words(self.target);
        let groups = self.max_items.div_ceil(self.target.min_subgroup_size());
        *self.bits.get_or_insert_with(|| {
            let memory = cells::memory(module, "sub_group.bits", false, groups * u32::from(words));
            Bits { memory, words }
        })
    }
}

fn call(rw: &mut Rewriter<'_>, func: Func, args: &[Value], ty: Type) -> Value {
    rw.inst(InstKind::Call { func, args: args.to_vec(), pure: false }, ty)
}

/// The bodies of the functions.
impl Body<'_> {
    /// The index of the sub-group's first word or cell, with `each` of them for every sub-group.
    fn first(&mut self, each: Value) -> Value {
        let number = self.about(WorkItem::SubgroupId, 0);
        self.rw.binary(BinaryOp::IMul, number, each)
    }

    /// Stores the member's value in its own cell. Gives the index of the sub-group's first cell.
    fn store_own(&mut self, value: Value) -> Value {
        let size = self.about(WorkItem::SubgroupMaxSize, 0);
        let first = self.first(size);
        let lane = self.about(WorkItem::SubgroupLocalId, 0);
        let own = self.rw.add(first, lane);
        self.store(own, value);
        first
    }

    /// The value of the member with an index. Sizes are powers of two, so the masked index stays inside the memory.
    /// The value of a member that does not exist is undefined.
    fn take(&mut self, value: Value, index: Value) -> Value {
        let first = self.store_own(value);
        self.barrier(Scope::Subgroup);
        let (size, one) = (self.about(WorkItem::SubgroupMaxSize, 0), self.int(1));
        let mask = self.rw.binary(BinaryOp::ISub, size, one);
        let index = self.rw.binary(BinaryOp::And, index, mask);
        let at = self.rw.add(first, index);
        let theirs = self.load(at);
        self.barrier(Scope::Subgroup);
        theirs
    }

    fn ballot(&mut self, bits: Bits, word: Value) -> Value {
        let zero = self.int(0);
        let bit_is_set = self.rw.icmp(IntCC::Ne, word, zero);
        let mut words = self.collect_bits(bits, bit_is_set);
        words.resize(4, zero);
        self.rw.construct(&words, Type::Vector(Scalar::I32, 4))
    }

    /// The sub-group's words, with a bit for each active member whose `bit_is_set` holds.
    /// Its barriers also make the cells that were stored before visible.
    fn collect_bits(&mut self, bits: Bits, bit_is_set: Value) -> SmallVec<[Value; 4]> {
        let each = self.int(bits.words.into());
        let first = self.first(each);
        let (zero, one) = (self.int(0), self.int(1));
        for n in 0..bits.words {
            let n = self.int(n.into());
            let at = self.rw.add(first, n);
            self.atomic(bits, AtomicOp::Store, at, zero);
        }
        self.barrier(Scope::Subgroup);
        let lane = self.about(WorkItem::SubgroupLocalId, 0);
        let shift = self.rw.binary_const(BinaryOp::And, lane, 31);
        let bit = self.rw.inst(InstKind::Select(bit_is_set, one, zero), Type::I32);
        let bit = self.rw.binary(BinaryOp::Shl, bit, shift);
        let at = match bits.words {
            1 => first,
            _ => {
                let number = self.rw.binary_const(BinaryOp::LShr, lane, 5);
                self.rw.add(first, number)
            }
        };
        self.atomic(bits, AtomicOp::Or, at, bit);
        self.barrier(Scope::Subgroup);
        let words = (0..bits.words)
            .map(|n| {
                let n = self.int(n.into());
                let at = self.rw.add(first, n);
                let place = self.place_in(bits.memory, 4, at);
                self.rw.load(place, Type::I32, MemFlags { align: 4, volatile: false })
            })
            .collect();
        self.barrier(Scope::Subgroup);
        words
    }

    fn atomic(&mut self, bits: Bits, op: AtomicOp, at: Value, word: Value) {
        let place = self.place_in(bits.memory, 4, at);
        let operands = [word][..].into();
        let (scope, semantics) = (Scope::Workgroup, Semantics::empty());
        let kind = InstKind::Atomic { op, place, operands, scope, semantics };
        match op {
            AtomicOp::Store => self.rw.void(kind),
            _ => {
                self.rw.inst(kind, Type::I32);
            }
        }
    }

    /// Combines the values of members in order: of the active members, by the words, or of all.
    fn combine_members(
        &mut self,
        bits: Option<Bits>,
        (combine, span): (Combine, Span),
        value: Value,
        cluster: Option<Value>,
    ) -> Value {
        let ty = self.ty();
        let cells = self.store_own(value);
        let (zero, one) = (self.int(0), self.int(1));
        let active_words = match bits {
            None => {
                self.barrier(Scope::Subgroup);
                None
            }
            Some(bits) => {
                let bit_is_set = self.rw.iconst(Type::BOOL, 1);
                Some(self.collect_bits(bits, bit_is_set))
            }
        };
        let lane = self.about(WorkItem::SubgroupLocalId, 0);
        let members = self.about(WorkItem::SubgroupSize, 0);
        let nothing = self.rw.iconst(ty, identity(combine, self.scalar));
        let (head, body, after) = (self.rw.f.new_block(), self.rw.f.new_block(), self.rw.f.new_block());
        let member = self.rw.f.add_param(head, Type::I32);
        let sum = self.rw.f.add_param(head, ty);
        self.go(head, &[zero, nothing]);
        let more = self.rw.icmp(IntCC::Ult, member, members);
        let term = Terminator::CondBranch { cond: more, then: target(body, &[]), els: target(after, &[]) };
        self.end(term, body);
        let at = self.rw.add(cells, member);
        let theirs = self.load(at);
        let with = apply(&mut self.rw, combine, sum, theirs);
        let is_active = active_words.map(|words| part::has_bit(&mut self.rw, &words, member));
        let next =
            part::with_those_who_count(&mut self.rw, (span, cluster), (lane, member), is_active, [with, sum]);
        let member = self.rw.add(member, one);
        self.end(Terminator::Branch(target(head, &[member, next])), after);
        self.barrier(Scope::Subgroup);
        sum
    }
}
