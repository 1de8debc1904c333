//! How variables of automatic storage get their first values.

use super::error::Emit;
use super::function::FunctionEmitter;
use super::place::Place;
use crate::hir::{Constant, Expr, Init, LocalId};
use crate::types::{AddressSpace, Type, TypeId};
use rustc_hash::FxHashSet;

/// Constants of more bytes than this are copied from a table rather than stored as one value.
const MAX_STORED_CONSTANT: u64 = 64;

impl<'a> FunctionEmitter<'_, 'a> {
    /// A declaration with an initialiser, each time that it is reached.
    pub fn declare(&mut self, local: LocalId, init: &'a Init) -> Emit<()> {
        match init {
            Init::Whole(expr) => {
                if let Some(from) = self.large_object(expr)? {
                    let from = self.place(from)?;
                    let to = self.local_place(local)?;
                    return self.copy_object(&to, &from);
                }
                let value = self.rvalue(expr)?;
                let place = self.local_place(local)?;
                self.store(&place, value)
            }
            Init::Constant(constant) => {
                let place = self.local_place(local)?;
                self.store_constant(&place, constant)
            }
            Init::List { leaves, zero_fill } => self.declare_list(local, leaves, *zero_fill),
        }
    }

    fn declare_list(&mut self, local: LocalId, leaves: &'a [(Vec<u64>, Expr)], zero_fill: bool) -> Emit<()> {
        let place = self.local_place(local)?;
        if zero_fill && !self.covers(place.ty, leaves) {
            self.store_constant(&place, &Constant::Zero)?;
        }
        for (path, value) in leaves {
            self.m.at = value.span;
            let value = self.rvalue(value)?;
            let leaf = self.subobject(place, path)?;
            self.store(&leaf, value)?;
        }
        Ok(())
    }

    /// Returns whether the leaves are as many different ones as the object has: nothing is left to zero.
    fn covers(&self, ty: TypeId, leaves: &[(Vec<u64>, Expr)]) -> bool {
        let count = leaves.len() as u64;
        self.leaf_count(ty, count + 1) == Some(count)
            && leaves.iter().all(|(_, e)| self.is_leaf(e.ty.ty))
            && leaves.iter().map(|(path, _)| path).collect::<FxHashSet<_>>().len() == leaves.len()
    }

    fn is_leaf(&self, ty: TypeId) -> bool {
        !matches!(self.m.program.types.get(ty), Type::Array(..) | Type::Record(_))
    }

    /// The scalars and vectors in an object, when they are fewer than `limit`; unions never count.
    fn leaf_count(&self, ty: TypeId, limit: u64) -> Option<u64> {
        let types = &self.m.program.types;
        let count = match types.get(ty) {
            Type::Array(element, length) => self.leaf_count(element.ty, limit)?.checked_mul((*length)?)?,
            Type::Record(record) if types.record(*record).is_union => return None,
            Type::Record(record) => {
                let mut sum = 0u64;
                for field in types.record(*record).fields.iter().flatten() {
                    sum += self.leaf_count(field.ty.ty, limit)?;
                }
                sum
            }
            _ => 1,
        };
        (count < limit).then_some(count)
    }

    /// The part of an object that a path leads to.
    fn subobject(&mut self, place: Place, path: &[u64]) -> Emit<Place> {
        let mut place = place;
        for step in path {
            place = match self.m.program.types.get(place.ty) {
                Type::Array(..) => {
                    let index = self.m.size_constant(*step);
                    self.array_element(&place, index)?
                }
                Type::Record(_) => self.member(place, u32::try_from(*step).unwrap_or(u32::MAX))?,
                Type::Vector(scalar, _) => {
                    let element = crate::types::Types::scalar(*scalar);
                    self.vector_component(&place, element, *step)?
                }
                _ => return self.m.bug("a path into a scalar"),
            };
        }
        Ok(place)
    }

    fn vector_component(&mut self, place: &Place, element: TypeId, step: u64) -> Emit<Place> {
        let memory = self.m.memory_type(element)?;
        let pointer = self.m.pointer_to(place.space, memory);
        let index = self.m.word(step as u32);
        let operands = [place.ptr.0, index.0];
        let ptr = self.op(spirv_io::spirv::Op::InBoundsAccessChain, pointer, &operands);
        let align = place.align.min(self.m.align_of(element)?);
        Ok(Place { ptr, ty: element, align, ..*place })
    }

    /// Stores a constant: as a value when it is small, else from a table in constant memory.
    pub fn store_constant(&mut self, place: &Place, constant: &Constant) -> Emit<()> {
        let aggregate = !self.is_leaf(place.ty);
        if aggregate
            && (self.m.size_of(place.ty)? > MAX_STORED_CONSTANT || self.m.needs_shadow(constant, place.ty)?)
        {
            let table = self.m.constant_table(constant, place.ty)?;
            let align = self.m.align_of(place.ty)?;
            let from =
                Place { ptr: table, ty: place.ty, space: AddressSpace::Constant, align, volatile: false };
            return self.copy_object(place, &from);
        }
        if aggregate {
            let value = self.m.memory_constant(constant, place.ty)?;
            return self.store(place, value);
        }
        let value = self.m.value_constant(constant, place.ty)?;
        self.store(place, value)
    }
}
