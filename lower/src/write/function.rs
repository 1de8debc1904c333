//! Functions and blocks: parameters become phis, merges and terminators follow.

use super::elements::Elements;
use super::roots::Access;
use super::usage::KernelUse;
use super::{KernelState, Writer};
use crate::error::LowerError;
use crate::ir::{
    Block, BranchTarget, Constant, Func, Function, Merge, Scalar, Slot, SourceLine, Terminator, Type, Value,
    ValueData, ValueDef,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use spirv_io::spirv::{Op, StorageClass};
use spirv_io::{Id, Section};
use std::collections::BTreeMap;

/// A function being written.
pub(super) struct Body<'m> {
    pub func: Func,
    pub function: &'m Function,
    /// Ids of values, handed out at the first use or at the definition, whichever comes first.
    values: Vec<Option<Id>>,
    labels: Vec<Option<Id>>,
    /// Its private variables.
    pub slots: BTreeMap<Slot, Access>,
    /// For a branch whose two successors are one block: the value of the block's nth parameter, selected in the branching block.
    pub(super) joins: FxHashMap<(Block, Block, usize), Id>,
    /// Copies of bools at the end of a block, for drivers with [`phis_of_phis`](crate::quirks::Quirks::phis_of_phis).
    pub(super) copies: FxHashMap<(Block, Value), Id>,
    /// The predecessors of each block with parameters, and of the entry, with their branches. Those from one block are adjacent.
    pub(super) predecessors: Vec<SmallVec<[(Block, &'m BranchTarget); 2]>>,
    /// How its accesses at addresses are written.
    pub elements: Elements,
    /// The line that was written last in the block.
    pub line: SourceLine,
}

impl<'m> Body<'m> {
    fn new(func: Func, function: &'m Function) -> Self {
        let mut predecessors: Vec<SmallVec<_>> = Vec::new();
        predecessors.resize_with(function.blocks.len(), SmallVec::new);
        for block in &function.layout {
            for target in function.blocks[*block].term.targets() {
                if !target.args.is_empty() || target.block == function.entry() {
                    predecessors[target.block.0 as usize].push((*block, target));
                }
            }
        }
        Body {
            func,
            function,
            values: vec![None; function.values.len()],
            labels: vec![None; function.blocks.len()],
            slots: BTreeMap::new(),
            joins: FxHashMap::default(),
            copies: FxHashMap::default(),
            predecessors,
            elements: Elements::default(),
            line: SourceLine::default(),
        }
    }
}

impl<'m> Writer<'m> {
    /// An instruction without a result in the current block.
    pub(super) fn code(&mut self, op: Op, operands: &[u32]) {
        self.b.push(Section::Functions, op, operands);
    }

    /// An instruction with a fresh result in the current block.
    pub(super) fn code_result(&mut self, op: Op, ty: Id, operands: &[u32]) -> Id {
        self.b.push_result(Section::Functions, op, Some(ty), operands)
    }

    /// The id of a value that is used.
    pub(super) fn val(&mut self, body: &mut Body<'_>, value: Value) -> Result<Id, LowerError> {
        let Some(data) = body.function.values.get(value) else { return Err(self.bug("an unknown value")) };
        match data.def {
            ValueDef::Const(constant) => match body.values.get(value.0 as usize).copied().flatten() {
                Some(id) => Ok(id),
                None => {
                    let id = self.constant(data.ty, constant)?;
                    body.values[value.0 as usize] = Some(id);
                    Ok(id)
                }
            },
            _ => Ok(self.result_id(body, value)),
        }
    }

    /// The id of a value that is made.
    pub(super) fn result_id(&mut self, body: &mut Body<'_>, value: Value) -> Id {
        match body.values[value.0 as usize] {
            Some(id) => id,
            None => {
                let id = self.b.id();
                body.values[value.0 as usize] = Some(id);
                id
            }
        }
    }

    /// The id of a value as an operand of an atomic or an operation of sub-groups. naga, which writes the WGSL, reads none there that is defined
    /// in another block; a copy is defined in this one.
    pub(super) fn val_here(&mut self, body: &mut Body<'_>, value: Value) -> Result<Id, LowerError> {
        let id = self.val(body, value)?;
        if !self.target.features.wgsl || body.function.const_bits(value).is_some() {
            return Ok(id);
        }
        let ty = self.ty(body.function.ty(value))?;
        Ok(self.code_result(Op::CopyObject, ty, &[id.0]))
    }

    /// Says that a value is what `id` already holds.
    pub(super) fn define(&mut self, body: &mut Body<'_>, value: Value, id: Id) -> Result<(), LowerError> {
        match body.values[value.0 as usize] {
            None => body.values[value.0 as usize] = Some(id),
            Some(known) => {
                let ty = self.ty(body.function.ty(value))?;
                self.b.push_with_id(Section::Functions, Op::CopyObject, Some(ty), known, &[id.0]);
            }
        }
        Ok(())
    }

    pub(super) fn label(&mut self, body: &mut Body<'_>, block: Block) -> Id {
        match body.labels[block.0 as usize] {
            Some(id) => id,
            None => {
                let id = self.b.id();
                body.labels[block.0 as usize] = Some(id);
                id
            }
        }
    }

    /// Writes a function under the id that was handed out for it.
    pub(super) fn function(
        &mut self,
        func: Func,
        used: &KernelUse,
        state: &mut KernelState,
    ) -> Result<(), LowerError> {
        let module = self.module;
        let function = &module.functions[func];
        if function.layout.is_empty() {
            return Err(self.bug(format_args!("function '{}' has no body", function.name)));
        }
        let mut body = Body::new(func, function);
        let result = self.results_type(&function.returns)?;
        let mut signature = vec![result.0];
        for param in function.params() {
            signature.push(self.ty(function.ty(*param))?.0);
        }
        let signature_type = self.b.unique(Op::TypeFunction, None, &signature);
        let Some(id) = state.functions.get(&func).copied() else {
            return Err(self.bug("an undeclared function"));
        };
        self.b.push_with_id(Section::Functions, Op::Function, Some(result), id, &[0, signature_type.0]);
        self.b.name(id, &function.name);
        for (param, ty) in function.params().iter().zip(&signature[1..]) {
            let id = self.result_id(&mut body, *param);
            self.b.push_with_id(Section::Functions, Op::FunctionParameter, Some(Id(*ty)), id, &[]);
        }
        self.prologue(&mut body, used, state, id)?;
        for block in &function.layout {
            self.block(&mut body, state, *block)?;
        }
        self.code(Op::FunctionEnd, &[]);
        Ok(())
    }

    /// The first label and the private variables. A block that is branched to cannot be the first, so
    /// such an entry gets one before it.
    fn prologue(
        &mut self,
        body: &mut Body<'_>,
        used: &KernelUse,
        state: &mut KernelState,
        id: Id,
    ) -> Result<(), LowerError> {
        let entry = body.function.entry();
        let own = !body.predecessors[entry.0 as usize].is_empty();
        if own && !body.function.params().is_empty() {
            return Err(self.bug("a loop to the entry block of a function with parameters"));
        }
        let label = if own { self.b.id() } else { self.label(body, entry) };
        self.b.push_with_id(Section::Functions, Op::Label, None, label, &[]);
        self.declare_slots(body, used, state)?;
        self.debug_definition(body, id);
        self.infinities_and_nans(body)?;
        if own {
            let target = self.label(body, entry);
            self.code(Op::Branch, &[target.0]);
        }
        Ok(())
    }

    /// Infinities and NaNs are made from their bits: consumers that follow WGSL's rules (naga) know no
    /// such literals. Neither do they know -0 for WGSL.
    fn infinities_and_nans(&mut self, body: &mut Body<'_>) -> Result<(), LowerError> {
        let function = body.function;
        let wgsl = self.target.features.wgsl;
        let special = |data: &ValueData| {
            let (ValueDef::Const(Constant::Bits(bits)), Some(scalar)) = (data.def, data.ty.scalar()) else {
                return None;
            };
            is_no_literal(scalar, bits, wgsl).then_some((data.ty, scalar, bits))
        };
        let is_special: Vec<bool> = function.values.values().map(|v| special(v).is_some()).collect();
        if !is_special.contains(&true) {
            return Ok(());
        }
        let mut used: Vec<Value> = Vec::new();
        for block in &function.layout {
            let data = &function.blocks[*block];
            let mut see = |value: Value| {
                if is_special.get(value.0 as usize) == Some(&true) {
                    used.push(value);
                }
            };
            data.insts.iter().for_each(|i| function.insts[*i].kind.each_value(&mut see));
            data.term.values().for_each(&mut see);
        }
        let mut zero = None;
        for value in used {
            let Some((ty, scalar, bits)) = function.values.get(value).and_then(special) else { continue };
            if body.values[value.0 as usize].is_some() {
                continue;
            }
            let id = if self.target.features.wgsl {
                let zero = match zero {
                    Some(zero) => zero,
                    None => *zero.insert(self.unfolded_zero()?),
                };
                self.unfolded_float(ty, bits, zero)?
            } else if scalar == Scalar::F16 && !self.target.features.shader_int16 {
                self.half_of_a_word(ty, bits)?
            } else {
                let int = ty.with_scalar(Scalar::int(scalar.bytes()).unwrap_or(Scalar::I32));
                let bits = self.constant(int, Constant::Bits(bits))?;
                let ty = self.ty(ty)?;
                self.code_result(Op::Bitcast, ty, &[bits.0])
            };
            body.values[value.0 as usize] = Some(id);
        }
        Ok(())
    }

    /// Zero, loaded from a variable. WGSL refuses constant expressions whose value is no finite number.
    fn unfolded_zero(&mut self) -> Result<Id, LowerError> {
        let (word, zero) = (self.ty(Type::I32)?, self.constant(Type::I32, Constant::Bits(0))?);
        let class = StorageClass::Function;
        let pointer = self.pointer(class, word);
        let operands = [class as u32, zero.0];
        let var = self.b.push_result(Section::Functions, Op::Variable, Some(pointer), &operands);
        self.b.name(var, "zero");
        Ok(self.code_result(Op::Load, word, &[var.0]))
    }

    /// A float or a vector of floats from bits, which depend on a zero that is no constant.
    fn unfolded_float(&mut self, ty: Type, bits: u64, zero: Id) -> Result<Id, LowerError> {
        let word = self.ty(Type::I32)?;
        let bits = self.constant(Type::I32, Constant::Bits(bits))?;
        let bits = self.code_result(Op::BitwiseOr, word, &[bits.0, zero.0]);
        let one = if ty.scalar() == Some(Scalar::F16) {
            let half = self.ty(Type::Scalar(Scalar::F16))?;
            let both = self.halves_of_word(bits)?;
            self.code_result(Op::CompositeExtract, half, &[both.0, 0])
        } else {
            let single = self.ty(Type::Scalar(Scalar::F32))?;
            self.code_result(Op::Bitcast, single, &[bits.0])
        };
        if ty.lanes() == 1 {
            return Ok(one);
        }
        let lanes = usize::from(ty.lanes());
        let ty = self.ty(ty)?;
        Ok(self.code_result(Op::CompositeConstruct, ty, &vec![one.0; lanes]))
    }

    /// A half from its bits, or a vector of such, where the device has no integers of 16 bits.
    fn half_of_a_word(&mut self, ty: Type, bits: u64) -> Result<Id, LowerError> {
        let word = self.constant(Type::I32, Constant::Bits(bits))?;
        let (pair, half) = (self.ty(Type::Vector(Scalar::F16, 2))?, self.ty(Type::Scalar(Scalar::F16))?);
        let both = self.code_result(Op::Bitcast, pair, &[word.0]);
        let one = self.code_result(Op::CompositeExtract, half, &[both.0, 0]);
        if ty.lanes() == 1 {
            return Ok(one);
        }
        let lanes = usize::from(ty.lanes());
        let ty = self.ty(ty)?;
        Ok(self.code_result(Op::CompositeConstruct, ty, &vec![one.0; lanes]))
    }

    fn block(
        &mut self,
        body: &mut Body<'_>,
        state: &mut KernelState,
        block: Block,
    ) -> Result<(), LowerError> {
        let function = body.function;
        let data = &function.blocks[block];
        if block != function.entry() || !body.predecessors[block.0 as usize].is_empty() {
            let label = self.label(body, block);
            self.b.push_with_id(Section::Functions, Op::Label, None, label, &[]);
        }
        body.line = SourceLine::default();
        if block != function.entry() {
            self.phis(body, block)?;
        }
        for inst in &data.insts {
            self.line(body, function.insts[*inst].line);
            self.inst(body, state, *inst)?;
        }
        self.copy_operands(body, block, &data.term)?;
        self.terminator(body, block, &data.term, data.merge)
    }

    /// OpLine where the line changes, with the scope and line of debug information.
    fn line(&mut self, body: &mut Body<'_>, line: SourceLine) {
        if line == body.line || line.line == 0 || line.file == 0 {
            return;
        }
        self.debug_scope_of(body, line);
        if (line.file, line.line) == (body.line.file, body.line.line) {
            return;
        }
        let Some(file) = self.file_name(line.file) else { return };
        body.line = line;
        self.code(Op::Line, &[file.0, line.line, 0]);
        self.debug_line(line);
    }

    fn terminator(
        &mut self,
        body: &mut Body<'_>,
        block: Block,
        term: &Terminator,
        merge: Option<Merge>,
    ) -> Result<(), LowerError> {
        match term {
            Terminator::Branch(target) => {
                self.loop_merge(body, merge);
                let label = self.label(body, target.block);
                self.code(Op::Branch, &[label.0]);
            }
            Terminator::CondBranch { cond, then, els } if then.block == els.block => {
                self.joined_branch(body, block, *cond, then, els)?;
                self.loop_merge(body, merge);
                let label = self.label(body, then.block);
                self.code(Op::Branch, &[label.0]);
            }
            Terminator::CondBranch { cond, then, els } => {
                let cond = self.val(body, *cond)?;
                self.merge(body, merge);
                let (then, els) = (self.label(body, then.block), self.label(body, els.block));
                self.code(Op::BranchConditional, &[cond.0, then.0, els.0]);
            }
            Terminator::Switch { value, cases, default } => {
                self.switch(body, *value, cases, default, merge)?;
            }
            Terminator::Return(values) => self.ret(body, values)?,
            Terminator::Unreachable => self.code(Op::Unreachable, &[]),
        }
        Ok(())
    }

    fn switch(
        &mut self,
        body: &mut Body<'_>,
        value: Value,
        cases: &[(u64, BranchTarget)],
        default: &BranchTarget,
        merge: Option<Merge>,
    ) -> Result<(), LowerError> {
        for (n, (_, a)) in cases.iter().enumerate() {
            let others = cases[n + 1..].iter().map(|(_, t)| t).chain([default]);
            if others.into_iter().any(|b| b.block == a.block && b.args != a.args) {
                return Err(self.bug("two cases of a switch hand one block different values"));
            }
        }
        let wide = body.function.ty(value) == Type::I64;
        let id = self.val(body, value)?;
        self.merge(body, merge);
        let mut words = vec![id.0, self.label(body, default.block).0];
        for (literal, target) in cases {
            words.push(*literal as u32);
            if wide {
                words.push((*literal >> 32) as u32);
            }
            words.push(self.label(body, target.block).0);
        }
        if words.len() >= 0xffff {
            return Err(self.not_yet("a switch of so many cases"));
        }
        self.code(Op::Switch, &words);
        Ok(())
    }

    fn ret(&mut self, body: &mut Body<'_>, values: &[Value]) -> Result<(), LowerError> {
        let ids = values.iter().map(|v| self.val(body, *v)).collect::<Result<Vec<_>, _>>()?;
        match ids[..] {
            [] => self.code(Op::Return, &[]),
            [one] => self.code(Op::ReturnValue, &[one.0]),
            _ => {
                let ty = self.results_type(&body.function.returns)?;
                let words: Vec<u32> = ids.iter().map(|i| i.0).collect();
                let all = self.code_result(Op::CompositeConstruct, ty, &words);
                self.code(Op::ReturnValue, &[all.0]);
            }
        }
        Ok(())
    }

    fn merge(&mut self, body: &mut Body<'_>, merge: Option<Merge>) {
        match merge {
            Some(Merge::Selection { merge }) => {
                let label = self.label(body, merge);
                self.code(Op::SelectionMerge, &[label.0, 0]);
            }
            other => self.loop_merge(body, other),
        }
    }

    /// The merge before a plain branch: only a loop has one.
    fn loop_merge(&mut self, body: &mut Body<'_>, merge: Option<Merge>) {
        if let Some(Merge::Loop { merge, continue_target, control }) = merge {
            let (merge, next) = (self.label(body, merge), self.label(body, continue_target));
            // Unroll and DontUnroll; the other hints carry operands or promises.
            let control = match control & 3 {
                1 if self.target.quirks.slow_unrolled_loops => 0,
                3 => 0,
                hint => hint,
            };
            self.code(Op::LoopMerge, &[merge.0, next.0, control]);
        }
    }
}

/// Returns whether a constant is written as an instruction, the cast of its bits: an infinity, a NaN, and for WGSL -0, whose sign Chromium's
/// Tint loses. It cannot be part of other constants then.
pub(super) fn is_no_literal(scalar: Scalar, bits: u64, wgsl: bool) -> bool {
    is_infinity_or_nan(scalar, bits) || wgsl && scalar.is_float() && bits == 1 << (8 * scalar.bytes() - 1)
}

fn is_infinity_or_nan(scalar: Scalar, bits: u64) -> bool {
    let exponent = match scalar {
        Scalar::F16 => 0x7c00,
        Scalar::F32 => 0x7f80_0000,
        Scalar::F64 => 0x7ff0_0000_0000_0000,
        _ => return false,
    };
    bits & exponent == exponent
}
