//! The grammar of instructions: their operands and the rule for their types, a row for each opcode that the validator knows.
//!
//! The operands are a string of letters, one for each:
//!
//! | letter | operand |
//! |---|---|
//! | `T` | the result's type |
//! | `R` | the result |
//! | `v` | a value that is defined before and dominates the instruction |
//! | `p` | a value of a phi: it dominates the end of the predecessor that is named after it |
//! | `c` | a constant, or a variable of the module |
//! | `C` | a constant that may come later |
//! | `t` | a type |
//! | `w` | a type or a pointer type that was announced |
//! | `f` | a function |
//! | `l` | a label of the same function |
//! | `x` | an extended instruction set |
//! | `k` | a string |
//! | `g` | a decoration group |
//! | `i` | any id |
//! | `n` | a literal word |
//! | `s` | a literal string |
//! | `m` | memory operands: a mask and the operands of its bits |
//!
//! `?` begins optional operands, `*` operands that may repeat any number of times, including none.

use super::rules::Rule;
use spirv_io::spirv::Op;

/// The operands and the rule of an instruction; `None` for instructions that the validator does not know.
pub(super) fn form(op: Op) -> Option<(&'static str, Rule)> {
    module_level(op).or_else(|| types(op)).or_else(|| values(op)).or_else(|| memory(op)).or_else(|| rest(op))
}

fn module_level(op: Op) -> Option<(&'static str, Rule)> {
    Some(match op {
        Op::Nop | Op::NoLine => ("", Rule::None),
        Op::Capability => ("n", Rule::Capability),
        Op::Extension | Op::SourceExtension | Op::SourceContinued | Op::ModuleProcessed => ("s", Rule::None),
        Op::ExtInstImport => ("Rs", Rule::None),
        Op::MemoryModel => ("nn", Rule::MemoryModel),
        Op::EntryPoint => ("nfs*i", Rule::EntryPoint),
        Op::ExecutionMode => ("fn*n", Rule::ExecutionMode),
        Op::ExecutionModeId => ("fn*C", Rule::ExecutionMode),
        Op::String => ("Rs", Rule::None),
        Op::Source => ("nn?k?s", Rule::None),
        Op::Line => ("knn", Rule::None),
        Op::Name => ("is", Rule::None),
        Op::MemberName => ("ins", Rule::None),
        Op::Decorate => ("in*n", Rule::Decorate),
        Op::MemberDecorate => ("inn*n", Rule::Member),
        Op::DecorateId => ("in*i", Rule::None),
        Op::DecorateString => ("ins", Rule::None),
        Op::MemberDecorateString => ("inns", Rule::Member),
        Op::DecorationGroup => ("R", Rule::None),
        Op::GroupDecorate => ("g*i", Rule::GroupDecorate),
        Op::GroupMemberDecorate => ("g*in", Rule::None),
        Op::AliasDomainDeclINTEL => ("R*i", Rule::None),
        Op::AliasScopeDeclINTEL => ("Ri*i", Rule::None),
        Op::AliasScopeListDeclINTEL => ("R*i", Rule::None),
        _ => return None,
    })
}

fn types(op: Op) -> Option<(&'static str, Rule)> {
    Some(match op {
        Op::TypeVoid
        | Op::TypeBool
        | Op::TypeEvent
        | Op::TypeSampler
        | Op::TypeDeviceEvent
        | Op::TypeReserveId
        | Op::TypeQueue
        | Op::TypePipeStorage => ("R", Rule::Type),
        Op::TypeInt => ("Rnn", Rule::Type),
        Op::TypeFloat => ("Rn?n", Rule::Type),
        Op::TypeVector => ("Rtn", Rule::Type),
        Op::TypeImage => ("Rtnnnnnn?n", Rule::Type),
        Op::TypeSampledImage => ("Rt", Rule::Type),
        Op::TypePipe => ("Rn", Rule::Type),
        Op::TypeArray => ("Rtc", Rule::Type),
        Op::TypeStruct => ("R*w", Rule::Type),
        Op::TypeOpaque => ("Rs", Rule::Type),
        Op::TypePointer => ("Rnw", Rule::Type),
        Op::TypeForwardPointer => ("in", Rule::ForwardPointer),
        Op::TypeFunction => ("Rt*t", Rule::Type),
        Op::ConstantTrue | Op::ConstantFalse | Op::SpecConstantTrue | Op::SpecConstantFalse => {
            ("TR", Rule::BoolConstant)
        }
        Op::Constant | Op::SpecConstant => ("TR*n", Rule::Constant),
        Op::ConstantComposite | Op::SpecConstantComposite => ("TR*c", Rule::Construct),
        Op::ConstantSampler => ("TRnnn", Rule::SamplerConstant),
        Op::ConstantNull => ("TR", Rule::Null),
        // The operands after the operation are checked as an instruction.
        Op::SpecConstantOp => ("TRn*n", Rule::SpecConstantOp),
        Op::Undef => ("TR", Rule::Undef),
        Op::Variable => ("TRn?c", Rule::Variable),
        _ => return None,
    })
}

fn values(op: Op) -> Option<(&'static str, Rule)> {
    Some(match op {
        Op::IAdd
        | Op::ISub
        | Op::IMul
        | Op::UDiv
        | Op::SDiv
        | Op::UMod
        | Op::SRem
        | Op::SMod
        | Op::BitwiseAnd
        | Op::BitwiseOr
        | Op::BitwiseXor => ("TRvv", Rule::Ints),
        Op::SNegate | Op::Not | Op::BitReverse => ("TRv", Rule::Ints),
        Op::ShiftLeftLogical | Op::ShiftRightLogical | Op::ShiftRightArithmetic => ("TRvv", Rule::Shift),
        Op::BitCount => ("TRv", Rule::BitCount),
        Op::FAdd | Op::FSub | Op::FMul | Op::FDiv | Op::FRem | Op::FMod => ("TRvv", Rule::Floats),
        Op::FNegate => ("TRv", Rule::Floats),
        Op::LogicalAnd | Op::LogicalOr | Op::LogicalEqual | Op::LogicalNotEqual => ("TRvv", Rule::Bools),
        Op::LogicalNot => ("TRv", Rule::Bools),
        Op::IEqual
        | Op::INotEqual
        | Op::ULessThan
        | Op::ULessThanEqual
        | Op::UGreaterThan
        | Op::UGreaterThanEqual
        | Op::SLessThan
        | Op::SLessThanEqual
        | Op::SGreaterThan
        | Op::SGreaterThanEqual => ("TRvv", Rule::IntCompare),
        Op::FOrdEqual
        | Op::FOrdNotEqual
        | Op::LessOrGreater
        | Op::FOrdLessThan
        | Op::FOrdLessThanEqual
        | Op::FOrdGreaterThan
        | Op::FOrdGreaterThanEqual
        | Op::Ordered
        | Op::FUnordEqual
        | Op::FUnordNotEqual
        | Op::FUnordLessThan
        | Op::FUnordLessThanEqual
        | Op::FUnordGreaterThan
        | Op::FUnordGreaterThanEqual
        | Op::Unordered => ("TRvv", Rule::FloatCompare),
        Op::IsNan | Op::IsInf | Op::IsFinite | Op::IsNormal | Op::SignBitSet => ("TRv", Rule::FloatCompare),
        Op::Any | Op::All => ("TRv", Rule::AnyAll),
        Op::VectorTimesScalar => ("TRvv", Rule::VectorTimesScalar),
        Op::Dot => ("TRvv", Rule::Dot),
        Op::ExpectKHR => ("TRvv", Rule::Expect),
        Op::AssumeTrueKHR => ("v", Rule::Condition),
        Op::ConvertFToU | Op::ConvertFToS => ("TRv", Rule::FloatToInt),
        Op::ConvertSToF | Op::ConvertUToF => ("TRv", Rule::IntToFloat),
        Op::FConvert => ("TRv", Rule::FloatToFloat),
        Op::UConvert | Op::SConvert | Op::SatConvertSToU | Op::SatConvertUToS => ("TRv", Rule::IntToInt),
        Op::Bitcast => ("TRv", Rule::Bitcast),
        Op::CopyObject => ("TRv", Rule::Copy),
        Op::CopyLogical => ("TRv", Rule::CopyLogical),
        Op::CompositeConstruct => ("TR*v", Rule::Construct),
        Op::CompositeExtract => ("TRv*n", Rule::Extract),
        Op::CompositeInsert => ("TRvv*n", Rule::Insert),
        Op::VectorExtractDynamic => ("TRvv", Rule::ExtractDynamic),
        Op::VectorInsertDynamic => ("TRvvv", Rule::InsertDynamic),
        Op::VectorShuffle => ("TRvv*n", Rule::Shuffle),
        Op::Select => ("TRvvv", Rule::Select),
        Op::IAddCarry | Op::ISubBorrow | Op::UMulExtended | Op::SMulExtended => ("TRvv", Rule::Extended),
        Op::SDot | Op::UDot | Op::SUDot => ("TRvv?n", Rule::None),
        Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat => ("TRvvv?n", Rule::None),
        Op::BitFieldInsert => ("TRvvvv", Rule::None),
        Op::BitFieldSExtract | Op::BitFieldUExtract => ("TRvvv", Rule::None),
        // Its operands depend on the set: the rule looks at them.
        Op::ExtInst => ("TRxn*n", Rule::ExtInst),
        _ => return None,
    })
}

fn memory(op: Op) -> Option<(&'static str, Rule)> {
    Some(match op {
        Op::Load => ("TRv?m", Rule::Load),
        Op::Store => ("vv?m", Rule::Store),
        Op::CopyMemory => ("vv?m?m", Rule::CopyMemory),
        Op::CopyMemorySized => ("vvv?m?m", Rule::CopyMemorySized),
        Op::AccessChain | Op::InBoundsAccessChain => ("TRv*v", Rule::Chain),
        Op::PtrAccessChain | Op::InBoundsPtrAccessChain => ("TRvv*v", Rule::Chain),
        Op::PtrCastToGeneric => ("TRv", Rule::ToGeneric),
        Op::GenericCastToPtr => ("TRv", Rule::FromGeneric),
        Op::GenericCastToPtrExplicit => ("TRvn", Rule::FromGeneric),
        Op::GenericPtrMemSemantics => ("TRv", Rule::PointerSemantics),
        Op::ConvertPtrToU => ("TRv", Rule::PointerToInt),
        Op::ConvertUToPtr => ("TRv", Rule::IntToPointer),
        Op::PtrEqual | Op::PtrNotEqual => ("TRvv", Rule::PointerCompare),
        Op::PtrDiff => ("TRvv", Rule::PointerDifference),
        Op::LifetimeStart | Op::LifetimeStop => ("vn", Rule::Pointer),
        Op::AtomicLoad => ("TRvvv", Rule::Atomic),
        Op::AtomicStore => ("vvvv", Rule::AtomicStore),
        Op::AtomicExchange
        | Op::AtomicIAdd
        | Op::AtomicISub
        | Op::AtomicUMin
        | Op::AtomicUMax
        | Op::AtomicSMin
        | Op::AtomicSMax
        | Op::AtomicAnd
        | Op::AtomicOr
        | Op::AtomicXor
        | Op::AtomicFAddEXT
        | Op::AtomicFMinEXT
        | Op::AtomicFMaxEXT => ("TRvvvv", Rule::Atomic),
        Op::AtomicIIncrement | Op::AtomicIDecrement => ("TRvvv", Rule::Atomic),
        Op::AtomicCompareExchange | Op::AtomicCompareExchangeWeak => ("TRvvvvvv", Rule::AtomicCompare),
        Op::AtomicFlagTestAndSet => ("TRvvv", Rule::AtomicFlag),
        Op::AtomicFlagClear => ("vvv", Rule::AtomicFlagClear),
        Op::ControlBarrier => ("vvv", Rule::ControlBarrier),
        Op::MemoryBarrier => ("vv", Rule::MemoryBarrier),
        Op::GroupAsyncCopy => ("TRvvvvvv", Rule::AsyncCopy),
        Op::GroupWaitEvents => ("vvv", Rule::WaitEvents),
        _ => return None,
    })
}

fn rest(op: Op) -> Option<(&'static str, Rule)> {
    let number = op as u32;
    Some(match op {
        Op::Function => ("TRnt", Rule::Function),
        Op::FunctionParameter => ("TR", Rule::Parameter),
        Op::FunctionEnd => ("", Rule::None),
        Op::FunctionCall => ("TRf*v", Rule::Call),
        Op::Label => ("R", Rule::None),
        Op::Phi => ("TR*pl", Rule::Phi),
        Op::LoopMerge => ("lln*n", Rule::Merge),
        Op::SelectionMerge => ("ln", Rule::Merge),
        Op::Branch => ("l", Rule::Branch),
        Op::BranchConditional => ("vll*n", Rule::Branch),
        // The width of the literals depends on the selector: the rule looks at what follows.
        Op::Switch => ("vl*n", Rule::Switch),
        Op::Return => ("", Rule::Return),
        Op::ReturnValue => ("v", Rule::Return),
        Op::Unreachable => ("", Rule::None),
        Op::SampledImage => ("TRvv", Rule::SampledImage),
        Op::ImageSampleExplicitLod => ("TRvv?n*v", Rule::Sample),
        Op::ImageRead => ("TRvv?n*v", Rule::ImageRead),
        Op::ImageWrite => ("vvv?n*v", Rule::ImageWrite),
        Op::ImageQuerySizeLod => ("TRvv", Rule::ImageQuery),
        Op::ImageQueryFormat
        | Op::ImageQueryOrder
        | Op::ImageQuerySize
        | Op::ImageQueryLevels
        | Op::ImageQuerySamples => ("TRv", Rule::ImageQuery),
        Op::GroupAll | Op::GroupAny => ("TRvv", Rule::None),
        Op::GroupBroadcast => ("TRvvv", Rule::None),
        _ if (Op::GroupIAdd as u32..=Op::GroupSMax as u32).contains(&number) => ("TRvnv", Rule::None),
        _ if (Op::GroupIMulKHR as u32..=Op::GroupLogicalXorKHR as u32).contains(&number) => {
            ("TRvnv", Rule::None)
        }
        Op::GroupNonUniformElect => ("TRv", Rule::None),
        Op::GroupNonUniformAll
        | Op::GroupNonUniformAny
        | Op::GroupNonUniformAllEqual
        | Op::GroupNonUniformBroadcastFirst
        | Op::GroupNonUniformBallot
        | Op::GroupNonUniformInverseBallot
        | Op::GroupNonUniformBallotFindLSB
        | Op::GroupNonUniformBallotFindMSB => ("TRvv", Rule::None),
        Op::GroupNonUniformBroadcast
        | Op::GroupNonUniformBallotBitExtract
        | Op::GroupNonUniformShuffle
        | Op::GroupNonUniformShuffleXor
        | Op::GroupNonUniformShuffleUp
        | Op::GroupNonUniformShuffleDown => ("TRvvv", Rule::None),
        Op::GroupNonUniformRotateKHR => ("TRvvv?v", Rule::None),
        Op::GroupNonUniformBallotBitCount => ("TRvnv", Rule::None),
        _ if (Op::GroupNonUniformIAdd as u32..=Op::GroupNonUniformLogicalXor as u32).contains(&number) => {
            ("TRvnv?v", Rule::None)
        }
        Op::SubgroupBallotKHR
        | Op::SubgroupFirstInvocationKHR
        | Op::SubgroupAllKHR
        | Op::SubgroupAnyKHR
        | Op::SubgroupAllEqualKHR
        | Op::SubgroupBlockReadINTEL => ("TRv", Rule::None),
        Op::SubgroupReadInvocationKHR
        | Op::SubgroupShuffleINTEL
        | Op::SubgroupShuffleXorINTEL
        | Op::SubgroupImageBlockReadINTEL => ("TRvv", Rule::None),
        Op::SubgroupShuffleDownINTEL | Op::SubgroupShuffleUpINTEL => ("TRvvv", Rule::None),
        Op::SubgroupBlockWriteINTEL => ("vv", Rule::None),
        Op::SubgroupImageBlockWriteINTEL => ("vvv", Rule::None),
        Op::ReadClockKHR => ("TRv", Rule::None),
        _ => return None,
    })
}
