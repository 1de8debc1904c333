//! Phis: the parameters of blocks, and what the branching blocks compute for them.

use super::Writer;
use super::function::Body;
use crate::error::LowerError;
use crate::ir::{Block, BranchTarget, Function, Terminator, Type, Value, ValueDef};
use smallvec::SmallVec;
use spirv_io::spirv::Op;
use spirv_io::{Id, Section};

impl Writer<'_> {
    pub(super) fn phis(&mut self, body: &mut Body<'_>, block: Block) -> Result<(), LowerError> {
        let params = &body.function.blocks[block].params;
        if params.is_empty() {
            return Ok(());
        }
        let predecessors = std::mem::take(&mut body.predecessors[block.0 as usize]);
        let mut words: SmallVec<[u32; 16]> = SmallVec::new();
        for (n, param) in params.iter().enumerate() {
            let ty = self.ty(body.function.ty(*param))?;
            let id = self.result_id(body, *param);
            if self.target.features.wgsl
                && let Some(name) = body.function.names.get(param)
            {
                // A person reads the WGSL.
                self.b.name(id, name);
            }
            words.clear();
            for edges in predecessors.chunk_by(|a, b| a.0 == b.0) {
                let from = &edges[0].0;
                let mut args = edges.iter().map(|e| e.1.args.get(n).copied());
                let first = args.next().flatten().ok_or_else(|| self.bug("a branch lacks arguments"))?;
                let value = if args.any(|a| a != Some(first)) {
                    self.join(body, *from, block, n)
                } else if self.crashes(body.function, block, *param, first) {
                    self.copy(body, *from, first)
                } else {
                    self.val(body, first)?
                };
                words.extend([value.0, self.label(body, *from).0]);
            }
            if words.is_empty() {
                // The block is unreachable and kept as a merge block.
                self.b.push_with_id(Section::Functions, Op::Undef, Some(ty), id, &[]);
            } else {
                self.b.push_with_id(Section::Functions, Op::Phi, Some(ty), id, &words);
            }
        }
        Ok(())
    }

    fn join(&mut self, body: &mut Body<'_>, from: Block, to: Block, n: usize) -> Id {
        let b = &mut self.b;
        *body.joins.entry((from, to, n)).or_insert_with(|| b.id())
    }

    /// Returns whether NVIDIA's compiler crashes on an operand of a phi: a bool that is another phi of the same block.
    fn crashes(&self, f: &Function, block: Block, param: Value, operand: Value) -> bool {
        let another =
            matches!(f.values[operand].def, ValueDef::Param(of, _) if of == block) && operand != param;
        self.target.quirks.phis_of_phis && another && f.ty(operand) == Type::BOOL
    }

    fn copy(&mut self, body: &mut Body<'_>, from: Block, value: Value) -> Id {
        let b = &mut self.b;
        *body.copies.entry((from, value)).or_insert_with(|| b.id())
    }

    /// Copies the operands on which the driver crashes, at the end of the block that branches.
    pub(super) fn copy_operands(
        &mut self,
        body: &mut Body<'_>,
        from: Block,
        term: &Terminator,
    ) -> Result<(), LowerError> {
        if !self.target.quirks.phis_of_phis {
            return Ok(());
        }
        let mut copied: SmallVec<[Value; 4]> = SmallVec::new();
        for target in term.targets() {
            let params = &body.function.blocks[target.block].params;
            for (param, arg) in params.iter().zip(&target.args) {
                if self.crashes(body.function, target.block, *param, *arg) && !copied.contains(arg) {
                    copied.push(*arg);
                }
            }
        }
        for value in copied {
            let (id, of) = (self.copy(body, from, value), self.val(body, value)?);
            let ty = self.ty(body.function.ty(value))?;
            self.b.push_with_id(Section::Functions, Op::CopyObject, Some(ty), id, &[of.0]);
        }
        Ok(())
    }

    /// Both successors are one block. From SPIR-V 1.6 on that is a plain branch, with the arguments selected before it.
    pub(super) fn joined_branch(
        &mut self,
        body: &mut Body<'_>,
        block: Block,
        cond: Value,
        then: &BranchTarget,
        els: &BranchTarget,
    ) -> Result<(), LowerError> {
        let cond = self.val(body, cond)?;
        for (n, (a, b)) in then.args.iter().zip(&els.args).enumerate() {
            if a == b {
                continue;
            }
            let ty = body.function.ty(*a);
            let (a, b) = (self.val(body, *a)?, self.val(body, *b)?);
            let cond = self.splat_condition(cond, ty)?;
            let ty = self.ty(ty)?;
            let id = self.join(body, block, then.block, n);
            self.b.push_with_id(Section::Functions, Op::Select, Some(ty), id, &[cond.0, a.0, b.0]);
        }
        Ok(())
    }
}
