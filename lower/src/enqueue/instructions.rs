//! The calls that instructions become.

use super::functions::EnqueueFunction;
use super::rewrite::{FAILURE, Rewrite};
use super::scan::block_operand;
use crate::error::LowerError;
use crate::library_calls::{Ty, put};
use spirv_io::Instruction;
use spirv_io::spirv::{Op, StorageClass};

/// The parts of an NDRange's structure (SPIR-V §3.42.20, OpBuildNDRange).
const OFFSET: u32 = 1;
const GLOBAL_SIZE: u32 = 2;
const LOCAL_SIZE: u32 = 3;

impl Rewrite {
    /// Replaces an instruction that takes the record.
    pub(super) fn replace(&mut self, inst: &Instruction<'_>, out: &mut Vec<u32>) -> Result<(), LowerError> {
        let block = match block_operand(inst.op) {
            Some(at) => self.facts.block_number(inst.word(at)?),
            None => 0,
        };
        let block = self.calls.constant(block);
        use Ty::{Bool, GenericUlong, GlobalByte, Uint, Ulong, Ulong3, Void};
        let word = |at| inst.word(at);
        match inst.op {
            Op::EnqueueKernel => self.enqueue(inst, out)?,
            Op::EnqueueMarker => {
                let params = [Ulong, Uint, GenericUlong, GenericUlong];
                let args = [word(2)?, word(3)?, word(4)?, word(5)?];
                let result = self.calls.id();
                self.library("pumice_enqueue_marker", (Uint, result), &params, &args, out);
                self.without_reason(result, inst, out)?;
            }
            Op::GetKernelNDrangeSubGroupCount => {
                let range = word(2)?;
                let [global, local] = [GLOBAL_SIZE, LOCAL_SIZE].map(|part| self.range_part(range, part, out));
                let (params, args) = ([Ulong3, Ulong3, Uint], [global, local, block]);
                self.library("pumice_enqueue_sub_groups", (Uint, word(1)?), &params, &args, out);
            }
            Op::GetKernelNDrangeMaxSubGroupSize => {
                self.library("pumice_enqueue_sub_group_size", (Uint, word(1)?), &[], &[], out);
            }
            Op::GetKernelWorkGroupSize => {
                self.library("pumice_enqueue_work_group_size", (Uint, word(1)?), &[Uint], &[block], out);
            }
            Op::GetKernelPreferredWorkGroupSizeMultiple => {
                self.library("pumice_enqueue_size_multiple", (Uint, word(1)?), &[Uint], &[block], out);
            }
            Op::RetainEvent | Op::ReleaseEvent => {
                let name = match inst.op {
                    Op::RetainEvent => "pumice_enqueue_retain",
                    _ => "pumice_enqueue_release",
                };
                let id = self.calls.id();
                self.library(name, (Void, id), &[Ulong], &[word(0)?], out);
            }
            Op::CreateUserEvent => {
                self.library("pumice_enqueue_user_event", (Ulong, word(1)?), &[], &[], out);
            }
            Op::IsValidEvent => {
                self.library("pumice_enqueue_is_event", (Bool, word(1)?), &[Ulong], &[word(2)?], out);
            }
            Op::SetUserEventStatus => {
                let (id, args) = (self.calls.id(), [word(0)?, word(1)?]);
                self.library("pumice_enqueue_set_status", (Void, id), &[Ulong, Uint], &args, out);
            }
            Op::CaptureEventProfilingInfo => {
                let id = self.calls.id();
                let to = self.byte_pointer(word(2)?, out);
                let (params, args) = ([Ulong, Uint, GlobalByte], [word(0)?, word(1)?, to]);
                self.library("pumice_enqueue_profile", (Void, id), &params, &args, out);
            }
            Op::GetDefaultQueue => {
                self.library("pumice_enqueue_default_queue", (Ulong, word(1)?), &[], &[], out);
            }
            _ => put(out, inst.op, inst.operands),
        }
        Ok(())
    }

    /// A call of a function of the library that takes the record first.
    pub(super) fn library(
        &mut self,
        name: &'static str,
        (result, id): (Ty, u32),
        params: &[Ty],
        args: &[u32],
        out: &mut Vec<u32>,
    ) {
        let all: Vec<Ty> = std::iter::once(Ty::GlobalUint).chain(params.iter().copied()).collect();
        let callee = self.calls.import(name, result, &all);
        let mut operands = vec![self.calls.ty(result), id, callee, self.record.unwrap_or(0)];
        operands.extend(args);
        put(out, Op::FunctionCall, &operands);
    }

    /// The result of an instruction whose errors have names only where the program was compiled with -g (OpenCL C §6.15.17.4).
    fn without_reason(
        &mut self,
        status: u32,
        inst: &Instruction<'_>,
        out: &mut Vec<u32>,
    ) -> Result<(), LowerError> {
        let result = [self.calls.ty(Ty::Uint), inst.word(1)?];
        let zero = self.calls.constant(0);
        let named = if self.facts.debug { status } else { self.calls.constant(FAILURE) };
        let succeeds = self.calls.id();
        put(out, Op::IEqual, &[self.calls.ty(Ty::Bool), succeeds, status, zero]);
        put(out, Op::Select, &[result[0], result[1], succeeds, zero, named]);
        Ok(())
    }

    /// A pointer to bytes of a global pointer.
    fn byte_pointer(&mut self, pointer: u32, out: &mut Vec<u32>) -> u32 {
        let types = &self.facts.types;
        let pointee = self.facts.values.get(&pointer).and_then(|ty| match types.get(ty) {
            Some((Op::TypePointer, operands)) => operands.get(1),
            _ => None,
        });
        if let Some((Op::TypeInt, operands)) = pointee.and_then(|ty| types.get(ty))
            && operands.first() == Some(&8)
        {
            return pointer;
        }
        let id = self.calls.id();
        put(out, Op::Bitcast, &[self.calls.ty(Ty::GlobalByte), id, pointer]);
        id
    }

    /// Three numbers of an NDRange as a vector.
    fn range_part(&mut self, range: u32, part: u32, out: &mut Vec<u32>) -> u32 {
        let (ulong, vector) = (self.calls.ty(Ty::Ulong), self.calls.ty(Ty::Ulong3));
        let mut parts = [0; 3];
        for (n, id) in (0..).zip(&mut parts) {
            *id = self.calls.id();
            put(out, Op::CompositeExtract, &[ulong, *id, range, part, n]);
        }
        let id = self.calls.id();
        put(out, Op::CompositeConstruct, &[vector, id, parts[0], parts[1], parts[2]]);
        id
    }

    fn enqueue(&mut self, inst: &Instruction<'_>, out: &mut Vec<u32>) -> Result<(), LowerError> {
        let uint = self.calls.ty(Ty::Uint);
        let range = inst.word(4)?;
        let dimensions = self.calls.id();
        put(out, Op::CompositeExtract, &[uint, dimensions, range, 0]);
        let [offset, global, local] =
            [OFFSET, GLOBAL_SIZE, LOCAL_SIZE].map(|part| self.range_part(range, part, out));
        let block = self.facts.block_number(inst.word(8)?);
        let captures = inst.word(10)?;
        let size = self.facts.known.get(&captures).copied().unwrap_or(0);
        let wide = self.calls.ty(Ty::Ulong);
        let mut sizes = Vec::new();
        for size in inst.rest(12) {
            let bits = self.facts.values.get(size).and_then(|ty| self.facts.types.get(ty));
            let is_wide = bits.is_some_and(|(_, operands)| operands.first() == Some(&64));
            sizes.push(match is_wide {
                true => *size,
                false => {
                    let id = self.calls.id();
                    put(out, Op::UConvert, &[wide, id, *size]);
                    id
                }
            });
        }
        let function = EnqueueFunction { block, size, locals: sizes.len() as u32 };
        let callee = match self.enqueues.iter().find(|(known, _)| *known == function) {
            Some((_, id)) => *id,
            None => {
                let id = self.calls.id();
                self.enqueues.push((function, id));
                id
            }
        };
        let mut operands = vec![uint, inst.word(1)?, callee, self.record.unwrap_or(0)];
        operands.extend([inst.word(2)?, inst.word(3)?, dimensions, offset, global, local]);
        operands.extend([inst.word(5)?, inst.word(6)?, inst.word(7)?, inst.word(9)?]);
        operands.extend(sizes);
        put(out, Op::FunctionCall, &operands);
        Ok(())
    }

    /// OpBuildNDRange: a structure of the number of dimensions and three arrays, in which missing numbers are 0.
    pub(super) fn build_range(
        &mut self,
        inst: &Instruction<'_>,
        out: &mut Vec<u32>,
    ) -> Result<(), LowerError> {
        let ty = inst.word(0)?;
        let array = self.facts.member(ty, 1).ok_or_else(|| {
            LowerError::InvalidModule("the result of an OpBuildNDRange is no structure".to_owned())
        })?;
        let mut dimensions = 1;
        let mut arrays = [0; 3];
        // Global size, local size, offset.
        for (at, place) in [(2, 1), (3, 2), (4, 0)] {
            let value = inst.word(at)?;
            let given = self.facts.values.get(&value).copied().unwrap_or(0);
            let parts = match self.facts.types.get(&given) {
                Some((Op::TypeArray, operands)) => {
                    let length =
                        operands.get(1).and_then(|id| self.facts.known.get(id)).copied().unwrap_or(0);
                    let element = operands.first().copied().unwrap_or(0);
                    let parts: Vec<u32> = (0..length.min(3)).map(|_| self.calls.id()).collect();
                    for (n, id) in (0..).zip(&parts) {
                        put(out, Op::CompositeExtract, &[element, *id, value, n]);
                    }
                    parts
                }
                _ => vec![value],
            };
            dimensions = dimensions.max(parts.len() as u32);
            let zero = self.calls.constant_of(Ty::Ulong, 0);
            let id = self.calls.id();
            let mut operands = vec![array, id];
            operands.extend(parts.iter().copied().chain(std::iter::repeat(zero)).take(3));
            put(out, Op::CompositeConstruct, &operands);
            arrays[place] = id;
        }
        let dimensions = self.calls.constant(dimensions);
        put(out, Op::CompositeConstruct, &[ty, inst.word(1)?, dimensions, arrays[0], arrays[1], arrays[2]]);
        Ok(())
    }

    /// The type of a pointer is one of these storage classes.
    pub(super) fn is_local_pointer(&self, ty: u32) -> bool {
        matches!(self.facts.types.get(&ty), Some((Op::TypePointer, operands))
            if operands.first() == Some(&(StorageClass::Workgroup as u32)))
    }
}
