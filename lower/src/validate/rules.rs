//! The rules for the types of operands and results, by name. The rule of an instruction's row in `grammar.rs` ensures what `read`
//! relies on.

use super::types::{Class, Kind};
use super::{Check, Checker, Fault, broken, ensure, unsupported};
use crate::link::is_debug_set;
use crate::read::types_fit;
use spirv_io::Instruction;
use spirv_io::spirv::{Op, OpenclStd100Op};

/// A rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    /// The operands' kinds say enough, or the reader looks at the types itself.
    None,
    // The module: module.rs.
    Capability,
    MemoryModel,
    EntryPoint,
    ExecutionMode,
    Decorate,
    GroupDecorate,
    Member,
    Type,
    ForwardPointer,
    BoolConstant,
    Constant,
    SamplerConstant,
    Null,
    SpecConstantOp,
    Undef,
    Variable,
    // Values.
    Ints,
    Shift,
    BitCount,
    Floats,
    Bools,
    IntCompare,
    FloatCompare,
    AnyAll,
    VectorTimesScalar,
    Dot,
    Expect,
    Condition,
    FloatToInt,
    IntToFloat,
    FloatToFloat,
    IntToInt,
    Bitcast,
    Copy,
    CopyLogical,
    Construct,
    Extract,
    Insert,
    ExtractDynamic,
    InsertDynamic,
    Shuffle,
    Select,
    Extended,
    ExtInst,
    // Memory: memory.rs.
    Load,
    Store,
    CopyMemory,
    CopyMemorySized,
    Chain,
    ToGeneric,
    FromGeneric,
    PointerSemantics,
    PointerToInt,
    IntToPointer,
    PointerCompare,
    PointerDifference,
    Pointer,
    Atomic,
    AtomicStore,
    AtomicCompare,
    AtomicFlag,
    AtomicFlagClear,
    ControlBarrier,
    MemoryBarrier,
    AsyncCopy,
    WaitEvents,
    // Images: image.rs.
    SampledImage,
    Sample,
    ImageRead,
    ImageWrite,
    ImageQuery,
    // Functions: function.rs.
    Function,
    Parameter,
    Call,
    Phi,
    Merge,
    Branch,
    Switch,
    Return,
}

impl Checker<'_> {
    /// The operands from word `from` on have the result's type.
    fn all_of_result(&self, inst: &Instruction<'_>, from: usize) -> Check {
        let ty = inst.word(0)?;
        let same = inst.rest(from).iter().all(|v| self.same(self.type_of(*v), ty));
        ensure(same, "an operand has another type than the result")
    }

    /// The lanes of the result, a scalar or vector of a class.
    fn result(&self, inst: &Instruction<'_>, class: Class) -> Result<u32, Fault> {
        self.kind(inst.word(0)?).lanes_of(class).ok_or_else(|| {
            let what = format!("{class:?}").to_lowercase();
            Fault::Rule(format!("the result is no {what} or vector of such"))
        })
    }

    /// An operand is a scalar or vector of a class with a number of lanes.
    fn operand_is(&self, inst: &Instruction<'_>, index: usize, class: Class, lanes: u32) -> Check {
        let found = self.kind_of(inst.word(index)?).lanes_of(class);
        let what = format!("{class:?}").to_lowercase();
        ensure(found == Some(lanes), &format!("operand {} is no {what} of {lanes} lanes", index + 1))
    }

    /// The rules of values.
    pub(super) fn value_rule(&mut self, rule: Rule, inst: &Instruction<'_>) -> Check {
        match rule {
            Rule::Ints => self.result(inst, Class::Int).and_then(|_| self.all_of_result(inst, 2)),
            Rule::Floats => self.result(inst, Class::Float).and_then(|_| self.all_of_result(inst, 2)),
            Rule::Bools => self.result(inst, Class::Bool).and_then(|_| self.all_of_result(inst, 2)),
            Rule::Shift => {
                let lanes = self.result(inst, Class::Int)?;
                let base = self.type_of(inst.word(2)?);
                ensure(self.same(base, inst.word(0)?), "the base has another type than the result")?;
                self.operand_is(inst, 3, Class::Int, lanes)
            }
            Rule::BitCount => {
                let lanes = self.result(inst, Class::Int)?;
                self.operand_is(inst, 2, Class::Int, lanes)
            }
            Rule::IntCompare | Rule::FloatCompare => {
                let lanes = self.result(inst, Class::Bool)?;
                let class = if rule == Rule::IntCompare { Class::Int } else { Class::Float };
                self.operand_is(inst, 2, class, lanes)?;
                let Some(second) = inst.rest(3).first() else { return Ok(()) };
                let same = self.same(self.type_of(inst.word(2)?), self.type_of(*second));
                ensure(same, "the operands have two types")
            }
            Rule::AnyAll => {
                ensure(self.result(inst, Class::Bool)? == 1, "the result is no single bool")?;
                let bools = self.kind_of(inst.word(2)?).lanes_of(Class::Bool).is_some();
                ensure(bools, "the operand is no vector of bools")
            }
            Rule::VectorTimesScalar => {
                self.result(inst, Class::Float)?;
                let (ty, scalar) = (inst.word(0)?, self.type_of(inst.word(3)?));
                ensure(self.same(self.type_of(inst.word(2)?), ty), "the vector is not of the result's type")?;
                let component = self.part(ty, None)?;
                ensure(self.same(component, scalar), "the scalar is not of the vector's component type")
            }
            Rule::Dot => {
                let (a, b) = (self.type_of(inst.word(2)?), self.type_of(inst.word(3)?));
                ensure(self.same(a, b), "the vectors have two types")?;
                ensure(self.result(inst, Class::Float)? == 1, "the result is no scalar")?;
                ensure(self.same(self.part(a, None)?, inst.word(0)?), "the result is no component's type")
            }
            Rule::Expect => {
                let class = self.kind(inst.word(0)?).numeric().map(|n| n.0);
                ensure(matches!(class, Some(Class::Int | Class::Bool)), "the result is no integer or bool")?;
                self.all_of_result(inst, 2)
            }
            Rule::Condition => self.operand_is(inst, 0, Class::Bool, 1),
            Rule::FloatToInt => self.conversion(inst, Class::Float, Class::Int),
            Rule::IntToFloat => self.conversion(inst, Class::Int, Class::Float),
            Rule::FloatToFloat => self.conversion(inst, Class::Float, Class::Float),
            Rule::IntToInt => self.conversion(inst, Class::Int, Class::Int),
            Rule::Bitcast => self.bitcast(inst),
            Rule::Copy => {
                self.storable(inst.word(0)?, "the result")?;
                self.all_of_result(inst, 2)
            }
            Rule::CopyLogical => {
                let (to, from) = (inst.word(0)?, self.type_of(inst.word(2)?));
                self.storable(to, "the result")?;
                ensure(self.logically_match(to, from), "the types do not match logically")
            }
            Rule::Construct => self.construct(inst),
            Rule::Extract => {
                let part = self.path(self.type_of(inst.word(2)?), inst.rest(3))?;
                ensure(self.same(part, inst.word(0)?), "the part has another type than the result")
            }
            Rule::Insert => {
                let ty = inst.word(0)?;
                ensure(
                    self.same(self.type_of(inst.word(3)?), ty),
                    "the composite is not of the result's type",
                )?;
                let part = self.path(ty, inst.rest(4))?;
                ensure(self.same(part, self.type_of(inst.word(2)?)), "the part is not of the object's type")
            }
            Rule::ExtractDynamic => {
                let (vector, index) = (self.type_of(inst.word(2)?), inst.word(3)?);
                ensure(self.is_vector(vector), "it takes from no vector")?;
                ensure(self.kind_of(index).is_int_scalar(), "the index is no integer")?;
                let component = self.part(vector, None)?;
                ensure(self.same(component, inst.word(0)?), "the result is no component's type")
            }
            Rule::InsertDynamic => {
                let ty = inst.word(0)?;
                ensure(self.is_vector(ty), "the result is no vector")?;
                ensure(self.same(self.type_of(inst.word(2)?), ty), "the vector is not of the result's type")?;
                let component = self.type_of(inst.word(3)?);
                ensure(self.same(self.part(ty, None)?, component), "the component is of another type")?;
                ensure(self.kind_of(inst.word(4)?).is_int_scalar(), "the index is no integer")
            }
            Rule::Shuffle => self.shuffle(inst),
            Rule::Select => self.select(inst),
            Rule::Extended => self.extended(inst),
            Rule::ExtInst => self.ext_inst(inst),
            _ => self.memory_rule(rule, inst),
        }
    }

    fn is_vector(&self, ty: u32) -> bool {
        self.kind(ty).numeric().is_some_and(|n| n.2 > 1)
    }

    fn conversion(&self, inst: &Instruction<'_>, from: Class, to: Class) -> Check {
        let lanes = self.result(inst, to)?;
        self.operand_is(inst, 2, from, lanes)
    }

    fn bitcast(&self, inst: &Instruction<'_>) -> Check {
        let (to, from) = (self.kind(inst.word(0)?), self.kind_of(inst.word(2)?));
        match (from, to) {
            (Kind::Pointer { storage: a, .. }, Kind::Pointer { storage: b, .. }) => {
                ensure(a == b, "it changes a pointer's storage class")
            }
            (Kind::Pointer { .. }, to) => ensure(self.holds_address(to), "a pointer becomes no integer"),
            (from, Kind::Pointer { .. }) => {
                ensure(self.holds_address(from), "a pointer is made of no integer")
            }
            (
                Kind::Numeric { class: a, bits: x, lanes: m },
                Kind::Numeric { class: b, bits: y, lanes: n },
            ) => {
                ensure(a != Class::Bool && b != Class::Bool, "a bool has no bits")?;
                // Three components count as four (OpenCL C, as_type on vectors of three).
                let padded = |lanes: u32| if lanes == 3 { 4 } else { lanes };
                let fits = x * m == y * n || x * padded(m) == y * padded(n);
                ensure(fits, "the types have different sizes")
            }
            _ => broken("an operand that has no bits"),
        }
    }

    /// An integer, or a vector of 32-bit ones as wide as an address (SPIR-V 1.5, OpBitcast).
    fn holds_address(&self, kind: Kind) -> bool {
        let words = if self.seen.narrow { 1 } else { 2 };
        kind.is_int_scalar() || kind == Kind::Numeric { class: Class::Int, bits: 32, lanes: words }
    }

    /// OpCompositeConstruct and composite constants.
    fn construct(&self, inst: &Instruction<'_>) -> Check {
        let (ty, parts) = (inst.word(0)?, inst.rest(2));
        match self.kind(ty) {
            Kind::Numeric { lanes, .. } if lanes > 1 => {
                let component = self.part(ty, None)?;
                let mut sum = 0u32;
                for part in parts {
                    let part = self.type_of(*part);
                    let own = if self.is_vector(part) { self.part(part, None)? } else { part };
                    ensure(self.same(own, component), "a part is not of the vector's component type")?;
                    sum = sum.saturating_add(self.kind(part).numeric().map_or(1, |n| n.2));
                }
                ensure(sum == lanes, "the parts are not as many as the vector's components")
            }
            Kind::Array { element } => {
                let same = parts.iter().all(|p| self.same(self.type_of(*p), element));
                ensure(same, "a part is not of the array's element type")?;
                let fits = self.length(ty).is_none_or(|n| n == parts.len() as u64);
                ensure(fits, "the parts are not as many as the array's elements")
            }
            Kind::Struct => {
                let members = self.m.operands(ty).get(1..).unwrap_or(&[]);
                ensure(members.len() == parts.len(), "the parts are not as many as the structure's members")?;
                let same = members.iter().zip(parts).all(|(m, p)| self.same(*m, self.type_of(*p)));
                ensure(same, "a part is not of its member's type")
            }
            _ => broken("the result is no composite"),
        }
    }

    /// Follows literal indices into a type.
    fn path(&self, mut ty: u32, indices: &[u32]) -> Result<u32, Fault> {
        for index in indices {
            if let (Kind::Array { .. }, Some(length)) = (self.kind(ty), self.length(ty)) {
                ensure(u64::from(*index) < length, "an index is outside an array")?;
            }
            ty = self.part(ty, Some(u64::from(*index)))?;
        }
        Ok(ty)
    }

    fn shuffle(&self, inst: &Instruction<'_>) -> Check {
        let (ty, a, b) = (inst.word(0)?, self.type_of(inst.word(2)?), self.type_of(inst.word(3)?));
        ensure([ty, a, b].iter().all(|t| self.is_vector(*t)), "it is not about vectors")?;
        let component = self.part(ty, None)?;
        for from in [a, b] {
            ensure(self.same(self.part(from, None)?, component), "the components have two types")?;
        }
        let lanes = |ty| self.kind(ty).numeric().map_or(0, |n| n.2);
        ensure(
            inst.rest(4).len() == lanes(ty) as usize,
            "it has not as many indices as the result has lanes",
        )?;
        let inside = inst.rest(4).iter().all(|i| *i < lanes(a) + lanes(b) || *i == u32::MAX);
        ensure(inside, "an index is outside both vectors")
    }

    fn select(&self, inst: &Instruction<'_>) -> Check {
        self.storable(inst.word(0)?, "the result")?;
        self.all_of_result(inst, 3)?;
        let lanes = self.kind_of(inst.word(2)?).lanes_of(Class::Bool);
        let fits = match (lanes, self.kind(inst.word(0)?)) {
            // One condition for a vector needs SPIR-V 1.4, but older modules have it too.
            (Some(1), _) => true,
            (Some(lanes), Kind::Numeric { lanes: n, .. }) => lanes == n,
            _ => false,
        };
        ensure(fits, "the condition is no bool, or no vector of as many as the result has lanes")
    }

    /// OpIAddCarry and kin: a structure of two equal integers.
    fn extended(&self, inst: &Instruction<'_>) -> Check {
        let ty = self.type_of(inst.word(2)?);
        ensure(self.kind(ty).lanes_of(Class::Int).is_some(), "an operand is no integer")?;
        ensure(self.same(ty, self.type_of(inst.word(3)?)), "the operands have two types")?;
        let members = self.m.operands(inst.word(0)?).get(1..).unwrap_or(&[]);
        let pair = self.kind(inst.word(0)?) == Kind::Struct
            && members.len() == 2
            && members.iter().all(|m| self.same(*m, ty));
        ensure(pair, "the result is no structure of two such integers")
    }

    /// An instruction of OpenCL.std, or of debug information, which decides nothing.
    fn ext_inst(&self, inst: &Instruction<'_>) -> Check {
        let (ty, set, number) = (inst.word(0)?, inst.word(2)?, inst.word(3)?);
        match self.m.sets.get(&set).map(String::as_str) {
            Some("OpenCL.std") => {}
            Some(name) if is_debug_set(name) => return Ok(()),
            Some(name) => return unsupported(format!("the instruction set {name}")),
            None => return broken("it names no instruction set"),
        }
        if OpenclStd100Op::from_u32(number).is_none() {
            return unsupported(format!("OpenCL.std instruction {number}"));
        }
        ensure(self.block != 0, "it stands outside of functions")?;
        // vloadn, vload_halfn, vloada_halfn; vstore_half_r, vstore_halfn_r, vstorea_halfn_r end in a literal.
        let literal = matches!(number, 171 | 174 | 179 | 176 | 178 | 181);
        let operands = inst.rest(4);
        let mut types = Vec::with_capacity(operands.len());
        for (i, operand) in operands.iter().enumerate() {
            if literal && i + 1 == operands.len() {
                types.push(crate::ir::Type::I32);
                continue;
            }
            self.value(*operand, inst.at)?;
            match self.kind_of(*operand).ir() {
                Some(ty) => types.push(ty),
                // printf's arguments may be anything.
                None if number == OpenclStd100Op::printf as u32 => {
                    return unsupported("such an argument of printf");
                }
                None => return broken(format!("%{operand} is no scalar, vector or pointer")),
            }
        }
        let result = match self.kind(ty) {
            Kind::Void => None,
            kind => Some(kind.ir().ok_or_else(|| Fault::Rule("the result is no value".to_owned()))?),
        };
        ensure(
            types_fit(number, result, &types),
            "the operands or the result have other types than it asks for",
        )
    }

    /// OpSpecConstantOp: the operation as if it stood alone. Outside of functions there are no values but constants.
    pub(super) fn spec_constant_op(&mut self, inst: &Instruction<'_>) -> Check {
        let op = Op::from_u32(inst.word(2)?)
            .ok_or_else(|| Fault::Rule("there is no such operation".to_owned()))?;
        let Some((letters, rule)) = super::grammar::form(op).filter(|_| is_constant_operation(op)) else {
            return unsupported(format!("Op{op:?} in a constant expression"));
        };
        let mut words = vec![inst.word(0)?, inst.word(1)?];
        words.extend_from_slice(inst.rest(3));
        let whole = Instruction { op, operands: &words, at: inst.at };
        self.operands(&whole, letters)?;
        self.rule(rule, &whole)
    }
}

/// The operations that constant expressions have (SPIR-V §3.52.7 OpSpecConstantOp), those of kernels included.
fn is_constant_operation(op: Op) -> bool {
    matches!(
        op,
        Op::SConvert
            | Op::UConvert
            | Op::FConvert
            | Op::ConvertFToS
            | Op::ConvertSToF
            | Op::ConvertFToU
            | Op::ConvertUToF
            | Op::ConvertPtrToU
            | Op::ConvertUToPtr
            | Op::GenericCastToPtr
            | Op::PtrCastToGeneric
            | Op::Bitcast
            | Op::SNegate
            | Op::FNegate
            | Op::Not
            | Op::IAdd
            | Op::ISub
            | Op::IMul
            | Op::UDiv
            | Op::SDiv
            | Op::UMod
            | Op::SRem
            | Op::SMod
            | Op::FAdd
            | Op::FSub
            | Op::FMul
            | Op::FDiv
            | Op::FRem
            | Op::FMod
            | Op::ShiftRightLogical
            | Op::ShiftRightArithmetic
            | Op::ShiftLeftLogical
            | Op::BitwiseOr
            | Op::BitwiseXor
            | Op::BitwiseAnd
            | Op::VectorShuffle
            | Op::CompositeExtract
            | Op::CompositeInsert
            | Op::LogicalOr
            | Op::LogicalAnd
            | Op::LogicalNot
            | Op::LogicalEqual
            | Op::LogicalNotEqual
            | Op::Select
            | Op::IEqual
            | Op::INotEqual
            | Op::ULessThan
            | Op::SLessThan
            | Op::UGreaterThan
            | Op::SGreaterThan
            | Op::ULessThanEqual
            | Op::SLessThanEqual
            | Op::UGreaterThanEqual
            | Op::SGreaterThanEqual
            | Op::AccessChain
            | Op::InBoundsAccessChain
            | Op::PtrAccessChain
            | Op::InBoundsPtrAccessChain
    )
}
