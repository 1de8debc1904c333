//! Program-scope variables, function-scope statics, `__local` variables and string literals.

use super::error::Emit;
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
            Some(GlobalState::Failed) => return Err(super::error::Failed),
            Some(GlobalState::InProgress) => return self.cyclic(id),
            None => return self.bug("a global out of range"),
        }
        self.globals[id.0 as usize] = GlobalState::InProgress;
        let outer = self.at;
        let emitted = self.emit_global(id);
        self.globals[id.0 as usize] = emitted.map_or(GlobalState::Failed, GlobalState::Done);
        self.at = outer;
        emitted
    }

    /// Reports a variable whose initialiser needs, through others or not, its own address. SPIR-V has no way to
    /// say it: what a constant refers to comes before it.
    fn cyclic<T>(&mut self, id: GlobalId) -> Emit<T> {
        let globals = &self.program.globals;
        let plain = |name: &str| name.rsplit('.').next().unwrap_or(name).to_owned();
        let target =
            globals.get(id.0 as usize).map_or((String::new(), self.at), |g| (plain(&g.name), g.span));
        let from = globals.iter().find(|g| g.span == self.at && g.span != target.1).map(|g| plain(&g.name));
        let (name, span) = target;
        let message = match from {
            Some(from) => format!(
                "the initialiser of '{from}' takes the address of '{name}', whose initialiser needs that of '{from}': \
                 variables whose initialisers need each other's addresses are not supported"
            ),
            None => format!("the initialiser of '{name}' takes its own address, which is not supported"),
        };
        self.diags
            .error("cyclic-initializer", self.at, message)
            .note(span, format!("'{name}' is declared here"))
            .remark("a constant of SPIR-V refers to what comes before it only: set one of the pointers in a kernel");
        Err(super::error::Failed)
    }

    fn emit_global(&mut self, id: GlobalId) -> Emit<Id> {
        let program = self.program;
        let global = &program.globals[id.0 as usize];
        self.at = global.span;
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
        self.debug_global(global, variable);
        Ok(address)
    }
}
