//! Arrays that are structs' members: the pointers into them that access chains give, and marks before their accesses, for checks.
//!
//! ```text
//! s.b[i] = x        becomes        memberaccess i, 1, 2, b, write        store x to s + 4 + i
//! ```
//!
//! Only chains have the member: a pointer that is passed on, or converted to another type, is one into the whole variable. A struct's pointer may be
//! converted to that of its first member, which is how unions are accessed. The last member of a struct may
//! be longer than it is declared (a flexible array, C99 6.7.2.1), unless the struct is a variable or part of one.

use super::function::FunctionReader;
use super::types::Ty;
use crate::check::Access;
use crate::error::LowerError;
use crate::ir::{BinaryOp, ConvertOp, InstKind, Type, Value};
use smallvec::SmallVec;

/// An array that is a member, and a place in it.
#[derive(Debug, Clone)]
struct Member {
    /// The offset in the array: a constant, and values times constants.
    constant: i64,
    terms: SmallVec<[(Value, u64); 2]>,
    /// The bytes of the array.
    size: u32,
    /// The number of its name.
    name: u32,
}

/// The members that a pointer is in.
#[derive(Debug, Clone, Default)]
pub(super) struct Inside {
    /// The pointer is one into a variable, of which its type says all.
    of_variable: bool,
    members: SmallVec<[Member; 1]>,
    /// The bytes of the struct as whose part the pointer has another type: accesses count as no longer than that.
    most: Option<u64>,
}

impl Inside {
    /// A pointer to a variable.
    pub fn variable() -> Self {
        Inside { of_variable: true, ..Inside::default() }
    }

    /// Adds a step in a type to another: by an index that is a constant or a value, with the bytes of one step; `whole` if it is one over the whole
    /// type.
    pub fn step(&mut self, index: Option<Value>, bytes: i64, whole: bool) {
        self.of_variable &= !whole;
        if whole && self.most.is_some() {
            self.members.clear();
        }
        for member in &mut self.members {
            match index {
                None => member.constant = member.constant.wrapping_add(bytes),
                Some(value) => member.terms.push((value, bytes as u64)),
            }
        }
    }
}

impl FunctionReader<'_> {
    /// The members that the pointer with an id is in.
    pub fn inside(&self, id: u32) -> Inside {
        if !self.shared.members {
            return Inside::default();
        }
        let known = self.members.get(&id).cloned();
        known.unwrap_or(Inside { of_variable: self.shared.globals.contains_key(&id), ..Inside::default() })
    }

    /// Notes that a chain has come from a type to one of its parts.
    pub fn enter(&self, inside: &mut Inside, from: u32, index: i64, to: u32) -> Result<(), LowerError> {
        let types = &self.tables().types;
        let (Ty::Struct { members, .. }, Ty::Array { length, .. }) =
            (&types.get(from)?.ty, &types.get(to)?.ty)
        else {
            return Ok(());
        };
        let is_last = usize::try_from(index).is_ok_and(|index| index + 1 == members.len());
        let size = u32::try_from(types.get(to)?.size).ok().filter(|size| *size > 0 && *length > 0);
        let key = (from, u32::try_from(index).unwrap_or(u32::MAX));
        if let Some(size) = size.filter(|_| self.shared.members && (inside.of_variable || !is_last)) {
            let name = self.tables().member_names.range(..key).count() as u32;
            inside.members.push(Member { constant: 0, terms: SmallVec::new(), size, name });
        }
        Ok(())
    }

    /// Notes that the pointer with an id is converted to another type, which gives another id.
    pub fn convert_inside(&mut self, from: u32, to: u32) -> Result<(), LowerError> {
        let Some(known) = self.members.get(&from).filter(|inside| !inside.members.is_empty()) else {
            return Ok(());
        };
        let types = &self.tables().types;
        let pointee = types.get(types.pointer(self.type_of(from)?)?.2)?;
        if matches!(pointee.ty, Ty::Struct { .. }) {
            let inside = Inside { of_variable: false, most: Some(pointee.size), ..known.clone() };
            self.members.insert(to, inside);
        }
        Ok(())
    }

    /// Puts marks before an access of some bytes through the pointer with an id.
    pub fn mark_member(&mut self, id: u32, bytes: u64, access: Access) -> Result<(), LowerError> {
        let Some(Inside { members, most, .. }) = self.members.get(&id).cloned() else { return Ok(()) };
        let bytes = u32::try_from(most.map_or(bytes, |most| most.min(bytes))).unwrap_or(u32::MAX);
        for Member { constant, terms, size, name } in members {
            let end = u64::try_from(constant).ok().and_then(|at| at.checked_add(bytes.into()));
            if terms.is_empty() && end.is_some_and(|end| end <= size.into()) {
                continue;
            }
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
        Ok(())
    }

    /// Puts marks before an access of a type.
    pub fn mark_member_of(&mut self, id: u32, ty: u32, access: Access) -> Result<(), LowerError> {
        match self.members.contains_key(&id) {
            true => self.mark_member(id, self.tables().types.get(ty)?.size, access),
            false => Ok(()),
        }
    }
}

/// The names of structs' members, in the order of their numbers.
pub(super) fn names(tables: &super::module::Tables<'_>) -> Vec<String> {
    tables.member_names.values().cloned().collect()
}
