//! Initialisers that their own type cannot hold: arrays with more elements than an instruction has operands, and unions
//! initialised by another member than the one that stands for them in SPIR-V. The variable gets a type of its own,
//! a struct of pieces with the same bytes at the same offsets, and its address is cast to what it should be.

use super::error::Emit;
use super::module::{MAX_OPERANDS, Module};
use super::record::Slot;
use crate::hir::Constant;
use crate::types::{AddressSpace, RecordId, Type, TypeId};
use spirv_io::spirv::{Decoration, Op};
use spirv_io::{Id, Section};

/// The elements of one piece of an array that is too long for one instruction.
const LONG_ARRAY_CHUNK: usize = 32_768;

/// A part of a shadow: where it lies, how long it is, its type and its value.
struct Piece {
    offset: u64,
    size: u64,
    ty: Id,
    value: Id,
}

impl Module<'_> {
    /// A module-scope variable with an initialiser, and its address as a pointer to `ty`.
    pub fn initialized_variable(
        &mut self,
        space: AddressSpace,
        constant: &Constant,
        ty: TypeId,
    ) -> Emit<(Id, Id)> {
        let class = super::types::storage_class(space) as u32;
        if self.needs_shadow(constant, ty)? {
            let (whole, value) = self.shadow(constant, ty)?;
            let pointer = self.pointer_to(space, whole);
            let variable =
                self.b.push_result(Section::Globals, Op::Variable, Some(pointer), &[class, value.0]);
            let memory = self.memory_type(ty)?;
            let pointer = self.pointer_to(space, memory);
            return Ok((variable, self.constant_bitcast(variable, pointer)));
        }
        let value = self.memory_constant(constant, ty)?;
        let memory = self.memory_type(ty)?;
        let pointer = self.pointer_to(space, memory);
        let variable = self.b.push_result(Section::Globals, Op::Variable, Some(pointer), &[class, value.0]);
        Ok((variable, variable))
    }

    /// Returns whether the type's own SPIR-V type cannot hold a constant.
    pub fn needs_shadow(&mut self, constant: &Constant, ty: TypeId) -> Emit<bool> {
        let program = self.program;
        match (program.types.get(ty), constant) {
            (Type::Array(element, Some(length)), Constant::Array(parts)) => {
                let zero = parts.iter().all(|p| *p == Constant::Zero);
                if !zero && *length > MAX_OPERANDS as u64 {
                    return Ok(true);
                }
                if !matches!(program.types.get(element.ty), Type::Array(..) | Type::Record(_)) {
                    return Ok(false);
                }
                for part in parts {
                    if self.needs_shadow(part, element.ty)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            (Type::Record(record), Constant::Struct(parts)) => {
                let fields = program.types.record(*record).fields.as_deref().unwrap_or(&[]);
                for (field, part) in fields.iter().zip(parts) {
                    if self.needs_shadow(part, field.ty.ty)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            (Type::Record(record), Constant::Union { field, value }) => {
                self.union_needs_shadow(*record, *field, value)
            }
            _ => Ok(false),
        }
    }

    fn union_needs_shadow(&mut self, record: RecordId, field: u32, value: &Constant) -> Emit<bool> {
        let program = self.program;
        let fields = program.types.record(record).fields.as_deref().unwrap_or(&[]);
        let Some(initialised) = fields.get(field as usize) else { return Ok(false) };
        if self.needs_shadow(value, initialised.ty.ty)? {
            return Ok(true);
        }
        let info = self.record(record)?;
        let standing = info.slots.iter().find_map(|slot| match slot {
            Slot::Field(f) => Some(*f),
            Slot::Padding(_) => None,
        });
        let Some(standing) = standing.filter(|f| *f != field) else { return Ok(false) };
        let size = program.types.record_layout(record).map_or(0, |l| l.layout.size);
        let opaque = fields.get(standing as usize).is_some_and(|f| self.has_pointer(f.ty.ty));
        Ok(size > MAX_OPERANDS as u64 || opaque || has_address(value))
    }

    /// Returns whether objects of a type hold pointers, which bytes cannot make.
    fn has_pointer(&self, ty: TypeId) -> bool {
        match self.program.types.get(ty) {
            Type::Pointer(_) => true,
            Type::Array(element, _) => self.has_pointer(element.ty),
            Type::Record(record) => {
                let fields = self.program.types.record(*record).fields.iter().flatten();
                fields.into_iter().any(|f| self.has_pointer(f.ty.ty))
            }
            _ => false,
        }
    }

    /// Type and value of a constant that needs a shadow.
    fn shadow(&mut self, constant: &Constant, ty: TypeId) -> Emit<(Id, Id)> {
        let program = self.program;
        let size = self.size_of(ty)?;
        let pieces = match (program.types.get(ty), constant) {
            (Type::Array(element, Some(length)), Constant::Array(parts)) => {
                self.array_pieces(element.ty, *length, parts)?
            }
            (Type::Record(record), Constant::Struct(parts)) => {
                let layout = program.types.record_layout(*record);
                let offsets = layout.map(|l| l.offsets).unwrap_or_default();
                let fields = program.types.record(*record).fields.as_deref().unwrap_or(&[]);
                let mut pieces = Vec::with_capacity(fields.len());
                for (index, (field, offset)) in fields.iter().zip(offsets).enumerate() {
                    let part = parts.get(index).unwrap_or(&Constant::Zero);
                    if !matches!(program.types.get(field.ty.ty), Type::Array(_, None | Some(0))) {
                        pieces.push(self.piece(part, field.ty.ty, offset)?);
                    }
                }
                pieces
            }
            (Type::Record(record), Constant::Union { field, value }) => {
                let fields = program.types.record(*record).fields.as_deref().unwrap_or(&[]);
                let Some(field) = fields.get(*field as usize) else {
                    return self.bug("a field out of range");
                };
                vec![self.piece(value, field.ty.ty, 0)?]
            }
            _ => return self.bug("a constant that needs no type of its own"),
        };
        self.join(pieces, size)
    }

    /// A part of a constant: shadowed itself if it must be.
    fn piece(&mut self, constant: &Constant, ty: TypeId, offset: u64) -> Emit<Piece> {
        let size = self.size_of(ty)?;
        let (ty, value) = if self.needs_shadow(constant, ty)? {
            self.shadow(constant, ty)?
        } else {
            let value = self.memory_constant(constant, ty)?;
            (self.memory_type(ty)?, value)
        };
        Ok(Piece { offset, size, ty, value })
    }

    /// An array, one piece for each element that needs a shadow, else for many elements together.
    fn array_pieces(&mut self, element: TypeId, length: u64, parts: &[Constant]) -> Emit<Vec<Piece>> {
        let stride = self.size_of(element)?;
        let element_type = self.memory_type(element)?;
        let zero = self.memory_constant(&Constant::Zero, element)?;
        let (mut pieces, mut run): (Vec<Piece>, Vec<u32>) = (Vec::new(), Vec::new());
        let mut at = 0;
        for part in parts.iter().take(usize::try_from(length).unwrap_or(usize::MAX)) {
            if self.needs_shadow(part, element)? {
                self.end_run(&mut pieces, &mut run, element_type, at, stride);
                pieces.push(self.piece(part, element, at * stride)?);
            } else {
                run.push(if *part == Constant::Zero { zero } else { self.memory_constant(part, element)? }.0);
                if run.len() == LONG_ARRAY_CHUNK {
                    self.end_run(&mut pieces, &mut run, element_type, at + 1, stride);
                }
            }
            at += 1;
        }
        self.end_run(&mut pieces, &mut run, element_type, at, stride);
        if at < length {
            let ty = self.array_of(element_type, length - at);
            let value = self.null(ty);
            pieces.push(Piece { offset: at * stride, size: (length - at) * stride, ty, value });
        }
        Ok(pieces)
    }

    /// The elements before number `end` that wait, as one piece.
    fn end_run(&mut self, pieces: &mut Vec<Piece>, run: &mut Vec<u32>, element: Id, end: u64, stride: u64) {
        let count = run.len() as u64;
        if count == 0 {
            return;
        }
        let ty = self.array_of(element, count);
        let value = self.b.unique(Op::ConstantComposite, Some(ty), run);
        pieces.push(Piece { offset: (end - count) * stride, size: count * stride, ty, value });
        run.clear();
    }

    /// A struct of the pieces, with every gap filled.
    fn join(&mut self, pieces: Vec<Piece>, size: u64) -> Emit<(Id, Id)> {
        let (mut types, mut values, mut at) = (Vec::new(), Vec::new(), 0);
        let end = Piece { offset: size, size: 0, ty: Id(0), value: Id(0) };
        for piece in pieces.into_iter().chain([end]) {
            if piece.offset > at {
                let byte = self.int_type(8);
                let array = self.array_of(byte, piece.offset - at);
                types.push(array.0);
                values.push(self.null(array).0);
            }
            at = piece.offset + piece.size;
            if piece.size > 0 {
                types.push(piece.ty.0);
                values.push(piece.value.0);
            }
        }
        if types.len() > MAX_OPERANDS {
            return self.fail("initializer-too-large", "the initialiser has too many large parts");
        }
        let whole = self.b.push_result(Section::Globals, Op::TypeStruct, None, &types);
        self.b.decorate(whole, Decoration::CPacked, &[]);
        let value = self.b.unique(Op::ConstantComposite, Some(whole), &values);
        Ok((whole, value))
    }
}

/// Returns whether a constant holds the address of a variable.
fn has_address(constant: &Constant) -> bool {
    match constant {
        Constant::Address { .. } => true,
        Constant::Array(parts) | Constant::Struct(parts) => parts.iter().any(has_address),
        Constant::Union { value, .. } => has_address(value),
        Constant::Zero | Constant::Int(_) | Constant::Float(_) | Constant::Vector(_) => false,
    }
}
