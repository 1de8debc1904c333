//! Blocks (OpenCL C §6.14): calls of them, and the instructions that enqueue them.
//!
//! Which block a call means is known when the program is built, but a function may be called with several for one
//! parameter: it becomes a function for each choice of them ([`Instance`]).

use super::error::Emit;
use super::function::FunctionEmitter;
use super::module::Instance;
use super::module::Module;
use crate::builtins::Builtin;
use crate::hir::{BlockTarget, Expr, ExprKind, Function, FunctionId};
use crate::types::Type;
use spirv_io::Id;
use spirv_io::spirv::{Capability, Op};

/// Functions that take blocks become this many functions at most, all together.
const MAX_INSTANCES: usize = 1024;

impl Module<'_> {
    /// Returns whether a parameter of the function is a block.
    pub fn takes_blocks(&self, f: &Function) -> bool {
        let is_block = |ty| matches!(self.program.types.get(ty), Type::Block(_));
        f.locals.iter().take(f.param_count).any(|p| is_block(p.ty.ty))
    }
}

impl<'a> FunctionEmitter<'_, 'a> {
    /// The block that an expression is.
    fn target(&mut self, block: &Expr) -> Emit<FunctionId> {
        let ExprKind::Block { target, .. } = block.kind else {
            return self.m.bug("a block that is not known");
        };
        let param = match target {
            BlockTarget::Function(id) => return Ok(id),
            BlockTarget::Parameter(param) => param.0 as usize,
        };
        let types = &self.m.program.types;
        let is_block = |ty| matches!(types.get(ty), Type::Block(_));
        let before = self.f.locals.iter().take(param).filter(|p| is_block(p.ty.ty)).count();
        match self.instance.blocks.get(before) {
            Some(id) => Ok(*id),
            None => self.m.bug("a block parameter without a block"),
        }
    }

    /// Returns what a call with these arguments calls.
    pub fn callee(&mut self, function: FunctionId, args: &[Expr]) -> Emit<Id> {
        let Some(id) = self.m.functions.get(function.0 as usize).copied() else {
            return self.m.bug("a function out of range");
        };
        let mut blocks = Vec::new();
        for arg in args {
            if matches!(self.m.program.types.get(arg.ty.ty), Type::Block(_)) {
                blocks.push(self.target(arg)?);
            }
        }
        if blocks.is_empty() {
            return Ok(id);
        }
        let same = |(f, instance): &&(FunctionId, Instance)| *f == function && instance.blocks == blocks;
        if let Some((_, instance)) = self.m.instances.iter().find(same) {
            return Ok(instance.id);
        }
        if self.m.instances.len() >= MAX_INSTANCES {
            return self.m.fail("too-many-blocks", "functions are called with too many choices of blocks");
        }
        let id = self.m.b.id();
        self.m.instances.push((function, Instance { id, blocks }));
        Ok(id)
    }

    /// `block(arguments)`
    pub fn call_block(&mut self, block: &'a Expr, args: &'a [Expr], expr: &Expr) -> Emit<Id> {
        let target = self.target(block)?;
        let captures = self.rvalue(block)?;
        self.call(target, Some(captures), args, expr)
    }

    /// `enqueue_kernel` and the queries: the block among the operands is its function, what it captured, and the size
    /// and alignment of that.
    pub fn function_of_block(&mut self, op: Op, builtin: &'a Builtin, args: &'a [Expr]) -> Emit<Id> {
        self.m.b.capability(Capability::DeviceEnqueue);
        let mut operands = Vec::with_capacity(args.len() + 6);
        for (index, arg) in args.iter().enumerate() {
            let value = self.rvalue(arg)?;
            if !matches!(self.m.program.types.get(arg.ty.ty), Type::Block(_)) {
                operands.push(value.0);
                continue;
            }
            if op == Op::EnqueueKernel && index == 3 {
                self.no_events(&mut operands)?;
            }
            let target = self.target(arg)?;
            let (size, align) = self.size_of_captures(target)?;
            let function = self.m.functions[target.0 as usize];
            let [size, align] = [size, align].map(|n| self.m.word(n).0);
            operands.extend([function.0, value.0, size, align]);
            // What the block uses is listed with the kernel that enqueues it.
            self.m.uses[self.id.0 as usize].calls.push(target);
        }
        let ty = self.m.value_type(builtin.ret)?;
        Ok(self.op(op, ty, &operands))
    }

    /// The operands of an enqueue that waits for nothing and tells nobody.
    fn no_events(&mut self, operands: &mut Vec<u32>) -> Emit<()> {
        let event = self.m.opaque_type(crate::types::Opaque::ClkEvent);
        let pointer = self.m.pointer_to(crate::types::AddressSpace::Generic, event);
        let (none, null) = (self.m.word(0), self.m.null(pointer));
        operands.extend([none.0, null.0, null.0]);
        Ok(())
    }

    fn size_of_captures(&mut self, block: FunctionId) -> Emit<(u32, u32)> {
        let function = self.m.program.functions.get(block.0 as usize);
        let Some(captures) = function.and_then(|f| f.captures) else { return Ok((0, 1)) };
        let (size, align) = (self.m.size_of(captures)?, self.m.align_of(captures)?);
        match u32::try_from(size) {
            Ok(size) => Ok((size, align)),
            Err(_) => self.m.fail("object-too-large", "the block captures too much"),
        }
    }
}
