//! Entry points, work-group sizes, execution modes.

use super::usage::KernelUse;
use super::{KernelState, Writer};
use crate::error::LowerError;
use crate::ir::{KernelData, Scalar, Type};
use spirv_io::spirv::{BuiltIn, Capability, Decoration, ExecutionMode, ExecutionModel, Op};
use spirv_io::{Id, Section, string_words};

/// The form of the work-group sizes of a module's kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SizeForm {
    /// LocalSize: every kernel has a required size, or this one among others with [`SizeForm::Ids`].
    Literal,
    /// A constant decorated WorkgroupSize. It speaks for the whole module, so kernels with a required
    /// size are specialized like the others; so where work-groups may be cut off.
    Builtin,
    /// LocalSizeId with specialization constants (maintenance4, SPIR-V 1.6).
    Ids,
}

impl Writer<'_> {
    /// The form for a module with these kernels. The decorated constant is what most readers know;
    /// LocalSizeId lets kernels with and without a required size live in one module.
    pub(super) fn size_form(&self) -> SizeForm {
        if self.module.non_uniform {
            return SizeForm::Builtin;
        }
        let required = self.module.kernels.iter().filter(|k| k.reqd_work_group_size.is_some()).count();
        if required == self.module.kernels.len() {
            SizeForm::Literal
        } else if required > 0 && self.target.features.maintenance4 && self.target.spirv_version() >= (1, 6) {
            SizeForm::Ids
        } else {
            SizeForm::Builtin
        }
    }

    /// The work-group size's three constants.
    pub(super) fn work_group_size(
        &mut self,
        kernel: &KernelData,
        form: SizeForm,
    ) -> Result<[Id; 3], LowerError> {
        match kernel.reqd_work_group_size {
            Some(size) if form != SizeForm::Builtin => Ok(size.map(|n| self.u32_const(n))),
            _ => self.size_constants(form),
        }
    }

    /// Specialization constants 0, 1 and 2, once for the module.
    fn size_constants(&mut self, form: SizeForm) -> Result<[Id; 3], LowerError> {
        if let Some(ids) = self.size_constants {
            return Ok(ids);
        }
        let ty = self.u32_type();
        let mut ids = [Id(0); 3];
        for (n, axis) in ["x", "y", "z"].iter().enumerate() {
            ids[n] = self.b.push_result(Section::Globals, Op::SpecConstant, Some(ty), &[1]);
            self.b.decorate(ids[n], Decoration::SpecId, &[n as u32]);
            self.b.name(ids[n], &format!("work_group_size.{axis}"));
        }
        if form == SizeForm::Builtin {
            let three = self.ty(Type::Vector(Scalar::I32, 3))?;
            let launched = self.launched_size(ids)?;
            let all = self.b.push_result(
                Section::Globals,
                Op::SpecConstantComposite,
                Some(three),
                &launched.map(|i| i.0),
            );
            self.b.decorate(all, Decoration::BuiltIn, &[BuiltIn::WorkgroupSize as u32]);
        }
        self.size_constants = Some(ids);
        Ok(ids)
    }

    /// The size for Vulkan. If work-groups are dispatched in one dimension, it has all work-items in the first, or the number of
    /// invocations with work-item loops.
    fn launched_size(&mut self, size: [Id; 3]) -> Result<[Id; 3], LowerError> {
        if !self.module.linear_groups && self.module.work_item_loops.is_none() {
            return Ok(size);
        }
        let ty = self.u32_type();
        let one = self.u32_const(1);
        let mut product = size[0];
        for other in &size[1..] {
            let words = [Op::IMul as u32, product.0, other.0];
            product = self.b.unique(Op::SpecConstantOp, Some(ty), &words);
        }
        if let Some(most) = self.module.work_item_loops {
            let (truth, most) = (self.ty(Type::BOOL)?, self.u32_const(most));
            let fewer = [Op::ULessThan as u32, product.0, most.0];
            let fewer = self.b.unique(Op::SpecConstantOp, Some(truth), &fewer);
            let least = [Op::Select as u32, fewer.0, product.0, most.0];
            product = self.b.unique(Op::SpecConstantOp, Some(ty), &least);
        }
        Ok([product, one, one])
    }

    pub(super) fn entry_point(
        &mut self,
        kernel: &KernelData,
        used: &KernelUse,
        state: &KernelState,
        form: SizeForm,
    ) -> Result<(), LowerError> {
        let Some(function) = state.functions.get(&kernel.func).copied() else {
            return Err(self.bug("a kernel without a function"));
        };
        let mut words = vec![ExecutionModel::GLCompute as u32, function.0];
        words.extend(string_words(&kernel.name));
        words.extend(state.interface.iter().map(|i| i.0));
        self.b.push(Section::EntryPoints, Op::EntryPoint, &words);
        match (form, kernel.reqd_work_group_size) {
            (SizeForm::Literal | SizeForm::Ids, Some(size)) => {
                let all: u32 = size.iter().fold(1, |all: u32, n| all.saturating_mul(*n));
                let items = self.module.work_item_loops.map_or(all, |most| all.min(most));
                let linear = self.module.linear_groups || self.module.work_item_loops.is_some();
                let size = if linear { [items, 1, 1] } else { size };
                self.mode(function, ExecutionMode::LocalSize, &size);
            }
            (SizeForm::Ids, None) => {
                let mut words = vec![function.0, ExecutionMode::LocalSizeId as u32];
                let size = self.launched_size(state.work_group_size)?;
                words.extend(size.iter().map(|i| i.0));
                self.b.push(Section::ExecutionModes, Op::ExecutionModeId, &words);
            }
            _ => self.mode(function, ExecutionMode::LocalSize, &[1, 1, 1]),
        }
        if used.converges {
            self.reconvergence(function);
        }
        self.float_controls(function, used);
        Ok(())
    }

    fn mode(&mut self, function: Id, mode: ExecutionMode, operands: &[u32]) {
        let mut words = vec![function.0, mode as u32];
        words.extend(operands);
        self.b.push(Section::ExecutionModes, Op::ExecutionMode, &words);
    }

    /// Diverged work-items reconverge as the source says. Kernels with barriers or group operations depend on it.
    fn reconvergence(&mut self, function: Id) {
        if self.target.features.shader_maximal_reconvergence {
            self.b.extension("SPV_KHR_maximal_reconvergence");
            self.mode(function, ExecutionMode::MaximallyReconvergesKHR, &[]);
        } else if self.target.features.shader_subgroup_uniform_control_flow {
            self.b.extension("SPV_KHR_subgroup_uniform_control_flow");
            self.mode(function, ExecutionMode::SubgroupUniformControlFlowKHR, &[]);
        }
    }

    /// The float properties that OpenCL requires (OpenCL C "Numerical Compliance") and Vulkan leaves open, if the device has them:
    /// signed zeros, infinities and NaNs; denormals; rounding to nearest even.
    fn float_controls(&mut self, function: Id, usage: &KernelUse) {
        let used = usage.floats;
        if used == [false; 3] {
            return;
        }
        let f = self.target.features.clone();
        let each = |supported: [bool; 3]| [0, 1, 2].map(|i| supported[i] && used[i]);
        // Widths that are not independent are set together, or not at all.
        let dependent = |supported: [bool; 3], independent: bool| {
            if independent { each(supported) } else { [supported == [true; 3]; 3] }
        };
        let mut nearest = dependent(f.shader_rounding_mode_rte, f.rounding_mode_independence_all);
        let fast = self.target.quirks.slow_float_division && f.rounding_mode_independence_all;
        nearest[1] &= !fast || !usage.float_quotients || usage.needs_denormals;
        let modes = [
            (
                each(f.shader_signed_zero_inf_nan_preserve),
                ExecutionMode::SignedZeroInfNanPreserve,
                Capability::SignedZeroInfNanPreserve,
            ),
            (
                dependent(self.target.keeps_denormals(), f.denorm_behavior_independence_all),
                ExecutionMode::DenormPreserve,
                Capability::DenormPreserve,
            ),
            (nearest, ExecutionMode::RoundingModeRTE, Capability::RoundingModeRTE),
        ];
        for (widths, mode, capability) in modes {
            for (on, width) in widths.into_iter().zip([16, 32, 64]) {
                if on {
                    self.b.capability(capability);
                    self.extension_before((1, 4), "SPV_KHR_float_controls");
                    self.mode(function, mode, &[width]);
                }
            }
        }
    }
}
