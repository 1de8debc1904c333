//! Objects and variables that live as long as the program. A value that is no constant is given by a hidden kernel, which runs
//! once before the first one (C++ for OpenCL §2.8; rule C-6).

use super::construct::Value;
use super::{Cleanup, Closure, Initializer};
use crate::hir::{
    Block, Expr, ExprKind, FunctionId, Global, GlobalId, KernelAttributes, Linkage, Stmt, StmtKind,
};
use crate::sema::context::{FunctionContext, Name, Sema};
use crate::sema::convert::{AssignContext, is_error, rvalue};
use crate::sema::decl::Declared;
use crate::sema::declarator::Declarator;
use crate::sema::declspec::{PartialType, Storage};
use crate::sema::expr::Typing;
use crate::sema::parameter::Attributes;
use crate::source::Span;
use crate::syntax::ast::InitKind;
use crate::syntax::statement::{Direct, InitPart};
use crate::types::{AddressSpace, FunctionType, QualType, Type, Types};

/// The names of kernels that give objects of the program their values begin so.
const KERNEL: &str = "pumice.init.";

impl Sema<'_> {
    /// A function for the value of an object of the program. It is left out of the program unless [`Sema::finish_initializer`] takes it.
    pub(in crate::sema) fn new_initializer(&mut self, span: Span) -> Initializer {
        let name = self.symbols.intern(&format!("{KERNEL}{}", self.functions.len()));
        let id = self.void_function(name, span);
        let context = Some(FunctionContext::new(id, name, Types::VOID, false, self.scopes.len()));
        Initializer { id, context, temporaries: Vec::new() }
    }

    /// A function without parameters and result that no program declares.
    fn void_function(&mut self, name: crate::symbol::Symbol, span: Span) -> FunctionId {
        let function =
            FunctionType { ret: Types::VOID, params: Vec::new(), variadic: false, no_prototype: false };
        let ty = self.types.intern(Type::Function(function));
        let specs = self.no_specs(span);
        let ty = PartialType { ty, ..specs.ty };
        let attributes = Attributes::default();
        let declared = Declared { name, span, ty, specs: &specs, attributes, init: None, value: None };
        let id = self.add_function(&declared, Vec::new(), name);
        if let Some(info) = self.function_infos.get_mut(id.0 as usize) {
            info.internal = true;
        }
        id
    }

    /// Runs an analysis in the body of an initialiser.
    pub(in crate::sema) fn in_initializer<T>(
        &mut self,
        code: &mut Initializer,
        analysis: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let function = std::mem::replace(&mut self.function, code.context.take());
        let enclosing = std::mem::take(&mut self.enclosing);
        let cleanups = std::mem::replace(&mut self.cxx.cleanups, vec![Cleanup::function()]);
        let temporaries = std::mem::replace(&mut self.cxx.temporaries, std::mem::take(&mut code.temporaries));
        let lambdas: Vec<Closure> = std::mem::take(&mut self.cxx.lambdas);
        let result = analysis(self);
        code.context = std::mem::replace(&mut self.function, function);
        code.temporaries = std::mem::replace(&mut self.cxx.temporaries, temporaries);
        self.enclosing = enclosing;
        self.cxx.cleanups = cleanups;
        self.cxx.lambdas = lambdas;
        result
    }

    /// Makes an initialiser a part of the program.
    fn finish_initializer(&mut self, code: Initializer, stmts: Vec<Stmt>) {
        let Some(context) = code.context else { return };
        self.finish_function(code.id, context, Block { stmts });
        self.cxx.initializers.push(code.id);
    }

    /// Leaves an initialiser out: what it calls is called by nothing.
    fn drop_initializer(&mut self, code: &Initializer) {
        if let Some(info) = self.function_infos.get_mut(code.id.0 as usize) {
            info.calls.clear();
        }
    }

    /// The kernel that calls the initialisers of the file in their order. Its name differs between files.
    pub(in crate::sema) fn finish_initializers(&mut self) {
        let list = std::mem::take(&mut self.cxx.initializers);
        let Some(first) = list.first().and_then(|id| self.functions.get(id.0 as usize)) else { return };
        let span = first.span;
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let functions = self.functions.iter().map(|f| self.symbols.text(f.name));
        for byte in functions.chain(self.globals.iter().map(|g| g.name.as_str())).flat_map(str::bytes) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        let name = self.symbols.intern(&format!("{KERNEL}{hash:016x}"));
        let kernel = self.void_function(name, span);
        let context = FunctionContext::new(kernel, name, Types::VOID, true, self.scopes.len());
        self.function = Some(context);
        let mut stmts = Vec::new();
        for function in list {
            self.note_call(function, span);
            let call = ExprKind::Call { function, args: Vec::new() };
            stmts.push(Stmt { kind: StmtKind::Expr(rvalue(call, Types::VOID, span)), span });
        }
        if let Some(context) = self.function.take() {
            self.finish_function(kernel, context, Block { stmts });
        }
        if let Some(function) = self.functions.get_mut(kernel.0 as usize) {
            let reqd_work_group_size = Some([1, 1, 1]);
            function.kernel = Some(KernelAttributes { reqd_work_group_size, ..KernelAttributes::default() });
        }
    }

    // ---- objects of classes ----

    /// The value that a declaration gives an object.
    pub(in crate::sema) fn declared_value(
        &mut self,
        typing: &mut Typing,
        d: &Declared,
        direct: Direct,
    ) -> Value {
        match d.value.clone() {
            Some(value) => Value::Expr(value),
            None => self.value_of_initializer(typing, d.init, direct),
        }
    }

    /// The value that an initialiser gives.
    pub(in crate::sema) fn value_of_initializer(
        &mut self,
        typing: &mut Typing,
        init: Option<InitPart>,
        direct: Direct,
    ) -> Value {
        match (init.and_then(|i| i.value), direct) {
            (None, _) => Value::Default,
            (Some(init), Direct::Parens) => Value::Args(self.typed_items(typing, init)),
            (Some(init), Direct::Braces) => Value::Braced(self.typed_items(typing, init)),
            (Some(init), Direct::No) => match typing.tree.initializer(init).kind {
                InitKind::List(_) => Value::Braced(self.typed_items(typing, init)),
                InitKind::Expr(range) => Value::Expr(self.type_range(typing, range)),
            },
        }
    }

    /// An object of a class that lives as long as the program: a constant where its value is one, else one that is made before the
    /// first kernel. `file`: it is declared outside of functions.
    pub(in crate::sema) fn declare_program_object(
        &mut self,
        typing: &mut Typing,
        d: Declared,
        direct: Direct,
        file: bool,
    ) {
        let mut code = match self.cxx.initializing.take().filter(|_| file) {
            Some(code) => code,
            None => self.new_initializer(d.span),
        };
        let value = match file {
            true => self.in_initializer(&mut code, |p| p.declared_value(typing, &d, direct)),
            false => self.declared_value(typing, &d, direct),
        };
        let default = match d.ty.space {
            Some(AddressSpace::Constant) => AddressSpace::Constant,
            _ => AddressSpace::Global,
        };
        let space = if file { self.file_variable_space(&d) } else { default };
        let ty = self.finish_type(PartialType { space: Some(space), ..d.ty }, space);
        let ty = self.sized_by_value(ty, &value);
        if matches!(self.types.get(ty.ty), Type::Record(r) if self.types.record(*r).fields.is_none()) {
            let message = format!("variable has incomplete type '{}'", self.type_text(ty));
            self.error("incomplete-type", d.span, message);
            return;
        }
        let text = match file {
            true => self.symbols.text(d.name).to_owned(),
            false => format!("{}.{}", self.symbols.text(d.name), self.globals.len()),
        };
        let is_static = !file || matches!(d.specs.storage, Some((Storage::Static, _)));
        let linkage = if is_static { Linkage::Internal } else { Linkage::Export };
        let aligned = d.attributes.aligned;
        let id = self.add_global(Global { name: text, ty, init: None, linkage, aligned, span: d.span });
        self.declare_name(d.name, Name::Global(id), d.span);
        let target = Expr { kind: ExprKind::Global(id), ty, span: d.span };
        let fixed = match (file, space == AddressSpace::Constant || d.specs.cxx.is_constexpr.is_some()) {
            (_, true) => Some(
                "an object in __constant memory, or a constexpr one, must have a value that is known at compile time",
            ),
            (false, _) => {
                Some("a static object in a function must have a value that is known at compile time")
            }
            _ => None,
        };
        self.make_program_object(code, target, value, fixed);
    }

    /// The first value of an object of the program. `fixed`: why it must be known at compile time.
    fn make_program_object(
        &mut self,
        mut code: Initializer,
        target: Expr,
        value: Value,
        fixed: Option<&str>,
    ) {
        let (ty, span) = (target.ty, target.span);
        let ExprKind::Global(id) = target.kind else { return };
        let errors = self.diags.error_count();
        let mut stmts = Vec::new();
        let locals = self.in_initializer(&mut code, |p| {
            p.initialize(super::method::without_const(target), value, span, &mut stmts);
            let temporaries = std::mem::take(&mut p.cxx.temporaries);
            for (local, ty) in temporaries.into_iter().rev() {
                let object = Expr { kind: ExprKind::Local(local), ty, span };
                let kind = p.destroy(object, span);
                stmts.push(Stmt { kind, span });
            }
            p.function.as_ref().map(|f| f.locals.clone()).unwrap_or_default()
        });
        if self.diags.error_count() > errors {
            return;
        }
        if let Some(constant) = self.global_constant(ty.ty, &stmts, id, &locals) {
            if let Some(global) = self.globals.get_mut(id.0 as usize) {
                global.init = Some(constant);
            }
            self.drop_initializer(&code);
        } else if let Some(message) = fixed {
            self.error("initializer-not-constant", span, message);
            return;
        } else {
            self.finish_initializer(code, stmts);
        }
        if self.destroys(ty.ty) {
            let message = "the destructor of an object that lives as long as the program is not called";
            self.warning("global-destructor", span, message);
        }
    }

    /// The definition of a static member outside of its class.
    pub(in crate::sema) fn define_static_member(
        &mut self,
        typing: &mut Typing,
        class: crate::types::RecordId,
        name: crate::symbol::Symbol,
        d: Declared,
        direct: Direct,
    ) {
        let member = self.class_facts(class).and_then(|c| c.members.get(&name)).cloned();
        let Some((super::MemberOf::Name(Name::Global(id), _), _)) = member else {
            let text = self.symbols.shared(name);
            self.error("no-member", d.span, format!("the class has no static member '{text}'"));
            return;
        };
        if d.init.is_none() && !self.needs_construction(d.ty.ty) {
            return;
        }
        if self.globals.get(id.0 as usize).is_some_and(|g| g.init.is_some()) {
            let text = self.symbols.shared(name);
            self.error("redefinition", d.span, format!("'{text}' has a value already"));
            return;
        }
        let mut code = match self.cxx.initializing.take() {
            Some(code) => code,
            None => self.new_initializer(d.span),
        };
        let (ty, span) = (self.global_type(id), d.span);
        let value = self.in_initializer(&mut code, |p| p.declared_value(typing, &d, direct));
        let target = Expr { kind: ExprKind::Global(id), ty, span };
        self.make_program_object(code, target, value, None);
    }

    // ---- variables without a class ----

    /// A variable of the file with one value. Where that is no constant, it is computed before the first kernel.
    pub(in crate::sema) fn declare_file_value(
        &mut self,
        typing: &mut Typing,
        d: Declared,
        declarator: Declarator,
        into: &mut Vec<Stmt>,
    ) {
        let mut code = match self.cxx.initializing.take() {
            Some(code) => code,
            None => self.new_initializer(d.span),
        };
        let value = match d.value.clone() {
            Some(value) => Some(value),
            None => self.in_initializer(&mut code, |p| p.only_expression(typing, d.init)),
        };
        let Some(value) = value else { return self.declare(typing, d, declarator, false, into) };
        if is_error(&value) {
            let d = Declared { init: None, value: None, ..d };
            return self.declare(typing, d, declarator, false, into);
        }
        let ty = self.finish_type(d.ty, AddressSpace::Global);
        let errors = self.diags.error_count();
        let kind = d.init.and_then(|i| i.value).map(|init| typing.tree.initializer(init).kind);
        if let Some(InitKind::List(_)) = kind {
            self.check_narrowing(&value, ty.ty);
        }
        let (value, converted) = self.in_initializer(&mut code, |p| {
            let value = p.cxx_operand_for(value, ty);
            (value.clone(), p.convert_for_assignment(value, ty, AssignContext::Initialize))
        });
        if self.diags.error_count() > errors || self.const_eval(&converted, ty.ty).is_some() {
            self.drop_initializer(&code);
            let d = match self.diags.error_count() > errors {
                true => Declared { init: None, value: None, ..d },
                false => Declared { value: Some(value), ..d },
            };
            return self.declare(typing, d, declarator, false, into);
        }
        let (name, span) = (d.name, d.span);
        let d = Declared { init: None, value: None, ..d };
        self.declare(typing, d, declarator, false, into);
        let Some(Name::Global(id)) = self.scope().names.get(&name).map(|(meaning, _)| *meaning) else {
            return;
        };
        let target = Expr { kind: ExprKind::Global(id), ty: self.global_type(id), span };
        let target = super::method::without_const(target);
        let kind = ExprKind::Assign { lhs: Box::new(target), rhs: Box::new(converted) };
        let mut stmts = vec![Stmt { kind: StmtKind::Expr(rvalue(kind, ty.ty, span)), span }];
        self.in_initializer(&mut code, |p| {
            let kind = p.end_full_expression(0, StmtKind::Empty, span);
            stmts.push(Stmt { kind, span });
        });
        self.finish_initializer(code, stmts);
    }

    /// A value for a variable without a class: an object of one is kept for its conversion.
    fn cxx_operand_for(&mut self, value: Expr, ty: QualType) -> Expr {
        match self.class_of(value.ty.ty) {
            Some(_) => self.convert_for_assignment(value, ty, AssignContext::Initialize),
            None => value,
        }
    }

    // ---- references ----

    /// A reference that lives as long as the program: a pointer, whose object the name means.
    pub(in crate::sema) fn declare_program_reference(
        &mut self,
        typing: &mut Typing,
        d: Declared,
        (referred, rvalued): (QualType, bool),
    ) {
        let is_extern = matches!(d.specs.storage, Some((Storage::Extern, _)));
        let value = match d.value.clone() {
            Some(value) => Some(value),
            None => self.only_expression(typing, d.init),
        };
        if value.as_ref().is_some_and(|v| self.unstash(v).is_some()) {
            if !self.diags.has_errors() {
                self.lacks_cxx("a reference of the program to what has no type of its own", d.span);
            }
            return;
        }
        if value.is_none() && !is_extern {
            self.error("reference-uninitialized", d.span, "a reference must be initialised");
            return;
        }
        let pointer = self.types.pointer(referred);
        let ty = QualType { space: AddressSpace::Global, is_const: true, ..QualType::new(pointer) };
        let file = self.at_file_scope();
        let name = match file || is_extern {
            true => self.symbols.text(d.name).to_owned(),
            false => format!("{}.{}", self.symbols.text(d.name), self.globals.len()),
        };
        let linkage = match d.specs.storage {
            Some((Storage::Extern, _)) if value.is_none() => Linkage::Import,
            Some((Storage::Static, _)) => Linkage::Internal,
            _ if !file => Linkage::Internal,
            _ => Linkage::Export,
        };
        let init = match value {
            Some(value) => {
                let errors = self.diags.error_count();
                let bound = self.bind_reference(value, referred, rvalued, "initialising");
                if is_error(&bound) || self.diags.error_count() > errors {
                    return;
                }
                let Some(constant) = self.const_eval(&bound, pointer) else {
                    self.lacks_cxx(
                        "a reference of the program to an object that is not known at compile time",
                        d.span,
                    );
                    return;
                };
                Some(constant)
            }
            None => None,
        };
        let id = self.add_global(Global { name, ty, init, linkage, aligned: None, span: d.span });
        self.cxx.global_references.insert(id, d.ty.ty);
        self.declare_name(d.name, Name::Global(id), d.span);
    }

    /// The object that the name of a variable of the program means: what a reference refers to.
    pub(in crate::sema) fn own_global(&mut self, id: GlobalId, e: Expr) -> Expr {
        match self.cxx.global_references.get(&id).copied() {
            Some(ty) => {
                let Type::Reference(referred, _) = *self.types.get(ty) else { return e };
                match self.globals.get(id.0 as usize).and_then(|g| g.init.clone()) {
                    // Its pointer never changes.
                    Some(constant) => {
                        let pointer = rvalue(ExprKind::Constant(constant), e.ty.ty, e.span);
                        Expr { kind: ExprKind::Deref(Box::new(pointer)), ty: referred, span: e.span }
                    }
                    None => self.referred_object(e, ty),
                }
            }
            None => e,
        }
    }
}

/// Returns whether a declaration gives a variable one value that may be computed before the first kernel.
pub(in crate::sema) fn may_be_computed(d: &Declared) -> bool {
    let is_extern = matches!(d.specs.storage, Some((Storage::Extern, _)));
    d.init.is_some()
        && d.ty.ty != Types::ERROR
        && !is_extern
        && d.specs.cxx.is_constexpr.is_none()
        && d.ty.space != Some(AddressSpace::Constant)
}
