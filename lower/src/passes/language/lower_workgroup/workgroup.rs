//! Work-group functions: each operation and type becomes one function of the module, which is inlined like any other.
//!
//! With sub-groups, each sub-group reduces its own values and one member stores the result in `__local` memory.
//! Behind a barrier every work-item combines the results of the sub-groups before its own, or of all.
//! A barrier at the end keeps the memory until all have read it.
//!
//! Without sub-groups the work-items scan their values in `__local` memory in log n steps.

use super::cells::{self, Body, target};
use super::subgroup::{apply, identity};
use crate::error::LowerError;
use crate::ir::{
    BinaryOp, Combine, Func, Function, GlobalVar, GroupOp, Inst, InstKind, IntCC, Module, Scalar, Scope,
    Span, Terminator, Type, Value, WorkItem,
};
use crate::target::Target;
use crate::transform::rewriter::{Rewriter, replace_results};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The kinds of functions that this pass adds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Combine(Combine, Span),
    /// A broadcast from the work-item with this number of ids.
    Broadcast(usize),
}

/// The functions and the memory that the pass adds to a module.
struct Helpers<'a> {
    target: &'a Target,
    /// True if sub-groups' results are combined. Otherwise all values go through `__local` memory.
    by_subgroups: bool,
    /// The maximum number of work-items in a work-group.
    max_items: u32,
    functions: FxHashMap<(Kind, Scalar), Func>,
    added: Vec<Function>,
    first: u32,
    /// `__local` memory for values of 32 and of 64 bits.
    memory: [Option<GlobalVar>; 2],
}

/// Replaces operations of work-groups by calls. Work-groups have at most `max_items` work-items, in work-item loops or not.
///
/// # Errors
/// None: every target has a lowering.
pub(super) fn run(
    module: &mut Module,
    target: &Target,
    (in_loops, max_items): (bool, u32),
) -> Result<(), LowerError> {
    let mut helpers = Helpers {
        target,
        by_subgroups: target.has_ballots() && !in_loops,
        max_items,
        functions: FxHashMap::default(),
        added: Vec::new(),
        first: module.functions.len() as u32,
        memory: [None; 2],
    };
    for func in module.functions.keys().collect::<Vec<_>>() {
        let mut f = std::mem::take(&mut module.functions[func]);
        helpers.rewrite(module, &mut f);
        module.functions[func] = f;
    }
    for function in helpers.added {
        module.functions.push(function);
    }
    Ok(())
}

impl Helpers<'_> {
    fn rewrite(&mut self, module: &mut Module, f: &mut Function) {
        let is_work_groups = |f: &Function, inst: Inst| {
            matches!(f.insts[inst].kind, InstKind::Group { scope: Scope::Workgroup, .. })
        };
        replace_results(f, is_work_groups, |rw, inst| {
            let InstKind::Group { op, args, .. } = rw.f.insts[inst].kind.clone() else { return None };
            self.operation(module, rw, op, &args)
        });
    }

    /// Lowers one operation. The reader gives votes, reductions, scans and broadcasts only.
    fn operation(
        &mut self,
        module: &mut Module,
        rw: &mut Rewriter<'_>,
        op: GroupOp,
        args: &[Value],
    ) -> Option<Value> {
        let (value, ids) = args.split_first()?;
        let kind = match op {
            GroupOp::All => Kind::Combine(Combine::And, Span::Reduce),
            GroupOp::Any => Kind::Combine(Combine::Or, Span::Reduce),
            GroupOp::Combine(combine, span) | GroupOp::CombineAll(combine, span) => {
                Kind::Combine(combine, span)
            }
            _ => Kind::Broadcast(ids.len()),
        };
        let ty = rw.f.ty(*value);
        let mut lanes: SmallVec<[Value; 16]> = SmallVec::new();
        for lane in 0..ty.lanes() {
            let value = rw.extract(*value, lane);
            lanes.push(self.call(module, rw, kind, value, ids)?);
        }
        Some(rw.construct(&lanes, ty))
    }

    /// Emits a call with a scalar. Bools are passed as words.
    fn call(
        &mut self,
        module: &mut Module,
        rw: &mut Rewriter<'_>,
        kind: Kind,
        value: Value,
        ids: &[Value],
    ) -> Option<Value> {
        let is_bool = rw.f.ty(value) == Type::BOOL;
        let value = match is_bool {
            true => {
                let (one, zero) = (rw.iconst(Type::I32, 1), rw.iconst(Type::I32, 0));
                rw.inst(InstKind::Select(value, one, zero), Type::I32)
            }
            false => value,
        };
        let ty = rw.f.ty(value);
        let func = self.function(module, kind, ty.scalar()?);
        let args = [value].into_iter().chain(ids.iter().copied()).collect();
        let result = rw.inst(InstKind::Call { func, args, pure: false }, ty);
        let zero = rw.iconst(Type::I32, 0);
        Some(if is_bool { rw.icmp(IntCC::Ne, result, zero) } else { result })
    }

    fn function(&mut self, module: &mut Module, kind: Kind, scalar: Scalar) -> Func {
        if let Some(func) = self.functions.get(&(kind, scalar)) {
            return *func;
        }
        let memory = self.memory(module, scalar);
        let ty = Type::Scalar(scalar);
        let mut params = vec![ty];
        if let Kind::Broadcast(ids) = kind {
            params.resize(ids + 1, Type::I32);
        }
        let name = format!("work_group.{kind:?}.{scalar}");
        let f = cells::function(&name, (&params, ty), (memory, scalar), |body, params| match kind {
            Kind::Broadcast(_) => body.broadcast(params[0], &params[1..]),
            Kind::Combine(combine, span) if self.by_subgroups => body.by_subgroups(combine, span, params[0]),
            Kind::Combine(combine, span) => body.by_memory(combine, span, params[0]),
        });
        let func = Func(self.first + self.added.len() as u32);
        self.added.push(f);
        self.functions.insert((kind, scalar), func);
        func
    }

    /// A cell for each sub-group, or for each work-item.
    fn memory(&mut self, module: &mut Module, scalar: Scalar) -> GlobalVar {
        let wide = scalar.bits() == 64;
        if let Some(memory) = self.memory[usize::from(wide)] {
            return memory;
        }
        let cells = match self.by_subgroups {
            true => self.max_items.div_ceil(self.target.min_subgroup_size()),
            false => self.max_items,
        };
        let memory = cells::memory(module, "work_group", wide, cells);
        self.memory[usize::from(wide)] = Some(memory);
        memory
    }
}

/// The bodies of the functions.
impl Body<'_> {
    fn broadcast(&mut self, value: Value, ids: &[Value]) -> Value {
        let mut this = self.rw.iconst(Type::BOOL, 1);
        for (n, id) in ids.iter().enumerate() {
            let own = self.about(WorkItem::LocalId, n as u8);
            let same = self.rw.icmp(IntCC::Eq, own, *id);
            this = match n {
                0 => same,
                _ => self.rw.inst(InstKind::Binary(BinaryOp::And, this, same), Type::BOOL),
            };
        }
        let zero = self.int(0);
        self.store_if(this, zero, value);
        self.barrier(Scope::Workgroup);
        let value = self.load(zero);
        self.barrier(Scope::Workgroup);
        value
    }

    fn group(&mut self, combine: Combine, span: Span, value: Value) -> Value {
        let args = Box::new(SmallVec::from_slice(&[value]));
        let op = GroupOp::CombineAll(combine, span);
        let ty = self.ty();
        self.rw.inst(InstKind::Group { op, scope: Scope::Subgroup, args }, ty)
    }

    /// Combines the results of the sub-groups before this one, or of all. A scan's last member has its sub-group's result.
    fn by_subgroups(&mut self, combine: Combine, span: Span, value: Value) -> Value {
        let own = self.group(combine, span, value);
        let number = self.about(WorkItem::SubgroupId, 0);
        let lane = self.about(WorkItem::SubgroupLocalId, 0);
        let (zero, one) = (self.int(0), self.int(1));
        let all = match span {
            Span::Exclusive => apply(&mut self.rw, combine, own, value),
            _ => own,
        };
        let writer = match span {
            Span::Reduce => zero,
            _ => {
                let size = self.about(WorkItem::SubgroupSize, 0);
                self.rw.binary(BinaryOp::ISub, size, one)
            }
        };
        let is_writer = self.rw.icmp(IntCC::Eq, lane, writer);
        self.store_if(is_writer, number, all);
        self.barrier(Scope::Workgroup);
        let count = match span {
            Span::Reduce => self.about(WorkItem::NumSubgroups, 0),
            _ => number,
        };
        let others = self.sum(combine, count);
        self.barrier(Scope::Workgroup);
        match span {
            Span::Reduce => others,
            _ => apply(&mut self.rw, combine, others, own),
        }
    }

    /// Combines the first `count` cells.
    fn sum(&mut self, combine: Combine, count: Value) -> Value {
        let ty = self.ty();
        let nothing = self.rw.iconst(ty, identity(combine, self.scalar));
        let zero = self.int(0);
        let (head, body, after) = (self.rw.f.new_block(), self.rw.f.new_block(), self.rw.f.new_block());
        let index = self.rw.f.add_param(head, Type::I32);
        let sum = self.rw.f.add_param(head, ty);
        self.go(head, &[zero, nothing]);
        let more = self.rw.icmp(IntCC::Ult, index, count);
        let term = Terminator::CondBranch { cond: more, then: target(body, &[]), els: target(after, &[]) };
        self.end(term, body);
        let cell = self.load(index);
        let next = apply(&mut self.rw, combine, sum, cell);
        let one = self.int(1);
        let index = self.rw.add(index, one);
        self.end(Terminator::Branch(target(head, &[index, next])), after);
        sum
    }

    /// A scan in `__local` memory (Hillis and Steele): in step n each work-item adds the value of the one 2^n before it.
    fn by_memory(&mut self, combine: Combine, span: Span, value: Value) -> Value {
        let ty = self.ty();
        let id = self.about(WorkItem::LocalLinearId, 0);
        let mut count = self.about(WorkItem::LocalSize, 0);
        for dimension in 1..3 {
            let size = self.about(WorkItem::LocalSize, dimension);
            count = self.rw.binary(BinaryOp::IMul, count, size);
        }
        let (zero, one) = (self.int(0), self.int(1));
        self.store(id, value);
        self.barrier(Scope::Workgroup);
        let (head, body, after) = (self.rw.f.new_block(), self.rw.f.new_block(), self.rw.f.new_block());
        let distance = self.rw.f.add_param(head, Type::I32);
        let sum = self.rw.f.add_param(head, ty);
        self.go(head, &[one, value]);
        let more = self.rw.icmp(IntCC::Ult, distance, count);
        let term = Terminator::CondBranch { cond: more, then: target(body, &[]), els: target(after, &[]) };
        self.end(term, body);
        let there = self.rw.icmp(IntCC::Uge, id, distance);
        let before = self.rw.binary(BinaryOp::ISub, id, distance);
        let before = self.rw.inst(InstKind::Select(there, before, zero), Type::I32);
        let other = self.load(before);
        let both = apply(&mut self.rw, combine, other, sum);
        let next = self.rw.inst(InstKind::Select(there, both, sum), ty);
        self.barrier(Scope::Workgroup);
        self.store(id, next);
        self.barrier(Scope::Workgroup);
        let twice = self.rw.add(distance, distance);
        self.end(Terminator::Branch(target(head, &[twice, next])), after);
        let result = match span {
            Span::Inclusive | Span::Clustered => sum,
            Span::Reduce => {
                let last = self.rw.binary(BinaryOp::ISub, count, one);
                self.load(last)
            }
            Span::Exclusive => {
                let there = self.rw.icmp(IntCC::Ne, id, zero);
                let before = self.rw.binary(BinaryOp::ISub, id, one);
                let before = self.rw.inst(InstKind::Select(there, before, zero), Type::I32);
                let before = self.load(before);
                let nothing = self.rw.iconst(ty, identity(combine, self.scalar));
                self.rw.inst(InstKind::Select(there, before, nothing), ty)
            }
        };
        self.barrier(Scope::Workgroup);
        result
    }
}
