//! Variables declared in blocks: private, `__local`, `__constant`, static and extern (OpenCL C §6.7).

use super::context::{Name, Sema};
use super::decl::Declared;
use super::declspec::{PartialType, Storage};
use super::expr::Typing;
use super::state::Shown;
use crate::hir::{Global, GlobalId, Linkage, LocalId, Stmt, StmtKind};
use crate::symbol::Symbol;
use crate::types::{AddressSpace, QualType, Type, Types};

impl Sema<'_> {
    // ---- block scope ----

    pub(super) fn declare_block_variable(&mut self, typing: &mut Typing, d: Declared, into: &mut Vec<Stmt>) {
        self.check_sampler_space(&d);
        self.check_event_space(&d);
        let storage = d.specs.storage.map(|(s, _)| s);
        let space = match self.types.get(d.ty.ty) {
            // A sampler is a constant wherever it is declared (§6.15.15.1).
            Type::Sampler => Some(AddressSpace::Constant),
            _ => d.ty.space,
        };
        match (space, storage) {
            (Some(AddressSpace::Local), s) if s != Some(Storage::Static) => {
                self.declare_work_group_variable(typing, d)
            }
            (Some(AddressSpace::Constant), s) if s != Some(Storage::Extern) => {
                self.declare_kernel_constant(typing, d)
            }
            (_, Some(Storage::Static)) => self.declare_static(typing, d),
            (_, Some(Storage::Extern)) => self.declare_block_extern(typing, d),
            (Some(space @ (AddressSpace::Global | AddressSpace::Generic)), _) => {
                let message = format!(
                    "variable '{}' in a function cannot be in the {} address space; it is in __private",
                    self.symbols.text(d.name),
                    space.name()
                );
                self.error("function-scope-address-space", d.specs.space_span.unwrap_or(d.span), message)
                    .remark("the qualifier of what a pointer points to stands before the '*'");
                let ty = PartialType { space: None, ..d.ty };
                self.declare_private(typing, Declared { ty, ..d }, into);
            }
            _ => self.declare_private(typing, d, into),
        }
    }

    /// A variable of automatic storage.
    fn declare_private(&mut self, typing: &mut Typing, d: Declared, into: &mut Vec<Stmt>) {
        let ty = self.finish_type(d.ty, AddressSpace::Private);
        let id = self.new_local(Some(d.name), ty, d.span);
        self.set_local(id, |l| l.aligned = d.attributes.aligned);
        self.declare_name(d.name, Name::Local(id), d.span);
        let mut init = None;
        if d.init.is_some() {
            if matches!(self.types.get(ty.ty), Type::Error) {
                self.discard_initializer(typing, &d);
            } else if let Some(tree) = d.init.and_then(|init| init.value) {
                let target = Some(Shown::variable(d.name, ty, d.span));
                let (value, complete) =
                    self.with_target(target, |p| p.variable_initializer(typing, tree, ty, d.value));
                self.set_local(id, |l| l.ty = complete);
                self.note_const_local(id, &value);
                init = Some(value);
            }
        } else if matches!(self.types.get(ty.ty), Type::Array(_, None)) {
            let message =
                format!("array '{}' has neither a size nor an initialiser", self.symbols.text(d.name));
            self.error("incomplete-type", d.span, message);
            self.set_local(id, |l| l.ty = QualType::new(Types::ERROR));
        }
        into.push(Stmt { kind: StmtKind::Declare(id, init), span: d.span });
    }

    fn set_local(&mut self, id: LocalId, change: impl FnOnce(&mut crate::hir::Local)) {
        if let Some(local) = self.function.as_mut().and_then(|f| f.locals.get_mut(id.0 as usize)) {
            change(local);
        }
    }

    /// The name of a variable that lives longer than its function's calls: `function.name`, made unique
    /// where several blocks have one of the same name.
    fn static_name(&self, name: Symbol) -> String {
        let function = self.function.as_ref().map_or("", |f| self.symbols.text(f.name));
        let base = format!("{function}.{}", self.symbols.text(name));
        let taken = |candidate: &str| self.globals.iter().any(|g| g.name == candidate);
        if !taken(&base) {
            return base;
        }
        (1u32..).map(|n| format!("{base}.{n}")).find(|c| !taken(c)).unwrap_or(base)
    }

    fn enter_static(&mut self, d: &Declared, space: AddressSpace) -> GlobalId {
        let ty = PartialType { space: Some(space), ..d.ty };
        let ty = self.finish_type(ty, space);
        let id = self.add_global(Global {
            name: self.static_name(d.name),
            ty,
            init: None,
            linkage: Linkage::Internal,
            aligned: d.attributes.aligned,
            span: d.span,
        });
        self.declare_name(d.name, Name::Global(id), d.span);
        id
    }

    /// Rules: `__local` and `__constant` variables are declared in the outermost block of a kernel.
    fn check_kernel_scope(&mut self, d: &Declared, space: AddressSpace) -> bool {
        let (name, space) = (self.symbols.shared(d.name), space.name());
        let Some(function) = &self.function else { return false };
        let function_span = self.functions.get(function.id.0 as usize).map(|f| f.span);
        // The predeclared names, the file, the function.
        let outermost = self.scopes.len() == 3;
        if !function.is_kernel {
            let message = format!(
                "variable '{name}' in the {space} address space can only be declared in a kernel, and this function is none: its variables are in __private"
            );
            let diagnostic = self.error("not-in-kernel", d.span, message);
            if let Some(span) = function_span {
                diagnostic.note(span, "the function is declared here");
            }
            return false;
        }
        if !outermost {
            let message = format!(
                "variable '{name}' in the {space} address space must be declared in the outermost block of the kernel; variables of inner blocks are in __private"
            );
            let diagnostic = self.error("not-outermost-scope", d.span, message);
            if let Some(span) = function_span {
                diagnostic.note(span, "the kernel is declared here");
            }
            return false;
        }
        true
    }

    /// A `__local` variable of a kernel: one object per work-group, without a first value (rule A-8).
    fn declare_work_group_variable(&mut self, typing: &mut Typing, d: Declared) {
        self.check_kernel_scope(&d, AddressSpace::Local);
        if let Some((Storage::Extern, span)) = d.specs.storage {
            let message = "a variable in the __local address space cannot be 'extern'";
            self.error("invalid-variable", span, message);
        }
        let id = self.enter_static(&d, AddressSpace::Local);
        if let Some(init) = d.init {
            let span = self.span_of(init.equal);
            let message = format!(
                "variable '{}' in the __local address space cannot be initialised",
                self.symbols.text(d.name)
            );
            let kernel =
                self.function.as_ref().and_then(|f| self.functions.get(f.id.0 as usize)).map(|f| f.span);
            let diagnostic = self.error("local-initializer", span, message);
            diagnostic
                .note(d.span, "the variable is declared here; one in '__private' may be initialised")
                .remark("assign to it after its declaration, in one work-item, and put a barrier behind");
            if let Some(span) = kernel {
                diagnostic.note(span, "the kernel is declared here");
            }
            self.discard_initializer(typing, &d);
        } else if matches!(self.types.get(self.global_type(id).ty), Type::Array(_, None)) {
            let message = format!("array '{}' has no size", self.symbols.text(d.name));
            self.error("incomplete-type", d.span, message);
        }
    }

    /// A `__constant` variable of a kernel (rule A-9).
    fn declare_kernel_constant(&mut self, typing: &mut Typing, d: Declared) {
        // A static one may be in any block of any function (§6.7.6).
        let is_static = matches!(d.specs.storage, Some((Storage::Static, _)));
        if !is_static && !matches!(self.types.get(d.ty.ty), Type::Sampler) {
            self.check_kernel_scope(&d, AddressSpace::Constant);
        }
        let id = self.enter_static(&d, AddressSpace::Constant);
        if d.init.is_some() {
            self.global_initializer(typing, id, d);
        } else {
            let ty = self.global_type(id);
            self.check_uninitialized(&d, ty);
        }
    }

    /// A `static` variable of a function: in the global space, from 2.0 on (rule A-2).
    fn declare_static(&mut self, typing: &mut Typing, d: Declared) {
        if !self.has_program_scope_globals() {
            let message = format!(
                "static variable '{}' would be in the __global address space, not in __private; that needs OpenCL C 2.0, or 3.0 with __opencl_c_program_scope_global_variables",
                self.symbols.text(d.name)
            );
            self.error("static-local", d.span, message);
        } else if let Some(space) = d.ty.space.filter(|s| *s != AddressSpace::Global) {
            let message = format!(
                "static variable '{}' is in the {} address space; it must be in __global or __constant",
                self.symbols.text(d.name),
                space.name()
            );
            self.error("function-scope-address-space", d.span, message);
        }
        let id = self.enter_static(&d, AddressSpace::Global);
        if d.init.is_some() {
            self.global_initializer(typing, id, d);
        } else {
            let ty = self.global_type(id);
            self.check_uninitialized(&d, ty);
        }
    }

    /// `extern` in a block: another name for a variable of program scope.
    fn declare_block_extern(&mut self, typing: &mut Typing, d: Declared) {
        let space = self.file_variable_space(&d);
        let ty = PartialType { space: Some(space), ..d.ty };
        let ty = self.finish_type(ty, space);
        let outer = self.scopes.get(1).and_then(|s| s.names.get(&d.name).copied());
        let hidden = self.block_externs.get(&d.name).copied();
        let hidden = hidden.map(|id| {
            let at = self.globals.get(id.0 as usize).map_or(d.span, |g| g.span);
            (Name::Global(id), at)
        });
        let id = match outer.filter(|(name, _)| !matches!(name, Name::Typedef(_))).or(hidden) {
            Some((Name::Global(id), at)) => {
                let before = self.global_type(id);
                if let Some(merged) = self.merge_types(before, ty) {
                    if let Some(global) = self.globals.get_mut(id.0 as usize) {
                        global.ty = merged;
                    }
                } else {
                    let message = format!(
                        "'{}' is declared with type '{}', before with '{}'",
                        self.symbols.text(d.name),
                        self.type_text(ty),
                        self.type_text(before)
                    );
                    self.error("conflicting-types", d.span, message).note(at, "previous declaration is here");
                }
                id
            }
            Some((_, at)) => {
                let message =
                    format!("redefinition of '{}' as a different kind of name", self.symbols.text(d.name));
                self.error("redefinition", d.span, message).note(at, "previous definition is here");
                return;
            }
            None => {
                let name = self.symbols.text(d.name).to_owned();
                let linkage = Linkage::Import;
                let aligned = d.attributes.aligned;
                let id = self.add_global(Global { name, ty, init: None, linkage, aligned, span: d.span });
                self.block_externs.insert(d.name, id);
                id
            }
        };
        // Twice in one block is once.
        if !matches!(self.scope().names.get(&d.name), Some((Name::Global(before), _)) if *before == id) {
            self.declare_name(d.name, Name::Global(id), d.span);
        }
        self.reject_initializer(typing, d.init, "an 'extern' variable in a block");
    }
}
