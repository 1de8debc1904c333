//! Operations of sub-groups (SPIR-V §3.42.24, "Non-Uniform Instructions"), each with its capability.

use super::Writer;
use super::function::Body;
use crate::error::LowerError;
use crate::ir::{Combine, GroupOp, Span, Type, Value};
use spirv_io::Id;
use spirv_io::spirv::{Capability, GroupOperation, Op};

/// The scope of sub-groups.
const SUBGROUP: u32 = 3;

impl Writer<'_> {
    pub(super) fn group(
        &mut self,
        body: &mut Body<'_>,
        op: GroupOp,
        args: &[Value],
        ty: Type,
    ) -> Result<Id, LowerError> {
        let (code, capability, bit) = match op {
            GroupOp::Elect => (Op::GroupNonUniformElect, Capability::GroupNonUniform, "BASIC"),
            GroupOp::All => (Op::GroupNonUniformAll, Capability::GroupNonUniformVote, "VOTE"),
            GroupOp::Any => (Op::GroupNonUniformAny, Capability::GroupNonUniformVote, "VOTE"),
            GroupOp::Broadcast => (Op::GroupNonUniformBroadcast, Capability::GroupNonUniformBallot, "BALLOT"),
            GroupOp::BroadcastFirst => {
                (Op::GroupNonUniformBroadcastFirst, Capability::GroupNonUniformBallot, "BALLOT")
            }
            GroupOp::Ballot => (Op::GroupNonUniformBallot, Capability::GroupNonUniformBallot, "BALLOT"),
            GroupOp::Shuffle => (Op::GroupNonUniformShuffle, Capability::GroupNonUniformShuffle, "SHUFFLE"),
            GroupOp::ShuffleXor => {
                (Op::GroupNonUniformShuffleXor, Capability::GroupNonUniformShuffle, "SHUFFLE")
            }
            GroupOp::ShuffleUp => {
                let relative = Capability::GroupNonUniformShuffleRelative;
                (Op::GroupNonUniformShuffleUp, relative, "SHUFFLE_RELATIVE")
            }
            GroupOp::ShuffleDown => {
                let relative = Capability::GroupNonUniformShuffleRelative;
                (Op::GroupNonUniformShuffleDown, relative, "SHUFFLE_RELATIVE")
            }
            GroupOp::Combine(combine, Span::Clustered) => {
                (combined(combine), Capability::GroupNonUniformClustered, "CLUSTERED")
            }
            GroupOp::Combine(combine, _) => {
                (combined(combine), Capability::GroupNonUniformArithmetic, "ARITHMETIC")
            }
            other => {
                return Err(self.bug(format_args!("an operation that `lower_workgroup` removes: {other:?}")));
            }
        };
        self.require_subgroups(bit)?;
        self.b.capability(Capability::GroupNonUniform);
        self.b.capability(capability);
        let mut words = vec![self.u32_const(SUBGROUP).0];
        if let GroupOp::Combine(_, span) = op {
            words.push(match span {
                Span::Reduce => GroupOperation::Reduce as u32,
                Span::Inclusive => GroupOperation::InclusiveScan as u32,
                Span::Exclusive => GroupOperation::ExclusiveScan as u32,
                Span::Clustered => GroupOperation::ClusteredReduce as u32,
            });
        }
        let signed = matches!(op, GroupOp::Combine(Combine::SMin | Combine::SMax, _));
        if self.target.features.wgsl && signed {
            return self.group_signed(body, code, (words, args), ty);
        }
        for arg in args {
            words.push(self.val_here(body, *arg)?.0);
        }
        let ty = self.ty(ty)?;
        Ok(self.code_result(code, ty, &words))
    }

    /// An operation on signed words, for WGSL, whose operations take the sign from the type.
    fn group_signed(
        &mut self,
        body: &mut Body<'_>,
        code: Op,
        (mut words, args): (Vec<u32>, &[Value]),
        ty: Type,
    ) -> Result<Id, LowerError> {
        for arg in args {
            let id = self.val_here(body, *arg)?;
            words.push(self.as_signed(id, ty)?.0);
        }
        let signed = self.signed(ty);
        let result = self.code_result(code, signed, &words);
        self.op(Op::Bitcast, ty, &[result])
    }

    /// Bits of VkSubgroupFeatureFlagBits by their names.
    fn require_subgroups(&self, bit: &str) -> Result<(), LowerError> {
        let operations = self.target.subgroup_operations();
        let present = operations.iter_names().any(|(name, _)| name == bit);
        self.require(present, &format!("VK_SUBGROUP_FEATURE_{bit}_BIT"))
    }
}

fn combined(combine: Combine) -> Op {
    match combine {
        Combine::IAdd => Op::GroupNonUniformIAdd,
        Combine::FAdd => Op::GroupNonUniformFAdd,
        Combine::IMul => Op::GroupNonUniformIMul,
        Combine::FMul => Op::GroupNonUniformFMul,
        Combine::SMin => Op::GroupNonUniformSMin,
        Combine::UMin => Op::GroupNonUniformUMin,
        Combine::FMin => Op::GroupNonUniformFMin,
        Combine::SMax => Op::GroupNonUniformSMax,
        Combine::UMax => Op::GroupNonUniformUMax,
        Combine::FMax => Op::GroupNonUniformFMax,
        Combine::And => Op::GroupNonUniformBitwiseAnd,
        Combine::Or => Op::GroupNonUniformBitwiseOr,
        Combine::Xor => Op::GroupNonUniformBitwiseXor,
    }
}
