//! Which operand words of an instruction are ids and which are literals (SPIR-V §3.3, "Instructions"): what
//! renumbering the ids of a module takes.

use super::LinkError;
use spirv_io::Instruction;
use spirv_io::spirv::{MemoryAccess, Op};

/// How the operands of an instruction fall into ids and literals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// All are ids.
    Ids,
    /// A number of ids, then literals.
    Leading(usize),
    /// A number of ids, one literal, then ids.
    OneLiteral(usize),
    /// A number of ids, then memory operands.
    Memory(usize),
    /// Selector, default, then pairs of a literal as wide as the selector and a label.
    Switch,
    /// An operation among the operands.
    SpecConstantOp,
    /// An instruction of an extended set.
    ExtInst,
    /// A target and pairs of a target and a member.
    GroupMembers,
    /// The linker does not know the instruction.
    Unknown,
}

/// The facts that decide the operands' form besides the opcode.
pub(super) trait Context {
    /// An integer id has more than 32 bits (OpSwitch).
    fn is_wide(&self, id: u32) -> bool;
    /// The name of an extended instruction set.
    fn set(&self, id: u32) -> Option<&str>;
}

/// Calls `found` with the index of each operand word that is an id.
///
/// # Errors
/// Instructions that the linker does not know, or that end too early.
pub(super) fn for_each_id(
    inst: &Instruction<'_>,
    context: &dyn Context,
    mut found: impl FnMut(usize),
) -> Result<(), LinkError> {
    let count = inst.operands.len();
    match shape(inst.op) {
        Shape::Ids => (0..count).for_each(&mut found),
        Shape::Leading(ids) => (0..count.min(ids)).for_each(&mut found),
        Shape::OneLiteral(at) => (0..count).filter(|i| *i != at).for_each(&mut found),
        Shape::Memory(at) => memory_operands(inst, at, &mut found)?,
        Shape::Switch => {
            (0..count.min(2)).for_each(&mut found);
            let step = if context.is_wide(inst.word(0)?) { 3 } else { 2 };
            (2..count).filter(|i| (i - 2) % step == step - 1).for_each(&mut found);
        }
        Shape::SpecConstantOp => {
            let op = Op::from_u32(inst.word(2)?).ok_or(inst.bad(2))?;
            let literals_from = match op {
                Op::CompositeExtract => 4,
                Op::CompositeInsert | Op::VectorShuffle => 5,
                _ => count,
            };
            (0..count.min(literals_from)).filter(|i| *i != 2).for_each(&mut found);
        }
        Shape::ExtInst => {
            let set = context.set(inst.word(2)?).unwrap_or_default();
            let literal = ext_inst_literal(set, inst.word(3)?);
            (0..count).filter(|i| *i != 3 && Some(*i) != literal).for_each(&mut found);
        }
        Shape::GroupMembers => (0..count).filter(|i| *i == 0 || i % 2 == 1).for_each(&mut found),
        Shape::Unknown => return Err(LinkError::Unsupported(format!("the instruction Op{:?}", inst.op))),
    }
    Ok(())
}

/// Memory operands (SPIR-V §3.26): masks, each followed by the operands of its bits.
fn memory_operands(
    inst: &Instruction<'_>,
    at: usize,
    found: &mut impl FnMut(usize),
) -> Result<(), LinkError> {
    (0..inst.operands.len().min(at)).for_each(&mut *found);
    let ids = [
        MemoryAccess::MAKE_POINTER_AVAILABLE,
        MemoryAccess::MAKE_POINTER_VISIBLE,
        MemoryAccess::ALIAS_SCOPE_INTEL_MASK,
        MemoryAccess::NO_ALIAS_INTEL_MASK,
    ];
    let mut at = at;
    while at < inst.operands.len() {
        let mask = MemoryAccess::from_bits_retain(inst.word(at)?);
        at += 1 + usize::from(mask.contains(MemoryAccess::ALIGNED));
        for id in ids {
            if mask.contains(id) {
                inst.word(at)?;
                found(at);
                at += 1;
            }
        }
    }
    Ok(())
}

/// The operand of an OpenCL.std instruction that is a literal: a component count or a rounding mode.
fn ext_inst_literal(set: &str, number: u32) -> Option<usize> {
    // vloadn, vload_halfn, vloada_halfn: the result's components. The stores with a rounding mode.
    match (set, number) {
        ("OpenCL.std", 171 | 174 | 179) => Some(6),
        ("OpenCL.std", 176 | 178 | 181) => Some(7),
        _ => None,
    }
}

fn shape(op: Op) -> Shape {
    match op {
        Op::Capability
        | Op::Extension
        | Op::MemoryModel
        | Op::SourceExtension
        | Op::SourceContinued
        | Op::ModuleProcessed => Shape::Leading(0),
        Op::Name
        | Op::MemberName
        | Op::String
        | Op::ExtInstImport
        | Op::Line
        | Op::Decorate
        | Op::DecorateString
        | Op::MemberDecorate
        | Op::MemberDecorateString
        | Op::ExecutionMode
        | Op::TypeInt
        | Op::TypeFloat
        | Op::TypeOpaque
        | Op::TypePipe
        | Op::TypeBufferSurfaceINTEL
        | Op::TypeForwardPointer
        | Op::TypeUntypedPointerKHR
        | Op::SelectionMerge
        | Op::LifetimeStart
        | Op::LifetimeStop => Shape::Leading(1),
        Op::TypeVector
        | Op::TypeMatrix
        | Op::TypeImage
        | Op::Constant
        | Op::SpecConstant
        | Op::ConstantSampler
        | Op::ConstantPipeStorage
        | Op::LoopMerge => Shape::Leading(2),
        Op::CompositeExtract | Op::BranchConditional => Shape::Leading(3),
        Op::CompositeInsert | Op::VectorShuffle => Shape::Leading(4),
        Op::SDot | Op::UDot | Op::SUDot => Shape::Leading(4),
        Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat => Shape::Leading(5),
        Op::ExecutionModeId | Op::DecorateId | Op::TypePointer => Shape::OneLiteral(1),
        Op::Function | Op::Variable | Op::UntypedVariableKHR => Shape::OneLiteral(2),
        Op::ImageWrite | Op::GenericCastToPtrExplicit => Shape::OneLiteral(3),
        Op::ImageSampleImplicitLod | Op::ImageSampleExplicitLod | Op::ImageFetch | Op::ImageRead => {
            Shape::OneLiteral(4)
        }
        op if is_group_arithmetic(op) => Shape::OneLiteral(3),
        Op::Load => Shape::Memory(3),
        Op::Store | Op::CopyMemory => Shape::Memory(2),
        Op::CopyMemorySized => Shape::Memory(3),
        Op::Switch => Shape::Switch,
        Op::SpecConstantOp => Shape::SpecConstantOp,
        Op::ExtInst => Shape::ExtInst,
        Op::GroupMemberDecorate => Shape::GroupMembers,
        // The rest of SPIR-V 1.0 to 1.4 that kernels can have takes ids only, and so do these extensions.
        op if (op as u32) <= Op::PtrDiff as u32 && !is_special(op) => Shape::Ids,
        Op::SubgroupBallotKHR
        | Op::SubgroupFirstInvocationKHR
        | Op::SubgroupAllKHR
        | Op::SubgroupAnyKHR
        | Op::SubgroupAllEqualKHR
        | Op::SubgroupReadInvocationKHR
        | Op::GroupNonUniformRotateKHR
        | Op::SubgroupShuffleINTEL
        | Op::SubgroupShuffleDownINTEL
        | Op::SubgroupShuffleUpINTEL
        | Op::SubgroupShuffleXorINTEL
        | Op::SubgroupBlockReadINTEL
        | Op::SubgroupBlockWriteINTEL
        | Op::SubgroupImageBlockReadINTEL
        | Op::SubgroupImageBlockWriteINTEL
        | Op::AtomicFAddEXT
        | Op::AtomicFMinEXT
        | Op::AtomicFMaxEXT
        | Op::AssumeTrueKHR
        | Op::ExpectKHR
        | Op::ReadClockKHR
        | Op::AliasDomainDeclINTEL
        | Op::AliasScopeDeclINTEL
        | Op::AliasScopeListDeclINTEL => Shape::Ids,
        _ => Shape::Unknown,
    }
}

/// The group instructions with a GroupOperation.
fn is_group_arithmetic(op: Op) -> bool {
    let n = op as u32;
    (Op::GroupIAdd as u32..=Op::GroupSMax as u32).contains(&n)
        || (Op::GroupNonUniformIAdd as u32..=Op::GroupNonUniformLogicalXor as u32).contains(&n)
        || (Op::GroupIMulKHR as u32..=Op::GroupLogicalXorKHR as u32).contains(&n)
        || op == Op::GroupNonUniformBallotBitCount
}

/// Core instructions with literals that only graphics has, or that the linker reads itself.
fn is_special(op: Op) -> bool {
    let n = op as u32;
    (Op::ImageSampleDrefImplicitLod as u32..=Op::ImageSampleProjDrefExplicitLod as u32).contains(&n)
        || (Op::ImageGather as u32..=Op::ImageDrefGather as u32).contains(&n)
        || (Op::ImageSparseSampleImplicitLod as u32..=Op::ImageSparseRead as u32).contains(&n)
        || matches!(op, Op::ArrayLength | Op::Source | Op::EntryPoint)
}
