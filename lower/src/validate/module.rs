//! The rules outside of functions: entry points, decorations, types, constants, variables.

use super::rules::Rule;
use super::types::{Class, Kind};
use super::{Check, Checker, broken, ensure, unsupported};
use rustc_hash::{FxHashMap, FxHashSet};
use spirv_io::Instruction;
use spirv_io::spirv::{
    AddressingModel, BuiltIn, Capability, Decoration, ExecutionMode, ExecutionModel, LinkageType,
    MemoryModel, Op, StorageClass,
};

/// The facts that the walk has collected.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Pointer types that were announced, and where.
    pub forward: FxHashMap<u32, usize>,
    /// Their storage classes.
    pub classes: FxHashMap<u32, u32>,
    /// Kernels by name.
    names: FxHashSet<String>,
    /// Functions of entry points.
    pub entries: FxHashSet<u32>,
    /// The ids with a BuiltIn decoration, including decoration groups.
    builtins: FxHashSet<u32>,
    /// Addresses have 32 bits.
    pub narrow: bool,
    /// The imported ids.
    pub imports: FxHashSet<u32>,
    /// The type of the current function, and its parameters so far.
    pub signature: (u32, usize),
    /// It is an entry point's.
    pub in_kernel: bool,
    /// An instruction other than a phi comes before in the block.
    pub past_phis: bool,
}

impl Checker<'_> {
    /// The rules of the module's declarations; the others are passed on.
    pub(super) fn module_rule(&mut self, rule: Rule, inst: &Instruction<'_>) -> Check {
        match rule {
            Rule::None => Ok(()),
            Rule::Capability => match Capability::from_u32(inst.word(0)?) {
                Some(_) => Ok(()),
                None => unsupported(format!("the SPIR-V capability {}", inst.word(0)?)),
            },
            Rule::MemoryModel => {
                let addressing = AddressingModel::from_u32(inst.word(0)?);
                let physical =
                    matches!(addressing, Some(AddressingModel::Physical32 | AddressingModel::Physical64));
                self.seen.narrow = addressing == Some(AddressingModel::Physical32);
                ensure(physical, "the addressing model is not Physical32 or Physical64")?;
                let memory = MemoryModel::from_u32(inst.word(1)?);
                ensure(memory == Some(MemoryModel::OpenCL), "the memory model is not OpenCL")
            }
            Rule::EntryPoint => self.entry_point(inst),
            Rule::ExecutionMode => self.execution_mode(inst),
            Rule::Decorate => self.decorate(inst),
            Rule::GroupDecorate => {
                if self.seen.builtins.contains(&inst.word(0)?) {
                    self.seen.builtins.extend(inst.rest(1));
                }
                Ok(())
            }
            Rule::Member => {
                let (ty, member) = (inst.word(0)?, inst.word(1)?);
                ensure(self.m.op(ty) == Some(Op::TypeStruct), &format!("%{ty} is no structure"))?;
                let count = self.m.operands(ty).len() - 1;
                ensure((member as usize) < count, "the structure has no such member")
            }
            Rule::Type => self.type_declaration(inst),
            Rule::ForwardPointer => {
                let (id, storage) = (inst.word(0)?, inst.word(1)?);
                ensure(self.m.op(id) == Some(Op::TypePointer), &format!("%{id} is no pointer type"))?;
                self.seen.forward.insert(id, inst.at);
                self.seen.classes.insert(id, storage);
                Ok(())
            }
            Rule::BoolConstant => {
                let bools = self.kind(inst.word(0)?).lanes_of(Class::Bool) == Some(1);
                ensure(bools, "its type is not bool")
            }
            Rule::Constant => match self.kind(inst.word(0)?).numeric() {
                Some((Class::Int | Class::Float, bits, 1)) => {
                    let words = if bits > 32 { 2 } else { 1 };
                    ensure(inst.rest(2).len() == words, "its value is not as long as its type")
                }
                _ => broken("its type is no number"),
            },
            Rule::SamplerConstant => {
                ensure(self.kind(inst.word(0)?) == Kind::Sampler, "its type is no sampler")?;
                let known = inst.word(2)? <= 4 && inst.word(3)? <= 1 && inst.word(4)? <= 1;
                ensure(known, "it has a mode that there is not")
            }
            Rule::Null | Rule::Undef => self.storable(inst.word(0)?, "the result"),
            Rule::SpecConstantOp => self.spec_constant_op(inst),
            Rule::Variable => self.variable(inst),
            _ => self.value_rule(rule, inst),
        }
    }

    fn entry_point(&mut self, inst: &Instruction<'_>) -> Check {
        let kernel = ExecutionModel::from_u32(inst.word(0)?) == Some(ExecutionModel::Kernel);
        ensure(kernel, "an entry point that is no kernel")?;
        let function = inst.word(1)?;
        ensure(self.seen.names.insert(inst.string(2)?.0), "two kernels have one name")?;
        self.seen.entries.insert(function);
        ensure(self.kind(self.m.operand(function, 0)) == Kind::Void, "a kernel returns something")?;
        let (_, interface) = inst.string(2)?;
        let variables = inst.rest(interface).iter().all(|id| self.m.op(*id) == Some(Op::Variable));
        ensure(variables, "its interface has something that is no variable")
    }

    fn execution_mode(&self, inst: &Instruction<'_>) -> Check {
        let function = inst.word(0)?;
        ensure(self.seen.entries.contains(&function), &format!("%{function} is no kernel"))?;
        let sizes = inst.rest(2);
        match ExecutionMode::from_u32(inst.word(1)?) {
            Some(ExecutionMode::LocalSize) => {
                let three = sizes.len() == 3 && !sizes.contains(&0);
                ensure(three && inst.op == Op::ExecutionMode, "LocalSize needs three sizes that are not 0")
            }
            Some(ExecutionMode::LocalSizeHint) => {
                ensure(sizes.len() == 3 && inst.op == Op::ExecutionMode, "LocalSizeHint needs three sizes")
            }
            Some(ExecutionMode::LocalSizeId | ExecutionMode::LocalSizeHintId) => {
                ensure(inst.op == Op::ExecutionModeId, "this mode is for OpExecutionModeId")?;
                let ints = sizes.iter().all(|id| self.kind_of(*id).is_int_scalar());
                ensure(sizes.len() == 3 && ints, "it needs three sizes")
            }
            Some(ExecutionMode::SubgroupsPerWorkgroup | ExecutionMode::SubgroupSize) => {
                ensure(sizes.len() == 1 && sizes[0] > 0, "it needs a number that is not 0")
            }
            Some(ExecutionMode::SubgroupsPerWorkgroupId) => {
                ensure(inst.op == Op::ExecutionModeId, "this mode is for OpExecutionModeId")?;
                let ints = sizes.iter().all(|id| self.kind_of(*id).is_int_scalar());
                ensure(sizes.len() == 1 && ints, "it needs a number")
            }
            // Hints, and what is so anyway.
            Some(
                ExecutionMode::VecTypeHint
                | ExecutionMode::ContractionOff
                | ExecutionMode::SignedZeroInfNanPreserve
                | ExecutionMode::RoundingModeRTE,
            ) => Ok(()),
            Some(mode) => unsupported(format!("the execution mode {mode:?}")),
            None => unsupported(format!("execution mode {}", inst.word(1)?)),
        }
    }

    /// The decorations that something relies on.
    fn decorate(&mut self, inst: &Instruction<'_>) -> Check {
        let (target, literal) = (inst.word(0)?, inst.rest(2).first().copied());
        let some = |what: &str| ensure(literal.is_some(), &format!("the decoration lacks its {what}"));
        match Decoration::from_u32(inst.word(1)?) {
            Some(Decoration::BuiltIn) => {
                self.seen.builtins.insert(target);
                let known = literal.is_some_and(|n| BuiltIn::from_u32(n).is_some());
                ensure(known, "there is no such built-in variable")
            }
            Some(Decoration::FPRoundingMode) => {
                ensure(literal.is_some_and(|mode| mode < 4), "there is no such rounding mode")
            }
            Some(Decoration::Alignment) => some("alignment"),
            Some(Decoration::FuncParamAttr) => some("attribute"),
            Some(Decoration::MaxByteOffset) => some("offset"),
            Some(Decoration::SpecId) => {
                some("number")?;
                let scalar = matches!(
                    self.m.op(target),
                    Some(
                        Op::SpecConstant | Op::SpecConstantTrue | Op::SpecConstantFalse | Op::DecorationGroup
                    )
                );
                ensure(scalar, "its target is no specialization constant")
            }
            Some(Decoration::LinkageAttributes) => {
                let (_, at) = inst.string(2)?;
                let linkage = LinkageType::from_u32(inst.word(at)?);
                ensure(linkage.is_some(), "there is no such linkage")?;
                let symbol = matches!(self.m.op(target), Some(Op::Function | Op::Variable));
                ensure(symbol, "its target is no function or variable")?;
                if linkage == Some(LinkageType::Import) {
                    self.seen.imports.insert(target);
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn variable(&self, inst: &Instruction<'_>) -> Check {
        let Kind::Pointer { storage, pointee } = self.kind(inst.word(0)?) else {
            return broken("its type is no pointer");
        };
        ensure(inst.word(2)? == storage as u32, "its storage class is not its type's")?;
        self.storable(pointee, "what it holds")?;
        let local = storage == StorageClass::Function;
        ensure(local == (self.function != 0), "its storage class is not for here")?;
        ensure(storage != StorageClass::Generic, "no variable is generic")?;
        if let Some(init) = inst.rest(3).first() {
            let ty = self.type_of(*init);
            ensure(self.same(ty, pointee), "its initialiser has another type")?;
        }
        if storage == StorageClass::Input {
            let numeric = self.kind(pointee).numeric();
            let ids = matches!(numeric, Some((Class::Int, 32 | 64, 1 | 3 | 4)));
            ensure(ids, "a built-in variable is an integer, or three or four, of 32 or 64 bits")?;
            let named = self.seen.builtins.contains(&inst.word(1)?);
            ensure(named, "an input of kernels is a built-in variable")?;
        }
        match storage {
            StorageClass::Function
            | StorageClass::UniformConstant
            | StorageClass::Input
            | StorageClass::Workgroup
            | StorageClass::CrossWorkgroup => Ok(()),
            other => unsupported(format!("a variable in the storage class {other:?}")),
        }
    }
}
