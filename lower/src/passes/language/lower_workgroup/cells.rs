//! Functions that exchange values through cells of `__local` memory, shared by work-group and sub-group lowering.

use crate::ir::{
    Block, BranchTarget, ConvertOp, Function, GlobalVar, GlobalVarData, InstKind, MemFlags, Module, Place,
    Root, Scalar, Scope, Semantics, Space, Terminator, Type, Value, WorkItem,
};
use crate::transform::rewriter::Rewriter;
use smallvec::SmallVec;

/// A `__local` variable of `cells` values of 32 or 64 bits.
pub(super) fn memory(module: &mut Module, name: &str, wide: bool, cells: u32) -> GlobalVar {
    let bytes = if wide { 8 } else { 4 };
    module.globals.push(GlobalVarData {
        name: format!("{name}.{}", bytes * 8),
        space: Space::Local,
        size: u64::from(cells.max(1)) * u64::from(bytes),
        align: bytes,
        init: None,
    })
}

/// Builds a function, which is inlined like any other. `write` takes its parameters and gives its result.
pub(super) fn function(
    name: &str,
    (params, result): (&[Type], Type),
    (memory, scalar): (GlobalVar, Scalar),
    write: impl FnOnce(&mut Body<'_>, &[Value]) -> Value,
) -> Function {
    let mut f = Function::new(name, params, &[result]);
    f.inline_hint = Some(true);
    let params: SmallVec<[Value; 4]> = SmallVec::from_slice(f.params());
    let at = f.entry();
    let mut body = Body { rw: Rewriter::new(&mut f), at, memory, scalar };
    let result = write(&mut body, &params);
    let end = body.at;
    body.rw.finish_block(end);
    body.rw.f.blocks[end].term = Terminator::Return(SmallVec::from_slice(&[result]));
    f
}

/// A function under construction.
pub(super) struct Body<'f> {
    pub(super) rw: Rewriter<'f>,
    pub(super) at: Block,
    /// The variable with the cells.
    pub(super) memory: GlobalVar,
    /// The scalar type of the values.
    pub(super) scalar: Scalar,
}

impl Body<'_> {
    pub(super) fn ty(&self) -> Type {
        Type::Scalar(self.scalar)
    }

    /// The type of a cell and its size: an integer of 32 or 64 bits.
    fn cell(&self) -> (Type, u32) {
        if self.scalar.bits() == 64 { (Type::I64, 8) } else { (Type::I32, 4) }
    }

    fn place(&mut self, index: Value) -> (Place, MemFlags) {
        let bytes = self.cell().1;
        (self.place_in(self.memory, bytes, index), MemFlags { align: bytes, volatile: false })
    }

    /// An element of a variable.
    pub(super) fn place_in(&mut self, memory: GlobalVar, bytes: u32, index: Value) -> Place {
        let pointer = Type::Ptr(Space::Local);
        let base = self.rw.inst(InstKind::RootAddr(Root::Global(memory)), pointer);
        Place::Pointer(self.rw.inst(InstKind::PtrAdd { base, index, scale: bytes.into() }, pointer))
    }

    pub(super) fn store(&mut self, index: Value, value: Value) {
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

    pub(super) fn load(&mut self, index: Value) -> Value {
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

    /// A barrier that makes the members' stores visible to the whole group.
    pub(super) fn barrier(&mut self, group: Scope) {
        let semantics = Semantics::ACQUIRE | Semantics::RELEASE | Semantics::LOCAL;
        self.rw.void(InstKind::Barrier { execution: group, memory: group, semantics });
    }

    pub(super) fn about(&mut self, item: WorkItem, dimension: u8) -> Value {
        self.rw.inst(InstKind::WorkItem(item, dimension), Type::I32)
    }

    pub(super) fn int(&mut self, n: u64) -> Value {
        self.rw.iconst(Type::I32, n)
    }

    /// Ends the block with a branch to another, which becomes the current block.
    pub(super) fn go(&mut self, to: Block, args: &[Value]) {
        self.end(Terminator::Branch(target(to, args)), to);
    }

    pub(super) fn end(&mut self, term: Terminator, next: Block) {
        self.rw.finish_block(self.at);
        self.rw.f.blocks[self.at].term = term;
        self.at = next;
    }

    /// Stores a value if a condition holds.
    pub(super) fn store_if(&mut self, condition: Value, index: Value, value: Value) {
        let (then, after) = (self.rw.f.new_block(), self.rw.f.new_block());
        let term =
            Terminator::CondBranch { cond: condition, then: target(then, &[]), els: target(after, &[]) };
        self.end(term, then);
        self.store(index, value);
        self.go(after, &[]);
    }
}

/// A branch to a block with arguments.
pub(super) fn target(block: Block, args: &[Value]) -> BranchTarget {
    BranchTarget { block, args: SmallVec::from_slice(args) }
}
