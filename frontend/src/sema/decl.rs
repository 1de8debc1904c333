//! Declarations: of the file and of blocks; typedefs and variables with the rules on address spaces.

use super::attribute::Place;
use super::context::{Name, Sema};
use super::declarator::{Chunk, Declarator};
use super::declspec::{DeclSpecs, PartialType, Storage};
use super::expr::Typing;
use super::parameter::Attributes;
use super::state::{Shown, What};
use crate::hir::{Constant, Expr, Global, GlobalId, Linkage, Stmt};
use crate::options::LangVersion;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::syntax::ast::{ExprRange, InitKind};
use crate::syntax::decl::{External, ExternalDeclaration, Source};
use crate::syntax::declaration::SpecContext;
use crate::syntax::statement::{DeclarationKind, InitDeclarator, InitPart};
use crate::syntax::words::Language;
use crate::token::TokenKind;
use crate::types::{AddressSpace, FunctionType, QualType, Type, TypeId, Types};

/// One declared name with everything that its declaration says.
pub(super) struct Declared<'d> {
    pub name: Symbol,
    pub span: Span,
    pub ty: PartialType,
    pub specs: &'d DeclSpecs,
    pub attributes: Attributes,
    /// The initialiser.
    pub init: Option<InitPart>,
    /// The type that it was given already.
    pub value: Option<Expr>,
}

impl Sema<'_> {
    /// The whole file. Each external declaration is typed when it has been parsed.
    pub(super) fn translation_unit(&mut self) {
        let predeclared = self.scopes.first().into_iter().flat_map(|s| s.names.keys().copied());
        let mut source = Source::new(self.tokens.file(), Language::from_options(self.options), predeclared);
        let mut typing = Typing::default();
        while !self.aborted && !self.diags.is_full() {
            typing.clear();
            let Some(declaration) = source.next(self.symbols, &mut typing.tree) else { break };
            typing.begin();
            self.external_declaration(&mut typing, declaration);
        }
        self.finish_tentative_definitions();
    }

    /// An external declaration with the pragmas before it.
    pub(super) fn external_declaration(&mut self, typing: &mut Typing, declaration: ExternalDeclaration) {
        if let Some((_, span)) = self.pragmas(declaration.pragmas) {
            self.warning("misplaced-unroll", span, "an unroll hint has no effect outside a function");
        }
        match declaration.kind {
            External::Nothing => {}
            External::StaticAssert(index) => self.static_assert(typing, index),
            External::Declaration(index) => self.typed_declaration(typing, index, &mut Vec::new()),
            External::Cxx(index) => self.cxx_external_declaration(typing, index, &mut Vec::new()),
        }
        self.report_before(typing, u32::MAX);
    }

    /// A declaration of the file or of a block: the statements that it means.
    pub(super) fn typed_declaration(&mut self, typing: &mut Typing, index: u32, into: &mut Vec<Stmt>) {
        let declaration = typing.tree.statements.declarations[index as usize];
        self.following(|p| {
            let context = if p.at_file_scope() { SpecContext::File } else { SpecContext::Block };
            let specs = p.decl_specs(typing, declaration.specs, context);
            match declaration.kind {
                DeclarationKind::Nothing => p.declares_nothing(&specs),
                DeclarationKind::Unfinished | DeclarationKind::Broken => {}
                DeclarationKind::Declarators(row) => {
                    if specs.is_empty && context == SpecContext::File && !p.cxx.enabled {
                        let message = "a type specifier is missing; OpenCL C does not assume 'int'";
                        p.error("missing-type", specs.span, message);
                    }
                    let mut auto = None;
                    for index in row.start..row.end {
                        let tree = typing.tree.statements.declarators[index as usize];
                        p.init_declarator(typing, &specs, tree, &mut auto, into);
                    }
                }
            }
            p.report_before(typing, declaration.problems_end);
        });
    }

    /// A declarator with its initialiser, or the body of a function. `auto`: the type that an earlier variable of a
    /// declaration with `__auto_type` has.
    fn init_declarator(
        &mut self,
        typing: &mut Typing,
        specs: &DeclSpecs,
        tree: InitDeclarator,
        auto: &mut Option<TypeId>,
        into: &mut Vec<Stmt>,
    ) {
        if self.cxx.enabled {
            self.cxx_init_declarator(typing, specs, tree, into);
            return;
        }
        let mut declarator = self.declarator(typing, tree.declarator);
        let Some((name, span)) = declarator.name else { return };
        if tree.body.is_none() && self.declares_printf(specs, &declarator) {
            return;
        }
        let mut attributes = specs.attributes.clone();
        attributes.merge(std::mem::take(&mut declarator.attributes));
        if self.options.infer_address_spaces && specs.kernel.is_some() {
            self.infer_kernel_parameters(&mut declarator.chunks);
        }
        self.old_parameters(typing, &mut declarator, tree.old_parameters, !specs.is_empty);
        if let Some(at) = tree.asm_label {
            let span = self.span_of(at);
            self.warning("ignored-attribute", span, "the name for an assembler is ignored");
        }
        let mut value = None;
        let deduced = match specs.auto_type {
            Some(at) => self.deduce_auto_type(typing, specs, &declarator, at, tree.init, auto, &mut value),
            None => specs.ty,
        };
        let mut ty = self.apply_declarator(deduced, &declarator.chunks, span);
        // `typeof(*p) x` is a private variable wherever `p` points; `typeof(*p) *q` points there too.
        let is_object = declarator.chunks.iter().all(|c| matches!(c, Chunk::Array { .. }));
        if specs.is_typeof && specs.space_span.is_none() && is_object && !self.at_file_scope() {
            ty.space = None;
        }
        let is_typedef = matches!(specs.storage, Some((Storage::Typedef, _)));
        if !is_typedef {
            let inherited = self.types.typedef_alignment(ty.ty, ty.aligned);
            attributes.aligned = attributes.aligned.max(inherited);
        }
        let use_attributes = attributes.deprecated.is_some().then(|| attributes.clone());
        let init = tree.init;
        let declared = Declared { name, span, ty, specs, attributes, init, value };
        let is_function = matches!(declarator.chunks.first(), Some(Chunk::Function { .. }));
        let has_function_type = matches!(self.types.get(ty.ty), Type::Function(_));
        let function = (is_function || has_function_type) && !is_typedef;
        self.check_place(&declared.attributes, if function { Place::Function } else { Place::Other });
        if function || is_typedef {
            self.reject_alignas(specs);
        } else {
            self.check_alignas(specs, declared.ty.ty);
        }
        match tree.body {
            Some(body) => self.function_definition(typing, declared, declarator, body),
            None => self.declare(typing, declared, declarator, is_function, into),
        }
        if let Some(init) = init {
            self.report_before(typing, init.problems_end);
        }
        if let Some(attributes) = use_attributes {
            self.note_use_attributes(name, &attributes);
        }
    }

    /// The type of a variable declared with `__auto_type`, that of its initialiser. `before`: what an earlier variable of
    /// the declaration has got. `value` takes the initialiser.
    #[allow(clippy::too_many_arguments)]
    fn deduce_auto_type(
        &mut self,
        typing: &mut Typing,
        specs: &DeclSpecs,
        declarator: &Declarator,
        at: Span,
        init: Option<InitPart>,
        before: &mut Option<TypeId>,
        value: &mut Option<Expr>,
    ) -> PartialType {
        let error = PartialType { ty: Types::ERROR, ..specs.ty };
        let init = init.and_then(|init| init.value).map(|init| typing.tree.initializer(init).kind);
        let variable = declarator.chunks.is_empty() && !matches!(specs.storage, Some((Storage::Typedef, _)));
        let (true, Some(InitKind::Expr(range))) = (variable, init) else {
            self.error(
                "auto-type",
                at,
                "'__auto_type' declares a plain variable, initialised with an expression",
            );
            return error;
        };
        let e = self.type_range(typing, range);
        let e = self.to_rvalue(e);
        let ty = e.ty.ty;
        if ty == Types::VOID {
            self.error("auto-type", e.span, "an expression of type 'void' initialises nothing");
        } else if let Some(before) = before.filter(|b| *b != ty && ty != Types::ERROR && *b != Types::ERROR) {
            let message = format!(
                "'__auto_type' is '{}' for an earlier variable and '{}' for this one",
                self.type_id_text(before),
                self.type_id_text(ty)
            );
            self.error("auto-type", e.span, message);
        }
        *before = Some(ty);
        let ty = if ty == Types::VOID { Types::ERROR } else { ty };
        *value = Some(e);
        PartialType { ty, ..specs.ty }
    }

    fn declares_nothing(&mut self, specs: &DeclSpecs) {
        if specs.declares_tag {
            self.reject_kernel_attributes(&specs.attributes);
            self.check_place(&specs.attributes, Place::Other);
            self.reject_function_specifiers(&[(specs.inline, "inline"), (specs.kernel, "kernel")], "a type");
        } else if !self.broken() {
            self.warning("empty-declaration", specs.span, "declaration does not declare anything");
        }
    }

    /// Declares what is not a function's definition.
    pub(super) fn declare(
        &mut self,
        typing: &mut Typing,
        d: Declared,
        declarator: Declarator,
        is_function: bool,
        into: &mut Vec<Stmt>,
    ) {
        let init = d.init;
        match d.specs.storage {
            Some((Storage::Typedef, _)) => {
                self.declare_typedef(d);
                self.reject_initializer(typing, init, "a typedef");
            }
            _ if is_function || matches!(self.types.get(d.ty.ty), Type::Function(_)) => {
                self.function_declaration(d, declarator);
                self.reject_initializer(typing, init, "a function");
            }
            _ => self.declare_variable(typing, d, into),
        }
    }

    pub(super) fn reject_initializer(&mut self, typing: &mut Typing, init: Option<InitPart>, what: &str) {
        if let Some(init) = init {
            let span = self.span_of(init.equal);
            self.error("illegal-initializer", span, format!("{what} cannot be initialised"));
            self.skip_problems(typing, init.problems_end);
        }
    }

    /// Enters a name into the innermost scope; a second meaning in one scope is an error.
    pub(super) fn declare_name(&mut self, name: Symbol, meaning: Name, span: Span) -> bool {
        if let Some((_, before)) = self.scope().names.get(&name).copied() {
            let message = format!("redefinition of '{}'", self.symbols.text(name));
            self.error("redefinition", span, message).note(before, "previous definition is here");
            return false;
        }
        self.scope().names.insert(name, (meaning, span));
        true
    }

    /// A typedef; the same one again is accepted (C11 §6.7, 3).
    fn declare_typedef(&mut self, d: Declared) {
        self.reject_function_words(&d, "a typedef");
        let mut ty = d.ty;
        if let Some(retype) = d.attributes.retype {
            ty.ty = self.retyped(ty.ty, retype);
        }
        // Its own attribute replaces that of a typedef that it names, be it more or less.
        ty.aligned = d.attributes.aligned.or(ty.aligned);
        // The space Private stands for "none given" in a typedef.
        let ty = self.finish_type(ty, AddressSpace::Private);
        if d.specs.sized_by_host && matches!(self.types.get(ty.ty), Type::Scalar(_)) {
            self.typedefs_sized_by_host.insert(d.span);
        }
        let same_scope = self.scope().names.get(&d.name).copied();
        let predeclared = match self.at_file_scope() {
            true => self.scopes.first().and_then(|s| s.names.get(&d.name).copied()),
            false => None,
        };
        match same_scope.or(predeclared) {
            Some((Name::Typedef(before), _)) if self.same_object_type(before, ty) => return,
            Some((Name::Typedef(before), at))
                if matches!(self.types.get(ty.ty), Type::Error)
                    || matches!(self.types.get(before.ty), Type::Error) =>
            {
                self.scope().names.insert(d.name, (Name::Typedef(ty), at));
                return;
            }
            Some((Name::Typedef(before), at)) => {
                let message = format!(
                    "typedef redefinition with different types ('{}' and before '{}')",
                    self.type_text(ty),
                    self.type_text(before)
                );
                let diagnostic = self.error("conflicting-types", d.span, message);
                if at == Span::default() {
                    diagnostic.remark("the name is predeclared by OpenCL C");
                } else {
                    diagnostic.note(at, "previous definition is here");
                }
                return;
            }
            _ => {}
        }
        self.declare_name(d.name, Name::Typedef(ty), d.span);
    }

    /// `inline`, `kernel` and function attributes on something that is no function.
    fn reject_function_words(&mut self, d: &Declared, what: &str) {
        self.reject_function_specifiers(&[(d.specs.inline, "inline"), (d.specs.kernel, "kernel")], what);
        self.reject_kernel_attributes(&d.attributes);
    }

    pub(super) fn reject_function_specifiers(&mut self, words: &[(Option<Span>, &str)], what: &str) {
        for (span, word) in words {
            if let Some(span) = *span {
                let message = format!("'{word}' can only be applied to a function, not to {what}");
                self.error("not-a-function", span, message);
            }
        }
    }

    /// A prototype of `printf`, which programs of the time when it was an extension bring: it says nothing new.
    pub(super) fn declares_printf(&self, specs: &DeclSpecs, declarator: &Declarator) -> bool {
        let variadic = matches!(declarator.chunks.as_slice(), [Chunk::Function { variadic: Some(_), .. }]);
        let name = declarator.name.map(|(name, _)| self.symbols.text(name));
        let plain =
            specs.kernel.is_none() && !matches!(specs.storage, Some((Storage::Typedef | Storage::Static, _)));
        let is_its = variadic && name == Some("printf") && specs.ty.ty == Types::INT && plain;
        is_its && self.at_file_scope()
    }

    /// A variable of the file or of a block.
    pub(super) fn declare_variable(&mut self, typing: &mut Typing, mut d: Declared, into: &mut Vec<Stmt>) {
        self.reject_function_words(&d, "a variable");
        if let Some(retype) = d.attributes.retype {
            d.ty.ty = self.retyped(d.ty.ty, retype);
        }
        self.check_half_object(d.ty.ty, d.span);
        if matches!(self.types.get(d.ty.ty), Type::Block(_)) {
            self.declare_block_reference(typing, d, into);
            return;
        }
        if !self.check_object_type(&d) {
            d.ty = PartialType { space: d.ty.space, ..super::declarator::error_type() };
        }
        if self.at_file_scope() {
            self.declare_file_variable(typing, d);
        } else {
            self.declare_block_variable(typing, d, into);
        }
    }

    /// Types that no variable can have. A declaration that defines nothing may leave its structure for later (C99 §6.7
    /// paragraph 7).
    fn check_object_type(&mut self, d: &Declared) -> bool {
        let defines = !matches!(d.specs.storage, Some((Storage::Extern, _))) || d.init.is_some();
        let text = || self.type_id_text(d.ty.ty);
        let (id, message, at) = match self.types.get(d.ty.ty) {
            Type::Error => return false,
            Type::Void => ("incomplete-type", "a variable cannot have type 'void'".to_owned(), None),
            Type::Record(r) if defines && self.types.record(*r).fields.is_none() => {
                let at = Some(self.types.record(*r).span);
                ("incomplete-type", format!("variable has incomplete type '{}'", text()), at)
            }
            Type::Image(..) | Type::Pipe(..) => (
                "invalid-variable",
                format!("type '{}' can only be used as a function parameter", text()),
                None,
            ),
            _ => return true,
        };
        let diagnostic = self.error(id, d.span, message);
        if let Some(at) = at {
            diagnostic.note(at, "its forward declaration is here");
        }
        false
    }

    // ---- program scope ----

    /// The space of a program-scope variable: rules.
    pub(super) fn file_variable_space(&mut self, d: &Declared) -> AddressSpace {
        let name = self.symbols.shared(d.name);
        let globals_allowed = self.has_program_scope_globals();
        // What is in __constant needs an initializer.
        let initialized = d.init.is_some();
        match d.ty.space {
            Some(AddressSpace::Constant) => AddressSpace::Constant,
            _ if matches!(self.types.get(d.ty.ty), Type::Sampler) => AddressSpace::Constant,
            Some(AddressSpace::Global) | None if globals_allowed => AddressSpace::Global,
            Some(AddressSpace::Global) => {
                let message = format!(
                    "program-scope variable '{name}' is in the __global address space; here it must be in __constant"
                );
                let written = d.specs.space_span.filter(|_| initialized);
                let diagnostic = self.error("program-scope-address-space", d.span, message);
                diagnostic.remark(
                    "__global variables at program scope need OpenCL C 2.0, or 3.0 with __opencl_c_program_scope_global_variables",
                );
                if let Some(written) = written {
                    diagnostic.replace(written, "__constant");
                }
                AddressSpace::Global
            }
            None => {
                let message = format!(
                    "program-scope variable '{name}' has no address space (__private is not possible); here it must be in __constant"
                );
                let at = d.specs.span;
                let diagnostic = self.error("program-scope-address-space", d.span, message);
                diagnostic.remark("write '__constant' before its type");
                if initialized {
                    diagnostic.insert_before(at, "__constant ");
                }
                AddressSpace::Global
            }
            Some(space) => {
                let allowed = if globals_allowed { "__global or __constant" } else { "__constant" };
                let message = format!(
                    "program-scope variable '{name}' is in the {} address space; it must be in {allowed}",
                    space.name()
                );
                let written = d.specs.space_span.filter(|_| initialized);
                let diagnostic = self.error("program-scope-address-space", d.span, message);
                if let Some(written) = written {
                    diagnostic.replace(written, "__constant");
                }
                AddressSpace::Global
            }
        }
    }

    fn declare_file_variable(&mut self, typing: &mut Typing, d: Declared) {
        let space = self.file_variable_space(&d);
        if matches!(self.types.get(d.ty.ty), Type::Event) {
            let message = format!(
                "a variable of type 'event_t' cannot be in the {} address space; it can only be in __private",
                space.name()
            );
            self.error("invalid-variable", d.span, message);
        }
        // §6.11 (s), (w): none of the opaque types is for program-scope variables.
        if let Type::Opaque(opaque) = self.types.get(self.innermost_element(d.ty.ty)) {
            let message = format!("a program-scope variable cannot have type '{}'", opaque.name());
            self.error("invalid-variable", d.span, message);
        }
        self.check_sampler_space(&d);
        let ty = PartialType { space: Some(space), ..d.ty };
        let ty = self.finish_type(ty, space);
        let is_extern = matches!(d.specs.storage, Some((Storage::Extern, _)));
        let linkage = match d.specs.storage {
            Some((Storage::Static, _)) => Linkage::Internal,
            Some((Storage::Extern, _)) => Linkage::Import,
            // A value without storage.
            _ if matches!(self.types.get(ty.ty), Type::Sampler) => Linkage::Internal,
            _ => Linkage::Export,
        };
        let Some(id) = self.enter_global(&d, ty, linkage) else {
            self.discard_initializer(typing, &d);
            return;
        };
        if d.init.is_some() {
            self.global_initializer(typing, id, d);
            return;
        }
        // An array without a size may get one from a later declaration (C99 §6.9.2, 2); a static one has it.
        let is_static = matches!(d.specs.storage, Some((Storage::Static, _)));
        let open = !is_static && ty.space != AddressSpace::Constant;
        let ty = self.global_type(id);
        let waits = is_extern || (open && matches!(self.types.get(ty.ty), Type::Array(_, None)));
        if !waits {
            self.check_uninitialized(&d, ty);
        }
    }

    /// Ends the tentative definitions (C99 §6.9.2, 2): an array that no declaration gave a size has one element.
    pub(super) fn finish_tentative_definitions(&mut self) {
        for index in 0..self.globals.len() {
            let Some(global) = self.globals.get(index) else { continue };
            let Type::Array(element, None) = *self.types.get(global.ty.ty) else { continue };
            if global.linkage == Linkage::Import || global.init.is_some() {
                continue;
            }
            let (span, name) = (global.span, global.name.clone());
            let message = format!("no declaration gives the array '{name}' a size: it has one element");
            self.warning("tentative-array", span, message);
            let ty = self.types.intern(Type::Array(element, Some(1)));
            if let Some(global) = self.globals.get_mut(index) {
                global.ty.ty = ty;
            }
        }
    }

    /// The global of a program-scope name: a new one, or the one that was declared before with the same
    /// type.
    fn enter_global(&mut self, d: &Declared, ty: QualType, linkage: Linkage) -> Option<GlobalId> {
        let aligned = d.attributes.aligned;
        let named = self.scope().names.get(&d.name).copied();
        // What a block declared `extern` is this variable; no name of the file's scope stands for it so far.
        if let (None, Some(id)) = (named, self.block_externs.remove(&d.name)) {
            let at = self.globals.get(id.0 as usize).map_or(d.span, |g| g.span);
            self.scope().names.insert(d.name, (Name::Global(id), at));
        }
        match self.scope().names.get(&d.name).copied() {
            Some((Name::Global(id), at)) => {
                let before = self.global_type(id);
                let Some(ty) = self.merge_types(before, ty) else {
                    let message = format!(
                        "redefinition of '{}' with a different type: '{}' and before '{}'",
                        self.symbols.text(d.name),
                        self.type_text(ty),
                        self.type_text(before)
                    );
                    self.error("conflicting-types", d.span, message).note(at, "previous declaration is here");
                    return None;
                };
                let global = self.globals.get_mut(id.0 as usize)?;
                global.ty = ty;
                global.aligned = global.aligned.max(aligned);
                let was_external = global.linkage != Linkage::Internal;
                if global.linkage == Linkage::Import {
                    global.linkage = linkage;
                }
                // C99 §6.2.2, 7; other way round, `extern` after `static` keeps the linkage and nothing else does.
                let is_sampler = matches!(self.types.get(ty.ty), Type::Sampler);
                let clashes = match linkage {
                    Linkage::Internal => was_external,
                    Linkage::Export => !was_external,
                    Linkage::Import => false,
                };
                if clashes && !is_sampler {
                    let message =
                        format!("'{}' is declared once static and once not", self.symbols.text(d.name));
                    self.error("conflicting-linkage", d.span, message)
                        .note(at, "previous declaration is here");
                    return None;
                }
                Some(id)
            }
            _ => {
                let name = self.symbols.text(d.name).to_owned();
                let id = self.add_global(Global { name, ty, init: None, linkage, aligned, span: d.span });
                self.declare_name(d.name, Name::Global(id), d.span).then_some(id)
            }
        }
    }

    /// Returns whether two types with their qualifiers are one, whatever alignment typedefs give.
    pub(super) fn same_object_type(&self, a: QualType, b: QualType) -> bool {
        same_qualifiers(a, b) && self.types.same(a.ty, b.ty)
    }

    /// The composite of two declarations' types with their qualifiers: see [`Sema::merge_type_ids`].
    pub(super) fn merge_types(&mut self, a: QualType, b: QualType) -> Option<QualType> {
        if a.ty == Types::ERROR || b.ty == Types::ERROR {
            return Some(if a.ty == Types::ERROR { b } else { a });
        }
        let ty = self.merge_type_ids(a.ty, b.ty).filter(|_| same_qualifiers(a, b))?;
        Some(QualType { ty, aligned: a.aligned.or(b.aligned), ..a })
    }

    /// The composite of two compatible types (C99 §6.2.7): arrays of which one has no size take the other's, an
    /// enumeration goes with its integer type, functions and pointers part by part. An erroneous type goes with
    /// everything.
    pub(super) fn merge_type_ids(&mut self, a: TypeId, b: TypeId) -> Option<TypeId> {
        if a == b {
            return Some(a);
        }
        match (self.types.get(a).clone(), self.types.get(b).clone()) {
            (Type::Error, _) => Some(b),
            (_, Type::Error) => Some(a),
            (Type::Array(x, n), Type::Array(y, m)) => {
                let len = if n.is_none() || n == m { m } else { m.map_or(Some(n), |_| None)? };
                let element = self.merge_types(x, y)?;
                Some(self.types.intern(Type::Array(element, len)))
            }
            (Type::Pointer(x), Type::Pointer(y)) => {
                let pointee = self.merge_types(x, y)?;
                Some(self.types.pointer(pointee))
            }
            (Type::Function(f), Type::Function(g)) => self.merge_functions(&f, &g),
            // Which integer type an enumeration has is the implementation's choice (C99 §6.7.2.2, 4): either is taken.
            (Type::Enum(e), Type::Scalar(s)) | (Type::Scalar(s), Type::Enum(e)) => {
                let underlying = self.types.enums.get(e.0 as usize)?.underlying;
                (underlying == s || underlying.differs_in_sign(s)).then_some(a)
            }
            _ => None,
        }
    }

    fn merge_functions(&mut self, f: &FunctionType, g: &FunctionType) -> Option<TypeId> {
        if f.params.len() != g.params.len() || f.variadic != g.variadic {
            return None;
        }
        let ret = self.merge_type_ids(f.ret, g.ret)?;
        let params: Option<Vec<TypeId>> =
            f.params.iter().zip(&g.params).map(|(x, y)| self.merge_type_ids(*x, *y)).collect();
        Some(self.types.intern(Type::Function(FunctionType { ret, params: params?, ..f.clone() })))
    }

    /// Rule A-9: a constant variable has an initialiser.
    pub(super) fn check_uninitialized(&mut self, d: &Declared, ty: QualType) {
        if matches!(self.types.get(ty.ty), Type::Error) {
            return;
        }
        let name = self.symbols.shared(d.name);
        if ty.space == AddressSpace::Constant {
            let message = format!("variable '{name}' in the __constant address space must be initialised");
            self.error("constant-uninitialized", d.span, message).remark(
                "only variables in '__local', '__private' and '__global' may be without a first value",
            );
        } else if matches!(self.types.get(ty.ty), Type::Array(_, None)) {
            let message = format!("array '{name}' has neither a size nor an initialiser");
            self.error("incomplete-type", d.span, message);
        }
    }

    /// The initialiser of a program-scope or static variable.
    pub(super) fn global_initializer(&mut self, typing: &mut Typing, id: GlobalId, d: Declared) {
        let span = d.span;
        let errors = self.diags.error_count();
        let declared = self.global_type(id);
        let Some(init) = d.init.and_then(|init| init.value) else { return };
        let tree = typing.tree.initializer(init);
        let global = self.globals.get(id.0 as usize);
        let target = global.map(|g| Shown { span: g.span, what: What::Global(id, g.ty) });
        let (init, ty) =
            self.with_target(target, |p| p.variable_initializer(typing, init, declared, d.value));
        let init_span = self.span_of(tree.first).to(self.span_of(tree.last));
        let value = self.with_target(target, |p| p.init_to_constant(&init, ty.ty, init_span));
        if value.is_none()
            && self.diags.error_count() == errors
            && !matches!(self.types.get(ty.ty), Type::Error)
        {
            let message = format!(
                "the initialiser of a variable in the {} address space must be a compile-time constant",
                ty.space.name()
            );
            self.error("initializer-not-constant", init_span, message);
        }
        let failed = self.diags.error_count() > errors;
        let Some(global) = self.globals.get_mut(id.0 as usize) else { return };
        let name = global.name.clone();
        global.ty = ty;
        if global.linkage == Linkage::Import {
            global.linkage = Linkage::Export;
        }
        if global.init.is_some() {
            let before = global.span;
            let message = format!("redefinition of '{name}'");
            self.error("redefinition", span, message).note(before, "previous definition is here");
        } else if !failed {
            global.init = value;
        } else {
            global.init = Some(Constant::Zero);
        }
    }

    /// Types an initialiser whose variable is in error, as far as that needs no type.
    pub(super) fn discard_initializer(&mut self, typing: &mut Typing, d: &Declared) {
        let Some(init) = d.init.filter(|_| d.value.is_none()) else { return };
        if let Some(InitKind::Expr(range)) = init.value.map(|value| typing.tree.initializer(value).kind) {
            self.type_range(typing, range);
        } else {
            self.skip_problems(typing, init.problems_end);
        }
    }

    /// A sampler lives in no address space that the program could name but `__constant` (§6.15.15.1).
    pub(super) fn check_sampler_space(&mut self, d: &Declared) {
        if self.at_file_scope()
            && matches!(self.types.get(d.ty.ty), Type::Sampler)
            && !d.ty.is_const
            && d.ty.space.is_none()
        {
            let message = format!(
                "sampler '{}' of program scope is a constant: it is to be 'const' or in __constant",
                self.symbols.text(d.name)
            );
            self.warning("sampler-not-const", d.span, message);
        }
        let space = d.ty.space.filter(|s| !matches!(s, AddressSpace::Constant | AddressSpace::Private));
        if let (Type::Sampler, Some(space)) = (self.types.get(d.ty.ty), space) {
            let message = format!(
                "sampler '{}' cannot be in the {} address space; it may be in __constant",
                self.symbols.text(d.name),
                space.name()
            );
            self.error("invalid-variable", d.specs.space_span.unwrap_or(d.span), message);
        }
    }

    /// §6.11, s: events are private.
    pub(super) fn check_event_space(&mut self, d: &Declared) {
        let element = self.innermost_element(d.ty.ty);
        let space = d.ty.space.filter(|s| !matches!(s, AddressSpace::Private));
        if let (Type::Event, Some(space)) = (self.types.get(element), space) {
            let message = format!(
                "event '{}' cannot be in the {} address space; it can only be in __private",
                self.symbols.text(d.name),
                space.name()
            );
            self.error("invalid-variable", d.specs.space_span.unwrap_or(d.span), message);
        }
    }

    // ---- others ----

    /// `_Static_assert(constant, "text");` (C11 §6.7.10)
    pub(super) fn static_assert(&mut self, typing: &mut Typing, index: u32) {
        let tree = typing.tree.statements.assertions[index as usize];
        let errors = self.diags.error_count();
        let span = self.span_of(tree.at);
        let condition = tree.cond.and_then(|range| self.constant_int(typing, range).1);
        self.report_before(typing, tree.problems);
        match condition {
            Some(0) => {
                let mut text = String::new();
                for token in tree.text.0..tree.text.1 {
                    if let TokenKind::Str(s) = self.token(token).kind {
                        text.push_str(self.symbols.text(s).trim_matches('"'));
                    }
                }
                let message = if text.is_empty() { text } else { format!(": {text}") };
                self.error("static-assertion", span, format!("static assertion failed{message}"));
            }
            None if self.diags.error_count() == errors => {
                let message = "a static assertion needs an integer constant expression";
                self.error("static-assertion", span, message);
            }
            _ => {}
        }
        self.following(|p| p.report_before(typing, tree.problems_end));
    }

    /// A constant expression: its tree and its value, `None` where it is not an integer constant.
    pub(super) fn constant_int(&mut self, typing: &mut Typing, range: ExprRange) -> (Expr, Option<i64>) {
        let expr = self.type_range(typing, range);
        let expr = self.to_rvalue(expr);
        let value = self.const_eval_int(&expr);
        (expr, value)
    }

    /// Returns whether the language version is before 2.0 (where several rules are stricter).
    pub(super) fn before_2_0(&self) -> bool {
        self.options.std < LangVersion::Cl2_0
    }

    /// The unqualified type inside an array type.
    pub(super) fn innermost_element(&self, mut ty: TypeId) -> TypeId {
        while let Type::Array(element, _) = self.types.get(ty) {
            ty = element.ty;
        }
        ty
    }
}

/// Returns whether two objects' types have the same qualifiers and space.
fn same_qualifiers(a: QualType, b: QualType) -> bool {
    QualType { ty: b.ty, aligned: None, ..a } == QualType { aligned: None, ..b }
}
