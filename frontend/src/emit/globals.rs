//! Program-scope variables, function-scope statics, `__local` variables and string literals.

use super::Emit;
use super::module::{GlobalState, Module};
use super::types::storage_class;
use crate::hir::{Constant, GlobalId, Linkage};
use crate::types::{AddressSpace, TypeId};
use spirv_io::spirv::{Decoration, Op};
use spirv_io::{Id, Section};

impl Module<'_> {
    /// The type and space of a program-scope variable. An unqualified one lives in `__global`.
    pub fn global_type(&mut self, id: GlobalId) -> Emit<(TypeId, AddressSpace)> {
        match self.program.globals.get(id.0 as usize) {
            Some(global) => Ok(match global.ty.space {
                AddressSpace::Private | AddressSpace::Generic => (global.ty.ty, AddressSpace::Global),
                space => (global.ty.ty, space),
            }),
            None => self.bug("a global out of range"),
        }
    }

    /// The OpVariable of a global, emitted at its first use so that initialisers may refer to others.
    pub fn global(&mut self, id: GlobalId) -> Emit<Id> {
        match self.globals.get(id.0 as usize) {
            Some(GlobalState::Done(variable)) => return Ok(*variable),
            Some(GlobalState::Untouched) => {}
            Some(GlobalState::InProgress) => {
                return self.fail(
                    "cyclic-initializer",
                    "initialisers that take each other's address are not supported",
                );
            }
            None => return self.bug("a global out of range"),
        }
        self.globals[id.0 as usize] = GlobalState::InProgress;
        let variable = self.emit_global(id)?;
        self.globals[id.0 as usize] = GlobalState::Done(variable);
        Ok(variable)
    }

    fn emit_global(&mut self, id: GlobalId) -> Emit<Id> {
        let program = self.program;
        let global = &program.globals[id.0 as usize];
        let outer = std::mem::replace(&mut self.at, global.span);
        if global.name.len() > super::module::MAX_OPERANDS {
            return self.fail("name-too-long", "the variable's name is too long");
        }
        let (ty, space) = self.global_type(id)?;
        if global.linkage == Linkage::Import && !self.options.allow_undefined {
            let message = format!("variable '{}' is declared extern but defined nowhere", global.name);
            return self.fail("undefined-variable", message);
        }
        let (variable, address) = if space == AddressSpace::Local || global.linkage == Linkage::Import {
            let memory = self.memory_type(ty)?;
            let pointer = self.pointer_to(space, memory);
            let class = storage_class(space) as u32;
            let variable = self.b.push_result(Section::Globals, Op::Variable, Some(pointer), &[class]);
            (variable, variable)
        } else {
            self.initialized_variable(space, global.init.as_ref().unwrap_or(&Constant::Zero), ty)?
        };
        self.name(variable, &global.name);
        self.linkage(variable, &global.name, global.linkage);
        if space == AddressSpace::Constant {
            self.b.decorate(variable, Decoration::Constant, &[]);
        }
        let align = self.align_of(ty)?.max(global.aligned.unwrap_or(1));
        self.b.decorate(variable, Decoration::Alignment, &[align]);
        self.at = outer;
        Ok(address)
    }
}
