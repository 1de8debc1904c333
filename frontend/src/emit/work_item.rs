//! Work-item functions: the builtin variables, and what an index out of range gives (§6.15.1).

use super::error::Emit;
use super::function::FunctionEmitter;
use super::module::Module;
use crate::hir::{Expr, Linkage};
use crate::types::TypeId;
use spirv_io::spirv::{BuiltIn, Capability, Decoration, Op, StorageClass};
use spirv_io::{Id, Section};

/// More builtin variables than this do not exist.
const MAX_VARIABLES: usize = 64;

impl Module<'_> {
    /// The Input variable of a builtin, and its number for the interface lists.
    fn builtin_variable(&mut self, builtin: BuiltIn, ty: Id) -> Emit<(usize, Id)> {
        if let Some(found) = self.work_items.iter().position(|(b, _)| *b == builtin) {
            return Ok((found, self.work_items[found].1));
        }
        if self.work_items.len() >= MAX_VARIABLES {
            return self.bug("too many builtin variables");
        }
        let class = StorageClass::Input as u32;
        let pointer = self.b.unique(Op::TypePointer, None, &[class, ty.0]);
        let id = self.b.push_result(Section::Globals, Op::Variable, Some(pointer), &[class]);
        let name = format!("__spirv_BuiltIn{builtin:?}");
        self.name(id, &name);
        self.linkage(id, &name, Linkage::Import);
        self.b.decorate(id, Decoration::Constant, &[]);
        self.b.decorate(id, Decoration::BuiltIn, &[builtin as u32]);
        self.work_items.push((builtin, id));
        Ok((self.work_items.len() - 1, id))
    }
}

impl<'a> FunctionEmitter<'_, 'a> {
    /// `get_global_id(dimension)` and its kin.
    pub fn work_item(
        &mut self,
        builtin: BuiltIn,
        indexed: bool,
        out_of_range: u64,
        args: &'a [Expr],
        ret: TypeId,
    ) -> Emit<Id> {
        let (scalar, lanes) = self.m.arithmetic(ret)?;
        let element = self.m.vector_type(scalar, lanes);
        if lanes > 1 {
            // The masks of sub-groups.
            self.m.require_version(1, 3);
            self.m.b.capability(Capability::GroupNonUniformBallot);
        }
        let index = match args.first() {
            Some(index) if indexed => Some(self.rvalue(index)?),
            _ => None,
        };
        let outside = self.m.int_constant(scalar.size() * 8, out_of_range);
        let known = index.and_then(|index| self.m.known(index));
        if known.is_some_and(|at| at > 2) {
            return Ok(outside);
        }
        let ty = if indexed { self.m.vector_type(scalar, 3) } else { element };
        let (number, variable) = self.m.builtin_variable(builtin, ty)?;
        self.m.uses[self.id.0 as usize].builtins |= 1 << number;
        let align = if lanes > 1 { scalar.size() * 4 } else { self.m.address_bits() / 8 };
        let value = self.op(Op::Load, ty, &[variable.0, 2, align]);
        let Some(index) = index else { return Ok(value) };
        if let Some(at) = known {
            return Ok(self.op(Op::CompositeExtract, element, &[value.0, at as u32]));
        }
        // An index known only at run time: a chain of selections.
        let bool_type = self.m.bool_type();
        let mut result = outside;
        for at in (0..3).rev() {
            let component = self.op(Op::CompositeExtract, element, &[value.0, at]);
            let number = self.m.word(at);
            let here = self.op(Op::IEqual, bool_type, &[index.0, number.0]);
            result = self.op(Op::Select, element, &[here.0, component.0, result.0]);
        }
        Ok(result)
    }
}
