//! The rules of pointers, accesses, atomics and barriers.

use super::rules::Rule;
use super::types::{Class, Kind};
use super::{Check, Checker, broken, ensure};
use spirv_io::Instruction;
use spirv_io::spirv::{Op, StorageClass};

impl Checker<'_> {
    /// The rules of memory; the others are passed on.
    pub(super) fn memory_rule(&mut self, rule: Rule, inst: &Instruction<'_>) -> Check {
        match rule {
            Rule::Load => {
                let (_, pointee) = self.pointer(inst.word(2)?)?;
                self.storable(pointee, "what is loaded")?;
                ensure(self.same(pointee, inst.word(0)?), "the result is not what the pointer points to")
            }
            Rule::Store => {
                let (_, pointee) = self.pointer(inst.word(0)?)?;
                self.storable(pointee, "what is stored")?;
                let object = self.type_of(inst.word(1)?);
                ensure(self.same(pointee, object), "the object is not what the pointer points to")
            }
            Rule::CopyMemory => {
                let ((_, to), (_, from)) = (self.pointer(inst.word(0)?)?, self.pointer(inst.word(1)?)?);
                self.storable(to, "what is copied")?;
                ensure(self.same(to, from), "the pointers point to two types")
            }
            Rule::CopyMemorySized => {
                self.pointer(inst.word(0)?)?;
                self.pointer(inst.word(1)?)?;
                ensure(self.kind_of(inst.word(2)?).is_int_scalar(), "the size is no integer")
            }
            Rule::Chain => self.chain(inst),
            Rule::ToGeneric | Rule::FromGeneric => self.generic(inst, rule == Rule::ToGeneric),
            Rule::PointerSemantics => {
                self.pointer(inst.word(2)?)?;
                ensure(self.kind(inst.word(0)?).is_int_scalar(), "the result is no integer")
            }
            Rule::PointerToInt => {
                self.pointer(inst.word(2)?)?;
                ensure(self.kind(inst.word(0)?).is_int_scalar(), "the result is no integer")
            }
            Rule::IntToPointer => {
                ensure(self.kind_of(inst.word(2)?).is_int_scalar(), "the operand is no integer")?;
                let pointer = matches!(self.kind(inst.word(0)?), Kind::Pointer { .. });
                ensure(pointer, "the result is no pointer")
            }
            Rule::PointerCompare | Rule::PointerDifference => {
                let (a, b) = (self.pointer(inst.word(2)?)?, self.pointer(inst.word(3)?)?);
                ensure(a.0 == b.0 && self.same(a.1, b.1), "the pointers have two types")?;
                let result = self.kind(inst.word(0)?);
                match rule {
                    Rule::PointerCompare => {
                        ensure(result.lanes_of(Class::Bool) == Some(1), "the result is no bool")
                    }
                    _ => {
                        self.storable(a.1, "what the pointers point to")?;
                        ensure(result.is_int_scalar(), "the result is no integer")
                    }
                }
            }
            Rule::Pointer => self.pointer(inst.word(0)?).map(|_| ()),
            Rule::Atomic => self.atomic(inst),
            Rule::AtomicStore => {
                let pointee = self.atomic_pointer(inst, 0)?;
                self.scope(inst.word(1)?)?;
                self.semantics(inst.word(2)?)?;
                let value = self.type_of(inst.word(3)?);
                ensure(self.same(pointee, value), "the value is not what the pointer points to")
            }
            Rule::AtomicCompare => {
                let (ty, pointee) = (inst.word(0)?, self.atomic_pointer(inst, 2)?);
                self.scope(inst.word(3)?)?;
                self.semantics(inst.word(4)?)?;
                self.semantics(inst.word(5)?)?;
                ensure(self.kind(ty).is_int_scalar(), "the result is no integer")?;
                let types = [pointee, self.type_of(inst.word(6)?), self.type_of(inst.word(7)?)];
                ensure(types.iter().all(|t| self.same(*t, ty)), "an operand has another type than the result")
            }
            Rule::AtomicFlag => {
                ensure(self.kind(inst.word(0)?).lanes_of(Class::Bool) == Some(1), "the result is no bool")?;
                self.flag(inst, 2)
            }
            Rule::AtomicFlagClear => self.flag(inst, 0),
            Rule::ControlBarrier => {
                let execution = inst.word(0)?;
                self.scope(execution)?;
                let open = self.m.op(execution) != Some(Op::Constant);
                let group = open || matches!(self.literal(execution), 2 | 3);
                ensure(group, "kernels execute barriers in work-groups or sub-groups")?;
                self.scope(inst.word(1)?)?;
                self.semantics(inst.word(2)?)
            }
            Rule::MemoryBarrier => {
                self.scope(inst.word(0)?)?;
                self.semantics(inst.word(1)?)
            }
            Rule::AsyncCopy => self.async_copy(inst),
            Rule::WaitEvents => {
                self.scope(inst.word(0)?)?;
                ensure(self.kind_of(inst.word(1)?).is_int_scalar(), "the number of events is no integer")?;
                let (_, event) = self.pointer(inst.word(2)?)?;
                ensure(self.kind(event) == Kind::Event, "the pointer points to no event")
            }
            _ => self.image_rule(rule, inst),
        }
    }

    fn chain(&self, inst: &Instruction<'_>) -> Check {
        let (storage, mut at) = self.pointer(inst.word(2)?)?;
        let by_element = matches!(inst.op, Op::PtrAccessChain | Op::InBoundsPtrAccessChain);
        for (i, index) in inst.rest(3).iter().enumerate() {
            ensure(self.kind_of(*index).is_int_scalar(), "an index is no integer")?;
            if by_element && i == 0 {
                self.storable(at, "an element")?;
                continue;
            }
            let constant = match self.m.op(*index) {
                Some(Op::Constant) => Some(self.literal(*index)),
                // LLVM's own backend, where it does not optimise.
                Some(Op::ConstantNull) => Some(0),
                _ => None,
            };
            at = self.part(at, constant)?;
        }
        let Kind::Pointer { storage: to, pointee } = self.kind(inst.word(0)?) else {
            return broken("the result is no pointer");
        };
        ensure(to == storage, "the result is in another storage class than the base")?;
        ensure(self.same(pointee, at), "the result points to another type than that of the indexed element")
    }

    fn generic(&self, inst: &Instruction<'_>, to_generic: bool) -> Check {
        let (from, pointee) = self.pointer(inst.word(2)?)?;
        let Kind::Pointer { storage, pointee: other } = self.kind(inst.word(0)?) else {
            return broken("the result is no pointer");
        };
        let (generic, named) = if to_generic { (storage, from) } else { (from, storage) };
        ensure(generic == StorageClass::Generic, "there is no generic pointer in it")?;
        let named_well =
            matches!(named, StorageClass::Workgroup | StorageClass::CrossWorkgroup | StorageClass::Function);
        ensure(named_well, "the other pointer is not to private, local or global memory")?;
        if inst.op == Op::GenericCastToPtrExplicit {
            ensure(inst.word(3)? == storage as u32, "its storage class is not the result's")?;
        }
        ensure(self.same(pointee, other), "it changes what the pointer points to")
    }

    /// A memory scope (§3.27); what is no plain constant is looked at when its value is known.
    fn scope(&self, id: u32) -> Check {
        ensure(self.kind_of(id).is_int_scalar(), "a scope is no integer")?;
        let known = self.m.op(id) != Some(Op::Constant) || self.literal(id) <= 4;
        ensure(known, "there is no such scope in kernels")
    }

    fn semantics(&self, id: u32) -> Check {
        ensure(self.kind_of(id).is_int_scalar(), "memory semantics are no integer")
    }

    /// The type that an atomic's pointer points to.
    fn atomic_pointer(&self, inst: &Instruction<'_>, index: usize) -> Result<u32, super::Fault> {
        let (storage, pointee) = self.pointer(inst.word(index)?)?;
        let memory = matches!(
            storage,
            StorageClass::Workgroup
                | StorageClass::CrossWorkgroup
                | StorageClass::Function
                | StorageClass::Generic
        );
        ensure(memory, "the pointer is not to private, local, global or generic memory")?;
        let scalar = self.kind(pointee).numeric().filter(|n| n.0 != Class::Bool && n.2 == 1);
        ensure(scalar.is_some(), "the pointer points to no number")?;
        Ok(pointee)
    }

    fn atomic(&self, inst: &Instruction<'_>) -> Check {
        let (ty, pointee) = (inst.word(0)?, self.atomic_pointer(inst, 2)?);
        self.scope(inst.word(3)?)?;
        self.semantics(inst.word(4)?)?;
        ensure(self.same(ty, pointee), "the result is not what the pointer points to")?;
        let class = self.kind(ty).numeric().map(|n| n.0);
        let fits = match inst.op {
            Op::AtomicLoad | Op::AtomicExchange => true,
            Op::AtomicFAddEXT | Op::AtomicFMinEXT | Op::AtomicFMaxEXT => class == Some(Class::Float),
            _ => class == Some(Class::Int),
        };
        ensure(fits, "the operation is not for numbers of this class")?;
        let same = inst.rest(5).iter().all(|v| self.same(self.type_of(*v), ty));
        ensure(same, "the value has another type than the result")
    }

    fn flag(&self, inst: &Instruction<'_>, index: usize) -> Check {
        let pointee = self.atomic_pointer(inst, index)?;
        let word = self.kind(pointee) == Kind::Numeric { class: Class::Int, bits: 32, lanes: 1 };
        ensure(word, "a flag is an integer of 32 bits")?;
        self.scope(inst.word(index + 1)?)?;
        self.semantics(inst.word(index + 2)?)
    }

    fn async_copy(&self, inst: &Instruction<'_>) -> Check {
        ensure(self.kind(inst.word(0)?) == Kind::Event, "the result is no event")?;
        self.scope(inst.word(2)?)?;
        let ((_, to), (_, from)) = (self.pointer(inst.word(3)?)?, self.pointer(inst.word(4)?)?);
        ensure(self.same(to, from), "the pointers point to two types")?;
        self.storable(to, "what is copied")?;
        let ints = [5, 6].iter().all(|i| self.kind_of(inst.operands[*i]).is_int_scalar());
        ensure(ints, "the number of elements or the stride is no integer")?;
        ensure(self.kind_of(inst.word(7)?) == Kind::Event, "the event is no event")
    }
}
