//! Variables, loads, stores, copies, access chains, pointer conversions.

use super::function::{FunctionReader, Leaves};
use super::members::{Inside, Member};
use super::types::{Leaf, Ty};
use super::{constants, invalid, not_yet};
use crate::check::Access;
use crate::error::LowerError;
use crate::ir::fold;
use crate::ir::{
    BinaryOp, Constant, ConvertOp, InstKind, IntCC, MemFlags, Place, Root, Scalar, SlotData, Space, Type,
    Value, WorkItem,
};
use spirv_io::Instruction;
use spirv_io::spirv::{BuiltIn, Decoration, Op, StorageClass};

impl<'a> FunctionReader<'a> {
    /// Translates a memory instruction; false if it is none.
    pub fn memory(&mut self, inst: &Instruction<'_>) -> Result<bool, LowerError> {
        match inst.op {
            Op::Variable => self.variable(inst)?,
            Op::Load => self.load(inst)?,
            Op::Store => self.store(inst)?,
            Op::CopyMemory => {
                let pointee = self.pointee(inst.word(0)?)?;
                let bytes = self.tables().types.get(pointee)?.size;
                self.copy(inst, bytes, 2)?;
            }
            Op::CopyMemorySized => {
                let size = inst.word(2)?;
                let bytes = constants::bits(self.tables(), size)
                    .map_err(|_| not_yet("", "a memory copy whose size is no constant"))?;
                self.copy(inst, bytes, 3)?;
            }
            Op::AccessChain | Op::InBoundsAccessChain | Op::PtrAccessChain | Op::InBoundsPtrAccessChain => {
                self.chain(inst)?;
            }
            Op::PtrCastToGeneric | Op::GenericCastToPtr | Op::ConvertPtrToU | Op::ConvertUToPtr => {
                self.convert_pointer(inst)?;
            }
            Op::GenericCastToPtrExplicit => {
                let (ty, value) = (self.tables().types.plain(inst.word(0)?)?, self.value(inst.word(2)?)?);
                self.check_pointer(value)?;
                let result = self.emit(InstKind::PtrToSpace(value), ty);
                self.define_one(inst, result)?;
            }
            Op::GenericPtrMemSemantics => self.pointer_semantics(inst)?,
            Op::PtrEqual | Op::PtrNotEqual => {
                let (a, b) = (self.value(inst.word(2)?)?, self.value(inst.word(3)?)?);
                let cc = if inst.op == Op::PtrEqual { IntCC::Eq } else { IntCC::Ne };
                let value = self.emit(InstKind::ICmp(cc, a, b), Type::BOOL);
                self.define_one(inst, value)?;
            }
            Op::PtrDiff => self.pointer_difference(inst)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Records the one leaf of an instruction's result.
    pub fn define_one(&mut self, inst: &Instruction<'_>, value: Value) -> Result<(), LowerError> {
        self.define(inst.word(1)?, inst.word(0)?, Leaves::from_buf([value]));
        Ok(())
    }

    /// The integer type as wide as an address.
    pub fn address_type(&self) -> Type {
        if self.tables().types.address_bits == 64 { Type::I64 } else { Type::I32 }
    }

    fn pointee(&self, id: u32) -> Result<u32, LowerError> {
        Ok(self.tables().types.pointer(self.type_of(id)?)?.2)
    }

    fn variable(&mut self, inst: &Instruction<'_>) -> Result<(), LowerError> {
        let (ty, id) = (inst.word(0)?, inst.word(1)?);
        let types = &self.tables().types;
        let (storage, _, pointee) = types.pointer(ty)?;
        if storage != StorageClass::Function {
            return Err(invalid(format!("a variable in {storage:?} inside a function")));
        }
        if types.get(pointee)?.leaves == 1
            && let [leaf] = types.leaves(pointee)?.as_slice()
            && matches!(leaf.ty, Type::Opaque(_))
        {
            let first = inst.rest(3).first().map(|id| self.leaves(*id)).transpose()?;
            self.held.insert(id, first);
            return Ok(());
        }
        let data = types.get(pointee)?;
        let declared = self.tables().literal(id, Decoration::Alignment).filter(|a| a.is_power_of_two());
        let slot = self.f.slots.push(SlotData {
            name: self.tables().names.get(&id).cloned(),
            size: data.size,
            align: data.align.max(declared.unwrap_or(1)),
        });
        let align = data.align;
        let pointer = self.emit(InstKind::RootAddr(Root::Slot(slot)), types.plain(ty)?);
        self.define_one(inst, pointer)?;
        if self.shared.members {
            self.members.insert(id, Inside::none(true));
        }
        if let Some(init) = inst.rest(3).first() {
            let flags = MemFlags { align, volatile: false };
            let leaves = self.leaves(*init)?;
            self.store_leaves(pointer, pointee, &leaves, flags)?;
        }
        Ok(())
    }

    /// Memory operands (SPIR-V §3.27) at operand `index`: volatile and alignment.
    fn flags(&self, inst: &Instruction<'_>, index: usize, ty: u32) -> Result<MemFlags, LowerError> {
        let types = &self.tables().types;
        let natural = match types.get(ty)?.ty {
            // The elements' alignment: OpenCL lets vloadn's pointers be passed on as vectors only
            // where they are aligned, so the vector's own is right.
            Ty::Void | Ty::Function { .. } => 1,
            _ => types.get(ty)?.align,
        };
        let mut flags = MemFlags { align: natural, volatile: false };
        if let Some(mask) = inst.rest(index).first() {
            flags.volatile = mask & 1 != 0;
            if mask & 2 != 0 {
                let align = inst.word(index + 1)?;
                // 0 means "unknown" in some producers' modules.
                if align.is_power_of_two() {
                    flags.align = align;
                } else if align != 0 {
                    return Err(inst.bad(index + 1).into());
                }
            }
        }
        Ok(flags)
    }

    fn load(&mut self, inst: &Instruction<'_>) -> Result<(), LowerError> {
        let (ty, id, pointer) = (inst.word(0)?, inst.word(1)?, inst.word(2)?);
        if let Some((builtin, pointee, component)) = self.builtins.get(&pointer).copied() {
            return self.load_builtin(inst, builtin, pointee, component);
        }
        if let Some(held) = self.held.get(&pointer) {
            let image =
                held.clone().ok_or_else(|| not_yet("", "an image variable that is read before it is set"))?;
            self.define(id, ty, image);
            return Ok(());
        }
        let flags = self.flags(inst, 3, ty)?;
        self.mark_member_of(pointer, ty, Access::Read)?;
        let pointer = self.value(pointer)?;
        let leaves = self.load_leaves(pointer, ty, flags)?;
        self.define(id, ty, leaves);
        Ok(())
    }

    fn leaf_place(&mut self, pointer: Value, offset: u64, flags: MemFlags) -> (Value, MemFlags) {
        if offset == 0 {
            return (pointer, flags);
        }
        let ty = self.f.ty(pointer);
        let pointer = self.emit(InstKind::PtrOffset { base: pointer, bytes: offset as i64 }, ty);
        let align = u64::from(flags.align).min(1 << offset.trailing_zeros());
        (pointer, MemFlags { align: align as u32, ..flags })
    }

    /// Loads a value leaf by leaf.
    pub fn load_leaves(&mut self, pointer: Value, ty: u32, flags: MemFlags) -> Result<Leaves, LowerError> {
        self.check_pointer(pointer)?;
        let mut values = Leaves::new();
        let leaves = self.tables().types.leaves(ty)?;
        no_images(&leaves)?;
        for leaf in leaves {
            let (pointer, flags) = self.leaf_place(pointer, leaf.offset, flags);
            let place = Place::Pointer(pointer);
            values.push(if leaf.ty.scalar() == Some(Scalar::Bool) {
                let byte = leaf.ty.with_scalar(Scalar::I8);
                let value = self.emit(InstKind::Load { place, flags }, byte);
                let zero = self.f.iconst(byte, 0);
                self.emit(InstKind::ICmp(IntCC::Ne, value, zero), leaf.ty)
            } else {
                self.emit(InstKind::Load { place, flags }, leaf.ty)
            });
        }
        Ok(values)
    }

    /// Stores a value leaf by leaf.
    pub fn store_leaves(
        &mut self,
        pointer: Value,
        ty: u32,
        values: &[Value],
        flags: MemFlags,
    ) -> Result<(), LowerError> {
        self.check_pointer(pointer)?;
        let leaves = self.tables().types.leaves(ty)?;
        if leaves.len() != values.len() {
            return Err(invalid("a store of a value of another type"));
        }
        no_images(&leaves)?;
        let seen_by_others =
            matches!(self.f.ty(pointer), Type::Ptr(Space::Global | Space::Local | Space::Generic));
        let line = self.line;
        if self.shared.copies && seen_by_others && leaves.len() > 1 {
            // Members may never have been written.
            self.line = line.marked();
        }
        for (leaf, value) in leaves.iter().zip(values) {
            let (pointer, flags) = self.leaf_place(pointer, leaf.offset, flags);
            let mut value = *value;
            if leaf.ty.scalar() == Some(Scalar::Bool) {
                value = self.bool_to_int(value, leaf.ty.with_scalar(Scalar::I8));
            }
            self.emit_void(InstKind::Store { place: Place::Pointer(pointer), value, flags });
        }
        self.line = line;
        Ok(())
    }

    /// 1 or 0 for true or false, in each lane.
    fn bool_to_int(&mut self, value: Value, ty: Type) -> Value {
        let (one, zero) = (self.f.iconst(ty, 1), self.f.iconst(ty, 0));
        self.emit(InstKind::Select(value, one, zero), ty)
    }

    fn check_pointer(&self, pointer: Value) -> Result<(), LowerError> {
        match self.f.ty(pointer) {
            Type::Ptr(_) => Ok(()),
            other => Err(invalid(format!("an access through a {other}"))),
        }
    }

    fn store(&mut self, inst: &Instruction<'_>) -> Result<(), LowerError> {
        let (pointer, object) = (inst.word(0)?, inst.word(1)?);
        let ty = self.type_of(object)?;
        if self.held.contains_key(&pointer) {
            return self.hold(pointer, object);
        }
        let flags = self.flags(inst, 2, ty)?;
        self.mark_member_of(pointer, ty, Access::Write)?;
        let (pointer, values) = (self.value(pointer)?, self.leaves(object)?);
        self.store_leaves(pointer, ty, &values, flags)
    }

    /// Sets a variable that holds an image: once, where every block comes after.
    fn hold(&mut self, variable: u32, object: u32) -> Result<(), LowerError> {
        let image = self.leaves(object)?;
        let before = self.held.get(&variable).and_then(Option::as_ref);
        if before.is_some_and(|before| *before != image) || self.at != self.entry {
            return Err(not_yet("", "an image variable that is set to several images"));
        }
        self.held.insert(variable, Some(image));
        Ok(())
    }

    fn copy(&mut self, inst: &Instruction<'_>, bytes: u64, operands: usize) -> Result<(), LowerError> {
        let (to, from) = (inst.word(0)?, inst.word(1)?);
        let mut flags = self.flags(inst, operands, self.pointee(to)?)?;
        if inst.rest(operands).first().is_none_or(|m| m & 2 == 0) {
            let source = self.tables().types.get(self.pointee(from)?)?.align;
            flags.align = flags.align.min(source);
        }
        self.mark_member(from, bytes, Access::Read);
        self.mark_member(to, bytes, Access::Write);
        let (dst, src) = (self.value(to)?, self.value(from)?);
        self.emit_void(InstKind::Copy { dst, src, bytes, flags });
        Ok(())
    }

    fn load_builtin(
        &mut self,
        inst: &Instruction<'_>,
        builtin: BuiltIn,
        pointee: u32,
        component: Option<u64>,
    ) -> Result<(), LowerError> {
        let what =
            work_item(builtin).ok_or_else(|| not_yet("", format!("the built-in variable {builtin:?}")))?;
        let ty = self.tables().types.plain(pointee)?;
        let Some(scalar) = ty.scalar().filter(|s| s.is_int() && s.bits() >= 32) else {
            return Err(invalid("a built-in variable of another type"));
        };
        let mut one = |dimension: u8| {
            if self.shared.wide
                && let Some(value) = self.wide_number(what, dimension)
            {
                return self.resize(value, Type::Scalar(scalar));
            }
            let value = self.emit(InstKind::WorkItem(what, dimension), Type::I32);
            let wide = Type::Scalar(scalar);
            if wide == Type::I32 { value } else { self.convert(ConvertOp::ZExt, value, wide) }
        };
        // Masks of sub-groups have four words, everything else a number for each dimension.
        let needed = match what {
            WorkItem::SubgroupEqMask
            | WorkItem::SubgroupGeMask
            | WorkItem::SubgroupGtMask
            | WorkItem::SubgroupLeMask
            | WorkItem::SubgroupLtMask => 4,
            _ => 3,
        };
        let value = match (ty, component) {
            (Type::Scalar(_), _) if needed == 3 => one(0),
            (Type::Vector(_, lanes), Some(n)) if lanes == needed && n < u64::from(lanes) => one(n as u8),
            (Type::Vector(_, lanes), None) if lanes == needed => {
                let parts = (0..lanes).map(one).collect();
                self.emit(InstKind::Construct(parts), ty)
            }
            _ => return Err(invalid("a built-in variable of another type")),
        };
        self.define_one(inst, value)
    }

    /// A 64-bit value of a builtin that may exceed 2^32, from its two words. An id is computed from its low word and the start of the
    /// dispatch, since no dispatch has 2^32 work-items.
    fn wide_number(&mut self, what: WorkItem, dimension: u8) -> Option<Value> {
        let high = match what {
            WorkItem::GlobalSize => WorkItem::GlobalSizeHigh,
            WorkItem::GlobalOffset => WorkItem::GlobalOffsetHigh,
            WorkItem::GlobalId => WorkItem::GlobalStartHigh,
            WorkItem::GlobalLinearId => return Some(self.wide_linear_id()),
            _ => return None,
        };
        let low = self.emit(InstKind::WorkItem(what, dimension), Type::I32);
        let high = self.emit(InstKind::WorkItem(high, dimension), Type::I32);
        let (low64, mut high) =
            (self.convert(ConvertOp::ZExt, low, Type::I64), self.convert(ConvertOp::ZExt, high, Type::I64));
        if what == WorkItem::GlobalId {
            let start = self.emit(InstKind::WorkItem(WorkItem::GlobalStart, dimension), Type::I32);
            let carries = self.emit(InstKind::ICmp(IntCC::Ult, low, start), Type::BOOL);
            let (one, zero) = (self.f.iconst(Type::I64, 1), self.f.iconst(Type::I64, 0));
            let carry = self.emit(InstKind::Select(carries, one, zero), Type::I64);
            high = self.emit(InstKind::Binary(BinaryOp::IAdd, high, carry), Type::I64);
        }
        let bits = self.f.iconst(Type::I64, 32);
        let high = self.emit(InstKind::Binary(BinaryOp::Shl, high, bits), Type::I64);
        Some(self.emit(InstKind::Binary(BinaryOp::Or, high, low64), Type::I64))
    }

    /// Ids without the global offset, row by row (OpenCL C §6.15.1).
    fn wide_linear_id(&mut self) -> Value {
        let mut linear = self.f.iconst(Type::I64, 0);
        for dimension in (0..3).rev() {
            let mut number = |what| self.wide_number(what, dimension).unwrap_or(linear);
            let (id, offset) = (number(WorkItem::GlobalId), number(WorkItem::GlobalOffset));
            let size = number(WorkItem::GlobalSize);
            let relative = self.emit(InstKind::Binary(BinaryOp::ISub, id, offset), Type::I64);
            let scaled = self.emit(InstKind::Binary(BinaryOp::IMul, linear, size), Type::I64);
            linear = self.emit(InstKind::Binary(BinaryOp::IAdd, scaled, relative), Type::I64);
        }
        linear
    }

    fn chain(&mut self, inst: &Instruction<'_>) -> Result<(), LowerError> {
        let (ty, id, base) = (inst.word(0)?, inst.word(1)?, inst.word(2)?);
        if let Some((builtin, pointee, None)) = self.builtins.get(&base).copied() {
            let index = constants::bits(self.tables(), inst.word(3)?)?;
            self.builtins.insert(id, (builtin, pointee, Some(index)));
            return Ok(());
        }
        let mut at = self.pointee(base)?;
        let mut pointer = self.value(base)?;
        self.check_pointer(pointer)?;
        let by_element = matches!(inst.op, Op::PtrAccessChain | Op::InBoundsPtrAccessChain);
        let mut offset = 0i64;
        let mut inside = self.inside(base);
        for (i, index) in inst.rest(3).iter().enumerate() {
            let whole = by_element && i == 0;
            let value = self.value(*index)?;
            if let Some(constant) = self.f.const_signed(value) {
                let (part, step) = constants::chain_step(self.tables(), at, constant, whole)?;
                inside.step(None, step, whole);
                if !whole && self.shared.members {
                    self.enter(&mut inside, at, constant, part)?;
                    let members = match &self.tables().types.get(at)?.ty {
                        Ty::Struct { members, .. } => members.len(),
                        _ => 0,
                    };
                    inside.note_last(usize::try_from(constant) == Ok(members.wrapping_sub(1)));
                }
                at = part;
                offset = offset.wrapping_add(step);
                continue;
            }
            if !whole && matches!(self.tables().types.get(at)?.ty, Ty::Struct { .. }) {
                return Err(invalid("a structure's member is chosen by a variable"));
            }
            let step;
            (at, step) = constants::chain_step(self.tables(), at, 1, whole)?;
            if step < 0 {
                return Err(invalid("an element type is too large"));
            }
            inside.step(Some(value), step, whole);
            if !whole {
                inside.note_last(false);
            }
            pointer = self.pointer_add(pointer, value, step as u64)?;
        }
        if self.shared.members {
            self.members.insert(id, inside);
        }
        let result = self.tables().types.plain(ty)?;
        if result != self.f.ty(pointer) {
            return Err(invalid("an access chain changes the storage class"));
        }
        if offset != 0 {
            pointer = self.emit(InstKind::PtrOffset { base: pointer, bytes: offset }, result);
        }
        self.define(id, ty, Leaves::from_iter([pointer]));
        Ok(())
    }

    /// The members that the pointer with an id is in.
    fn inside(&self, id: u32) -> Inside {
        let known = self.members.get(&id).cloned();
        known.unwrap_or_else(|| Inside::none(self.shared.globals.contains_key(&id)))
    }

    /// Notes that the pointer with an id is converted to another type, which gives another id.
    pub fn convert_inside(&mut self, from: u32, (to, ty): (u32, u32)) -> Result<(), LowerError> {
        let types = &self.tables().types;
        let (Ok((.., whole)), Ok((.., part))) = (types.pointer(self.type_of(from)?), types.pointer(ty))
        else {
            return Ok(());
        };
        let (whole, part) = (types.get(whole)?, types.get(part)?);
        if !self.shared.members || !matches!(whole.ty, Ty::Struct { .. }) {
            return Ok(());
        }
        let inside = self.inside(from);
        let inside = match (&part.ty, u32::try_from(part.size)) {
            (Ty::Array { length: 1.., .. }, Ok(size @ 1..)) if part.size <= whole.size => {
                inside.of_union(size)
            }
            _ => inside.converted(whole.size),
        };
        if !inside.is_empty() {
            self.members.insert(to, inside);
        }
        Ok(())
    }

    /// Notes a step from a type to one of its parts, by a constant index, if it leads from a struct to an array.
    fn enter(&self, inside: &mut Inside, from: u32, index: i64, to: u32) -> Result<(), LowerError> {
        let tables = self.tables();
        let (from_type, to_type) = (tables.types.get(from)?, tables.types.get(to)?);
        if let (Ty::Struct { members, .. }, Ty::Array { length: 1.., .. }) = (&from_type.ty, &to_type.ty)
            && let (Ok(size @ 1..), Ok(index)) = (u32::try_from(to_type.size), u32::try_from(index))
        {
            let name = tables.member_names.range(..(from, index)).count() as u32;
            inside.enter(size, name, index as usize + 1 == members.len());
        }
        Ok(())
    }

    /// Puts marks before an access of some bytes through the pointer with an id ([`super::members`]).
    pub fn mark_member(&mut self, id: u32, bytes: u64, access: Access) {
        let Some((bytes, members)) = self.members.get(&id).map(|inside| inside.to_look_at(bytes)) else {
            return;
        };
        for Member { constant, terms, size, name } in members {
            let mut offset = self.f.iconst(Type::I64, constant as u64);
            for (index, scale) in terms {
                let index = match self.f.ty(index) {
                    Type::I64 => index,
                    _ => self.convert(ConvertOp::SExt, index, Type::I64),
                };
                let scale = self.f.iconst(Type::I64, scale);
                let step = self.emit(InstKind::Binary(BinaryOp::IMul, index, scale), Type::I64);
                offset = self.emit(InstKind::Binary(BinaryOp::IAdd, offset, step), Type::I64);
            }
            self.emit_void(InstKind::MemberAccess { offset, bytes, size, name, access: access as u8 });
        }
    }

    /// Puts marks before an access of a type.
    fn mark_member_of(&mut self, id: u32, ty: u32, access: Access) -> Result<(), LowerError> {
        if self.members.contains_key(&id) {
            self.mark_member(id, self.tables().types.get(ty)?.size, access);
        }
        Ok(())
    }

    /// pointer + index × scale; narrow indices are signed (SPIR-V OpAccessChain).
    fn pointer_add(&mut self, base: Value, index: Value, scale: u64) -> Result<Value, LowerError> {
        let index = match self.f.ty(index) {
            Type::I32 | Type::I64 => index,
            Type::Scalar(Scalar::I8 | Scalar::I16) => self.convert(ConvertOp::SExt, index, Type::I32),
            other => return Err(invalid(format!("an index of type {other}"))),
        };
        let ty = self.f.ty(base);
        Ok(self.emit(InstKind::PtrAdd { base, index, scale }, ty))
    }

    fn convert_pointer(&mut self, inst: &Instruction<'_>) -> Result<(), LowerError> {
        let ty = self.tables().types.plain(inst.word(0)?)?;
        let value = self.value(inst.word(2)?)?;
        let result = self.pointer_conversion(value, ty)?;
        self.define_one(inst, result)
    }

    /// A pointer or integer as another pointer or integer type.
    pub fn pointer_conversion(&mut self, value: Value, to: Type) -> Result<Value, LowerError> {
        let (from, address) = (self.f.ty(value), self.address_type());
        Ok(match (from, to) {
            _ if from == to => value,
            (Type::Ptr(_), Type::Ptr(_)) => {
                if let Some(0) = self.f.const_bits(value) {
                    return Ok(self.f.constant(to, Constant::Bits(0)));
                }
                self.emit(InstKind::PtrCast(value), to)
            }
            (Type::Ptr(_), Type::Scalar(s)) if s.is_int() => {
                let bits = self.emit(InstKind::PtrToInt(value), address);
                self.resize(bits, to)
            }
            // A vector of two halves (SPIR-V 1.5).
            (Type::Ptr(_), Type::Vector(s, _)) if s.is_int() && to.bytes() == address.bytes() => {
                let bits = self.emit(InstKind::PtrToInt(value), address);
                self.emit(InstKind::Bitcast(bits), to)
            }
            (Type::Vector(s, _), Type::Ptr(_)) if s.is_int() && from.bytes() == address.bytes() => {
                let bits = self.emit(InstKind::Bitcast(value), address);
                self.emit(InstKind::IntToPtr(bits), to)
            }
            (Type::Scalar(s), Type::Ptr(_)) if s.is_int() => {
                let bits = self.resize(value, address);
                self.emit(InstKind::IntToPtr(bits), to)
            }
            _ => return Err(not_yet("", format!("a conversion from {from} to {to}"))),
        })
    }

    /// An unsigned integer as wide as another type.
    pub fn resize(&mut self, value: Value, to: Type) -> Value {
        let bits = |t: Type| t.scalar().map_or(0, Scalar::bits);
        match bits(self.f.ty(value)).cmp(&bits(to)) {
            std::cmp::Ordering::Less => self.convert(ConvertOp::ZExt, value, to),
            std::cmp::Ordering::Equal => value,
            std::cmp::Ordering::Greater => self.convert(ConvertOp::Trunc, value, to),
        }
    }

    /// A plain conversion.
    pub fn convert(&mut self, op: ConvertOp, value: Value, to: Type) -> Value {
        self.emit(InstKind::Convert { op, value, saturate: false, rounding: None }, to)
    }

    /// The storage class of a generic pointer as memory semantics (SPIR-V OpGenericPtrMemSemantics): the bits for work-group (0x100)
    /// and cross-work-group (0x200) memory. Private memory has none.
    fn pointer_semantics(&mut self, inst: &Instruction<'_>) -> Result<(), LowerError> {
        let value = self.value(inst.word(2)?)?;
        self.check_pointer(value)?;
        let fence = self.emit(InstKind::PtrFence(value), Type::I32);
        let eight = self.f.iconst(Type::I32, 8);
        let bits = self.emit(InstKind::Binary(BinaryOp::Shl, fence, eight), Type::I32);
        let result = self.resize(bits, self.tables().types.plain(inst.word(0)?)?);
        self.define_one(inst, result)
    }

    /// The pointer from which an address-sized integer was converted. A constant zero gives null.
    fn integers_pointer(&mut self, value: Value, other: Option<Type>) -> Option<Value> {
        match self.f.def_inst(value).map(|d| &d.kind) {
            Some(InstKind::PtrToInt(pointer)) if self.f.ty(value) == self.address_type() => Some(*pointer),
            Some(_) => None,
            None if self.f.const_bits(value) == Some(0) => Some(self.f.constant(other?, Constant::Bits(0))),
            None => None,
        }
    }

    /// A comparison or difference of two pointers that were converted to integers becomes one of the pointers. It is lowered when the
    /// pointers' base objects are known (`passes/address/lower_addresses`). Returns the two pointers, with one type.
    pub fn pointer_operands(&mut self, a: Value, b: Value) -> Option<(Value, Value)> {
        let a_type = self.integers_pointer(a, None).map(|p| self.f.ty(p));
        let b_type = self.integers_pointer(b, None).map(|p| self.f.ty(p));
        let ty = a_type.or(b_type)?;
        if a_type.is_some_and(|t| t != ty) || b_type.is_some_and(|t| t != ty) {
            return None;
        }
        Some((self.integers_pointer(a, Some(ty))?, self.integers_pointer(b, Some(ty))?))
    }

    fn pointer_difference(&mut self, inst: &Instruction<'_>) -> Result<(), LowerError> {
        let size = self.tables().types.get(self.pointee(inst.word(2)?)?)?.size.max(1);
        let address = self.address_type();
        let (a, b) = (self.value(inst.word(2)?)?, self.value(inst.word(3)?)?);
        self.check_pointer(a)?;
        self.check_pointer(b)?;
        let mut value = self.emit(InstKind::PtrDiff(a, b), address);
        // Both are elements of one array (C99 §6.5.6), so there is no remainder. The quotient by the size's odd factor is the product
        // with its inverse modulo a power of two.
        let (power, odd) = (size.trailing_zeros(), size >> size.trailing_zeros());
        if odd > 1 {
            let inverse = self.f.iconst(address, fold::inverse(odd));
            value = self.emit(InstKind::Binary(BinaryOp::IMul, value, inverse), address);
        }
        if power > 0 {
            let power = self.f.iconst(address, power.into());
            value = self.emit(InstKind::Binary(BinaryOp::AShr, value, power), address);
        }
        let value = self.resize(value, self.tables().types.plain(inst.word(0)?)?);
        self.define_one(inst, value)
    }
}

/// The IR's work-item function for a built-in variable of OpenCL (SPIR-V §3.21).
fn work_item(builtin: BuiltIn) -> Option<WorkItem> {
    Some(match builtin {
        BuiltIn::GlobalInvocationId => WorkItem::GlobalId,
        BuiltIn::LocalInvocationId => WorkItem::LocalId,
        BuiltIn::WorkgroupId => WorkItem::GroupId,
        BuiltIn::GlobalSize => WorkItem::GlobalSize,
        BuiltIn::WorkgroupSize => WorkItem::LocalSize,
        BuiltIn::EnqueuedWorkgroupSize => WorkItem::EnqueuedLocalSize,
        BuiltIn::NumWorkgroups => WorkItem::NumGroups,
        BuiltIn::GlobalOffset => WorkItem::GlobalOffset,
        BuiltIn::WorkDim => WorkItem::WorkDim,
        BuiltIn::GlobalLinearId => WorkItem::GlobalLinearId,
        BuiltIn::LocalInvocationIndex => WorkItem::LocalLinearId,
        BuiltIn::SubgroupSize => WorkItem::SubgroupSize,
        BuiltIn::SubgroupMaxSize => WorkItem::SubgroupMaxSize,
        BuiltIn::NumSubgroups => WorkItem::NumSubgroups,
        BuiltIn::SubgroupId => WorkItem::SubgroupId,
        BuiltIn::SubgroupLocalInvocationId => WorkItem::SubgroupLocalId,
        BuiltIn::NumEnqueuedSubgroups => WorkItem::NumEnqueuedSubgroups,
        BuiltIn::SubgroupEqMask => WorkItem::SubgroupEqMask,
        BuiltIn::SubgroupGeMask => WorkItem::SubgroupGeMask,
        BuiltIn::SubgroupGtMask => WorkItem::SubgroupGtMask,
        BuiltIn::SubgroupLeMask => WorkItem::SubgroupLeMask,
        BuiltIn::SubgroupLtMask => WorkItem::SubgroupLtMask,
        _ => return None,
    })
}

/// Images have no place in memory (OpenCL C §6.3.3, "Other Built-in Data Types").
fn no_images(leaves: &[Leaf]) -> Result<(), LowerError> {
    match leaves.iter().any(|leaf| matches!(leaf.ty, Type::Opaque(_))) {
        true => {
            Err(not_yet("", "an image in memory, as of a block that captures an image (OpenCL C §6.14.5)"))
        }
        false => Ok(()),
    }
}
