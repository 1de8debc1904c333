//! Work-group functions: each becomes a function of the module, one for each operation and type, which is inlined like any other.
//!
//! Where the Target has sub-groups, each of them reduces its own values and one member leaves the result in `__local` memory;
//! behind a barrier everyone combines the results of the sub-groups that come before, or of all. The barrier at the end keeps the
//! memory for the next function. Without sub-groups the work-items scan their values there in log n steps.

use super::subgroup::{apply, identity};
use crate::error::LowerError;
use crate::ir::{
    BinaryOp, Block, BranchTarget, Combine, ConvertOp, Func, Function, GlobalVar, GlobalVarData, GroupOp,
    InstKind, IntCC, MemFlags, Module, Place, Root, Scalar, Scope, Semantics, Space, Span, Terminator, Type,
    Value, WorkItem,
};
use crate::passes::rewrite::Rewriter;
use crate::passes::{PassContext, pieces};
use crate::target::Target;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// What a function of this pass does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Combine(Combine, Span),
    /// With so many numbers for the work-item.
    Broadcast(usize),
}

/// The functions and the memory that the pass adds to a module.
struct Helpers<'a> {
    target: &'a Target,
    /// Sub-groups' results are combined; else all goes through `__local` memory.
    by_subgroups: bool,
    /// Work-groups may be larger than the device's.
    in_pieces: bool,
    functions: FxHashMap<(Kind, Scalar), Func>,
    added: Vec<Function>,
    first: u32,
    /// `__local` memory for values of 32 and of 64 bits.
    memory: [Option<GlobalVar>; 2],
}

/// Replaces operations of work-groups by calls.
///
/// # Errors
/// None yet: there is a form for every Target.
pub(super) fn run(module: &mut Module, cx: &PassContext<'_>) -> Result<(), LowerError> {
    let in_pieces = pieces::launched(module, cx).is_some();
    let mut helpers = Helpers {
        target: cx.target,
        by_subgroups: cx.target.has_subgroups() && !in_pieces,
        in_pieces,
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
        let work_group = |kind: &InstKind| matches!(kind, InstKind::Group { scope: Scope::Workgroup, .. });
        if !super::any(f, work_group) {
            return;
        }
        let mut map = FxHashMap::default();
        for block in f.layout.clone() {
            let insts = std::mem::take(&mut f.blocks[block].insts);
            let mut rw = Rewriter::new(f);
            for inst in insts {
                rw.at(inst);
                let InstKind::Group { op, scope: Scope::Workgroup, args } = &rw.f.insts[inst].kind else {
                    rw.keep(inst);
                    continue;
                };
                let (op, args) = (*op, args.clone());
                let new = self.operation(module, &mut rw, op, &args);
                if let (Some(old), Some(new)) = (rw.f.insts[inst].results.first().copied(), new) {
                    map.insert(old, new);
                }
            }
            rw.finish_block(block);
        }
        f.replace_uses(&map);
    }

    /// The reader gives votes, reductions, scans and broadcasts alone.
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

    /// A call with a scalar; truths are words.
    fn call(
        &mut self,
        module: &mut Module,
        rw: &mut Rewriter<'_>,
        kind: Kind,
        value: Value,
        ids: &[Value],
    ) -> Option<Value> {
        let truth = rw.f.ty(value) == Type::BOOL;
        let value = match truth {
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
        Some(if truth { rw.icmp(IntCC::Ne, result, zero) } else { result })
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
        let mut f = Function::new(&format!("work_group.{kind:?}.{scalar}"), &params, &[ty]);
        f.inline_hint = Some(true);
        let params: SmallVec<[Value; 4]> = SmallVec::from_slice(f.params());
        let at = f.entry();
        let mut body = Body { rw: Rewriter::new(&mut f), at, memory, scalar };
        let result = match kind {
            Kind::Broadcast(_) => body.broadcast(params[0], &params[1..]),
            Kind::Combine(combine, span) if self.by_subgroups => body.by_subgroups(combine, span, params[0]),
            Kind::Combine(combine, span) => body.by_memory(combine, span, params[0]),
        };
        let end = body.at;
        body.rw.finish_block(end);
        body.rw.f.blocks[end].term = Terminator::Return(SmallVec::from_slice(&[result]));
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
        let limits = &self.target.limits;
        let mut most = limits.max_compute_work_group_invocations;
        if self.in_pieces {
            most = most.max(pieces::LARGEST);
        }
        let cells = match self.by_subgroups {
            true => most.div_ceil(self.target.least_subgroup_size()),
            false => most,
        };
        let bytes = if wide { 8 } else { 4 };
        let memory = module.globals.push(GlobalVarData {
            name: format!("work_group.{}", bytes * 8),
            space: Space::Local,
            size: u64::from(cells.max(1)) * u64::from(bytes),
            align: bytes,
            init: None,
        });
        self.memory[usize::from(wide)] = Some(memory);
        memory
    }
}

/// A function that is being written.
struct Body<'f> {
    rw: Rewriter<'f>,
    at: Block,
    memory: GlobalVar,
    scalar: Scalar,
}

impl Body<'_> {
    fn ty(&self) -> Type {
        Type::Scalar(self.scalar)
    }

    /// What memory holds: integers of 32 or 64 bits.
    fn cell(&self) -> (Type, u32) {
        if self.scalar.bits() == 64 { (Type::I64, 8) } else { (Type::I32, 4) }
    }

    fn place(&mut self, index: Value) -> (Place, MemFlags) {
        let bytes = self.cell().1;
        let pointer = Type::Ptr(Space::Local);
        let base = self.rw.inst(InstKind::RootAddr(Root::Global(self.memory)), pointer);
        let at = self.rw.inst(InstKind::PtrAdd { base, index, scale: bytes.into() }, pointer);
        (Place::Pointer(at), MemFlags { align: bytes, volatile: false })
    }

    fn store(&mut self, index: Value, value: Value) {
        let cell = self.cell().0;
        let short = Type::Scalar(Scalar::I16);
        let value = match self.scalar {
            Scalar::F16 => {
                let bits = self.rw.bitcast(value, short);
                self.rw.convert(ConvertOp::ZExt, bits, cell)
            }
            Scalar::I8 | Scalar::I16 => self.rw.convert(ConvertOp::ZExt, value, cell),
            _ => self.rw.bitcast(value, cell),
        };
        let (place, flags) = self.place(index);
        self.rw.store(place, value, flags);
    }

    fn load(&mut self, index: Value) -> Value {
        let (cell, ty) = (self.cell().0, self.ty());
        let short = Type::Scalar(Scalar::I16);
        let (place, flags) = self.place(index);
        let value = self.rw.load(place, cell, flags);
        match self.scalar {
            Scalar::F16 => {
                let bits = self.rw.convert(ConvertOp::Trunc, value, short);
                self.rw.bitcast(bits, ty)
            }
            Scalar::I8 | Scalar::I16 => self.rw.convert(ConvertOp::Trunc, value, ty),
            _ => self.rw.bitcast(value, ty),
        }
    }

    fn barrier(&mut self) {
        let semantics = Semantics::ACQUIRE | Semantics::RELEASE | Semantics::LOCAL;
        let (execution, memory) = (Scope::Workgroup, Scope::Workgroup);
        self.rw.void(InstKind::Barrier { execution, memory, semantics });
    }

    fn about(&mut self, item: WorkItem, dimension: u8) -> Value {
        self.rw.inst(InstKind::WorkItem(item, dimension), Type::I32)
    }

    fn int(&mut self, n: u64) -> Value {
        self.rw.iconst(Type::I32, n)
    }

    /// The block ends with a branch to another, which is the one to go on with.
    fn go(&mut self, to: Block, args: &[Value]) {
        self.end(Terminator::Branch(target(to, args)), to);
    }

    fn end(&mut self, term: Terminator, next: Block) {
        self.rw.finish_block(self.at);
        self.rw.f.blocks[self.at].term = term;
        self.at = next;
    }

    /// Stores a value where a condition holds.
    fn store_if(&mut self, condition: Value, index: Value, value: Value) {
        let (then, after) = (self.rw.f.new_block(), self.rw.f.new_block());
        let term =
            Terminator::CondBranch { cond: condition, then: target(then, &[]), els: target(after, &[]) };
        self.end(term, then);
        self.store(index, value);
        self.go(after, &[]);
    }

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
        self.barrier();
        let value = self.load(zero);
        self.barrier();
        value
    }

    fn group(&mut self, combine: Combine, span: Span, value: Value) -> Value {
        let args = Box::new(SmallVec::from_slice(&[value]));
        let op = GroupOp::CombineAll(combine, span);
        let ty = self.ty();
        self.rw.inst(InstKind::Group { op, scope: Scope::Subgroup, args }, ty)
    }

    /// Sub-groups' results, and those of the sub-groups before this one, or of all. A scan's last member knows its sub-group's result.
    fn by_subgroups(&mut self, combine: Combine, span: Span, value: Value) -> Value {
        let own = self.group(combine, span, value);
        let number = self.about(WorkItem::SubgroupId, 0);
        let lane = self.about(WorkItem::SubgroupLocalId, 0);
        let (zero, one) = (self.int(0), self.int(1));
        let all = match span {
            Span::Exclusive => apply(&mut self.rw, combine, own, value),
            _ => own,
        };
        let teller = match span {
            Span::Reduce => zero,
            _ => {
                let size = self.about(WorkItem::SubgroupSize, 0);
                self.rw.binary(BinaryOp::ISub, size, one)
            }
        };
        let tells = self.rw.icmp(IntCC::Eq, lane, teller);
        self.store_if(tells, number, all);
        self.barrier();
        let count = match span {
            Span::Reduce => self.about(WorkItem::NumSubgroups, 0),
            _ => number,
        };
        let others = self.sum(combine, count);
        self.barrier();
        match span {
            Span::Reduce => others,
            _ => apply(&mut self.rw, combine, others, own),
        }
    }

    /// The first so many cells combined.
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

    /// A scan in `__local` memory: in step n each work-item adds what the one 2^n before it has.
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
        self.barrier();
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
        self.barrier();
        self.store(id, next);
        self.barrier();
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
        self.barrier();
        result
    }
}

fn target(block: Block, args: &[Value]) -> BranchTarget {
    BranchTarget { block, args: SmallVec::from_slice(args) }
}
