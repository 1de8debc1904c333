//! Function declarations and definitions, kernels (§6.9 "Restrictions", §6.7.2 "Function Qualifiers"),
//! and the checks on the whole program: undefined functions, recursion.

use super::context::{FunctionContext, FunctionInfo, Name, Scope, Sema};
use super::decl::Declared;
use super::declarator::{Chunk, Declarator};
use super::declspec::Storage;
use super::expr::Typing;
use super::parameter::Attributes;
use super::parameter::Parameter;
use crate::hir::{Block, BlockTarget, Function, FunctionId, InlineHint, Linkage, Local, LocalId};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::syntax::statement::Body;
use crate::types::{AddressSpace, Opaque, QualType, Scalar, Type, TypeId, Types};

impl Sema<'_> {
    /// A prototype, at file scope or in a block.
    pub(super) fn function_declaration(&mut self, d: Declared, declarator: Declarator) {
        let Type::Function(ty) = self.types.get(d.ty.ty) else { return };
        let types = ty.params.clone();
        let params = match declarator.chunks.first() {
            Some(Chunk::Function { .. }) => function_params(declarator),
            _ => self.typedef_params(&types, d.span),
        };
        self.check_block_storage(&d);
        self.enter_function(&d, params);
    }

    /// The parameters of a function whose type a typedef or `typeof` gives: they have no names (C99 §6.7.5.3).
    fn typedef_params(&self, types: &[TypeId], span: Span) -> Vec<Parameter> {
        let parameter = |ty: &TypeId| Parameter {
            name: None,
            ty: QualType::new(*ty),
            written: self.type_id_text(*ty),
            sized_by_host: None,
            attributes: Attributes::default(),
            span,
            old_style: false,
            pointee_space: None,
        };
        types.iter().map(parameter).collect()
    }

    /// C99 §6.7.1, 5: a function that a block declares is `extern` or without a storage class.
    fn check_block_storage(&mut self, d: &Declared) {
        if let Some((Storage::Static, at)) = d.specs.storage
            && !self.at_file_scope()
        {
            self.error("misplaced-storage-class", at, "a function that a block declares cannot be 'static'");
        }
    }

    /// A function that a block declares has its name there too, whatever hides that of the file.
    fn name_in_block(&mut self, d: &Declared, id: FunctionId) {
        if self.at_file_scope() {
            return;
        }
        match self.scope().names.get(&d.name).copied() {
            None | Some((Name::Function(_), _)) => {
                self.scope().names.insert(d.name, (Name::Function(id), d.span));
            }
            Some((_, at)) => {
                let message =
                    format!("redefinition of '{}' as a different kind of name", self.symbols.text(d.name));
                self.error("redefinition", d.span, message).note(at, "previous definition is here");
            }
        }
    }

    /// A definition.
    pub(super) fn function_definition(
        &mut self,
        typing: &mut Typing,
        d: Declared,
        declarator: Declarator,
        body: Body,
    ) {
        let params = function_params(declarator);
        if !body.read {
            self.error("nested-function", d.span, "a function cannot be defined inside another one");
            return;
        }
        if let Some((Storage::Typedef, span)) = d.specs.storage {
            self.error("illegal-initializer", span, "a function definition cannot be a typedef");
        }
        let Type::Function(ty) = self.types.get(d.ty.ty) else {
            self.skip_problems(typing, body.problems_end);
            return;
        };
        let ret = ty.ret;
        let Some(id) = self.enter_function(&d, params.clone()) else {
            // The body is still checked, as that of a function of no name.
            let id = self.add_function(&d, params.clone(), d.name);
            self.function_body(typing, id, &d, ret, params, body);
            return;
        };
        let before = self.function_infos.get_mut(id.0 as usize).and_then(|f| f.defined.replace(d.span));
        if let Some(before) = before {
            let message = format!("redefinition of '{}'", self.symbols.text(d.name));
            self.error("redefinition", d.span, message).note(before, "previous definition is here");
        }
        self.check_complete_signature(&d, ret, &params);
        self.function_body(typing, id, &d, ret, params, body);
    }

    /// The types that a definition needs (C99 §6.9.1, 3 and 7).
    fn check_complete_signature(&mut self, d: &Declared, ret: TypeId, params: &[Parameter]) {
        let incomplete = |p: &Self, ty: TypeId| matches!(p.types.get(ty), Type::Record(r) if p.types.record(*r).fields.is_none());
        if incomplete(self, ret) {
            let message = format!("incomplete result type '{}' in a definition", self.type_id_text(ret));
            self.error("incomplete-type", d.span, message);
        }
        for param in params {
            if param.name.is_none() && param.ty.ty != Types::ERROR {
                let message =
                    "a parameter without a name in the definition of a function is of C23, not of OpenCL C";
                self.warning("c23-extension", param.span, message);
            }
            if incomplete(self, param.ty.ty) {
                let message = format!("parameter has incomplete type '{}'", self.type_text(param.ty));
                self.error("incomplete-type", param.span, message);
            }
        }
    }

    /// The function that a declaration names: a new one, or the one declared before with the same type.
    /// `None` after a conflict.
    pub(super) fn enter_function(&mut self, d: &Declared, params: Vec<Parameter>) -> Option<FunctionId> {
        self.check_function_words(d, &params);
        let found = self.find_function(d);
        if d.attributes.must_use {
            let next = FunctionId(self.functions.len() as u32);
            self.must_use.extend(match found {
                Found::Same(id) => Some(id),
                Found::New | Found::Overload(_) => Some(next),
                Found::Conflict => None,
            });
        }
        match found {
            Found::Same(id) => {
                self.merge_function(id, d, params);
                self.name_in_block(d, id);
                Some(id)
            }
            Found::New => {
                let id = self.add_function(d, params, d.name);
                let file = self.scopes.len().min(2).saturating_sub(1);
                if let Some(scope) = self.scopes.get_mut(file) {
                    scope.names.insert(d.name, (Name::Function(id), d.span));
                }
                self.name_in_block(d, id);
                Some(id)
            }
            Found::Overload(first) => {
                let id = self.add_function(d, params, d.name);
                self.overload_sets.entry(first).or_insert_with(|| vec![first]).push(id);
                self.name_in_block(d, first);
                Some(id)
            }
            Found::Conflict => None,
        }
    }

    fn find_function(&mut self, d: &Declared) -> Found {
        let file = self.scopes.get(1).and_then(|s| s.names.get(&d.name).copied());
        let (first, at) = match file {
            Some((Name::Function(first), at)) => (first, at),
            Some((_, at)) => {
                let message =
                    format!("redefinition of '{}' as a different kind of name", self.symbols.text(d.name));
                self.error("redefinition", d.span, message).note(at, "previous definition is here");
                return Found::Conflict;
            }
            None => return Found::New,
        };
        let overloads = self.overloads(first);
        let wanted = self.parameter_types(d.ty.ty);
        let same_params = |p: &Self, id: FunctionId| {
            let params = p.function_infos.get(id.0 as usize).map(|f| p.parameter_types(f.ty));
            params.is_some_and(|params| {
                params.len() == wanted.len() && params.iter().zip(&wanted).all(|(a, b)| p.types.same(*a, *b))
            })
        };
        let before = overloads.iter().copied().find(|id| same_params(self, *id));
        let merged = match before {
            Some(id) => self.merge_with(id, d).map(|ty| (id, ty)),
            // Without overloading, compatible types are enough.
            None if !d.attributes.overloadable => {
                let lacking = |p: &Self, id: FunctionId| {
                    p.function_infos.get(id.0 as usize).is_some_and(|f| !f.overloadable)
                };
                let alone = overloads.iter().copied().find(|id| lacking(self, *id));
                alone.and_then(|id| Some((id, self.merge_with(id, d)?)))
            }
            None => None,
        };
        if let Some((id, ty)) = merged {
            if let Some(info) = self.function_infos.get_mut(id.0 as usize) {
                info.ty = ty;
            }
            return Found::Same(id);
        }
        if let Some(id) = before {
            let (span, message) = (
                self.functions.get(id.0 as usize).map_or(at, |f| f.span),
                format!("conflicting types for '{}': only the result differs", self.symbols.text(d.name)),
            );
            self.error("conflicting-types", d.span, message).note(span, "previous declaration is here");
            return Found::Conflict;
        }
        // One of a set may lack the attribute, as clang has it.
        let marked = |id: &FunctionId| self.function_infos.get(id.0 as usize).is_some_and(|f| f.overloadable);
        let any = d.attributes.overloadable || overloads.iter().any(marked);
        let lacking =
            overloads.iter().filter(|id| !marked(id)).count() + usize::from(!d.attributes.overloadable);
        if any && lacking <= 1 && d.specs.kernel.is_none() {
            return Found::Overload(first);
        }
        let previous = self.function_infos.get(first.0 as usize).map_or(Types::ERROR, |f| f.ty);
        if self.signature_has_error(d.ty.ty) || self.signature_has_error(previous) {
            return Found::Conflict;
        }
        let (name, now, then) =
            (self.symbols.shared(d.name), self.type_id_text(d.ty.ty), self.type_id_text(previous));
        let message = format!("conflicting types for '{name}': '{now}' and before '{then}'");
        let diagnostic = self.error("conflicting-types", d.span, message);
        diagnostic.note(at, "previous declaration is here");
        if any {
            diagnostic.remark("every overload but one needs __attribute__((overloadable))");
        }
        Found::Conflict
    }

    /// The composite of a function's type and that of another declaration.
    fn merge_with(&mut self, id: FunctionId, d: &Declared) -> Option<TypeId> {
        let ty = self.function_infos.get(id.0 as usize)?.ty;
        self.merge_type_ids(ty, d.ty.ty)
    }

    fn parameter_types(&self, ty: TypeId) -> Vec<TypeId> {
        match self.types.get(ty) {
            Type::Function(f) => f.params.clone(),
            _ => Vec::new(),
        }
    }

    fn signature_has_error(&self, ty: TypeId) -> bool {
        match self.types.get(ty) {
            Type::Function(f) => f.ret == Types::ERROR || f.params.contains(&Types::ERROR),
            _ => true,
        }
    }

    pub(super) fn add_function(&mut self, d: &Declared, params: Vec<Parameter>, name: Symbol) -> FunctionId {
        let ret = match self.types.get(d.ty.ty) {
            Type::Function(f) => f.ret,
            _ => Types::ERROR,
        };
        let name = if d.attributes.overloadable {
            let types: Vec<QualType> = params.iter().map(|p| p.ty).collect();
            let mangled = super::mangle::mangle(&self.types, self.symbols, name, &types);
            self.symbols.intern(&mangled)
        } else {
            name
        };
        let id = FunctionId(self.functions.len() as u32);
        self.functions.push(Function {
            name,
            ret,
            param_count: params.len(),
            locals: params.into_iter().map(parameter_local).collect(),
            kernel: d.specs.kernel.map(|_| d.attributes.kernel.clone()),
            body: None,
            labels: Vec::new(),
            linkage: Linkage::Import,
            inline_hint: d.attributes.inline_hint,
            fp_contract: self.fp_contract,
            captures: None,
            span: d.span,
        });
        let is_extern = matches!(d.specs.storage, Some((Storage::Extern, _)));
        let is_static = matches!(d.specs.storage, Some((Storage::Static, _)));
        self.function_infos.push(FunctionInfo {
            ty: d.ty.ty,
            overloadable: d.attributes.overloadable,
            internal: is_static || (d.specs.inline.is_some() && !is_extern),
            defined: None,
            warp: None,
            called: None,
            calls: Vec::new(),
            called_params: Vec::new(),
            passed_blocks: Vec::new(),
        });
        id
    }

    /// A further declaration of a function adds its attributes.
    fn merge_function(&mut self, id: FunctionId, d: &Declared, params: Vec<Parameter>) {
        let is_static = matches!(d.specs.storage, Some((Storage::Static, _)));
        let was_internal = self.function_infos.get(id.0 as usize).is_some_and(|f| f.internal);
        if let (Some((Storage::Static, at)), false) = (d.specs.storage, was_internal) {
            let before = self.functions.get(id.0 as usize).map_or(at, |f| f.span);
            let message =
                format!("'{}' is declared static after a declaration that is not", self.symbols.text(d.name));
            self.error("conflicting-linkage", at, message).note(before, "previous declaration is here");
        }
        let mut mixed = None;
        if let Some(function) = self.functions.get_mut(id.0 as usize) {
            match (&mut function.kernel, d.specs.kernel) {
                (Some(kernel), _) => kernel.merge(d.attributes.kernel.clone()),
                (none @ None, Some(span)) => {
                    mixed = Some((span, function.span));
                    *none = Some(d.attributes.kernel.clone());
                }
                (None, None) => {}
            }
            if d.attributes.inline_hint != InlineHint::None {
                function.inline_hint = d.attributes.inline_hint;
            }
            if function.body.is_none() && function.locals.len() == params.len() {
                function.locals = params.into_iter().map(parameter_local).collect();
                function.span = d.span;
            }
        }
        if let Some(info) = self.function_infos.get_mut(id.0 as usize) {
            info.internal |= is_static || d.specs.inline.is_some();
        }
        if let Some((span, before)) = mixed {
            let message = "this declares as a kernel a function that was declared without 'kernel' before";
            self.warning("kernel-redeclaration", span, message).note(before, "previous declaration is here");
        }
    }

    /// `kernel` and what goes only with it.
    fn check_function_words(&mut self, d: &Declared, params: &[Parameter]) {
        for param in params {
            self.reject_kernel_attributes(&param.attributes);
        }
        if d.specs.kernel.is_none() {
            // A prototype may leave `kernel` to the definition, but not the other way round.
            let is_kernel = match self.lookup(d.name) {
                Some((Name::Function(id), _)) => {
                    self.functions.get(id.0 as usize).is_some_and(|f| f.kernel.is_some())
                }
                _ => false,
            };
            if !is_kernel {
                self.reject_kernel_attributes(&d.attributes);
            }
            return;
        }
        if self.symbols.text(d.name) == "main" {
            self.error("kernel-name", d.span, "a kernel cannot be called 'main'");
        }
        if let Some((Storage::Static, span)) = d.specs.storage {
            self.error("static-kernel", span, "a kernel cannot be declared static");
        }
        if d.attributes.overloadable {
            self.error("overloaded-kernel", d.span, "a kernel cannot be overloadable");
        }
        if let Type::Function(ty) = self.types.get(d.ty.ty) {
            let ret = ty.ret;
            if ret != Types::VOID && ret != Types::ERROR {
                let message = format!("a kernel must return void, not '{}'", self.type_id_text(ret));
                let words = d.specs.type_span.filter(|_| d.specs.ty.ty == ret);
                let diagnostic = self.error("kernel-return-type", d.span, message);
                if let Some(words) = words {
                    diagnostic.replace(words, "void");
                }
            }
        }
        for param in params {
            self.check_kernel_parameter(param);
        }
    }

    /// Rule A-4 and §6.11 (a), (j), (k), (n): what the parameters of a kernel may be.
    fn check_kernel_parameter(&mut self, param: &Parameter) {
        match self.types.get(param.ty.ty).clone() {
            Type::Pointer(pointee) => self.check_kernel_pointer(pointee, param),
            // §6.14.5: a block cannot come from the host.
            Type::Block(_) => self.reject_kernel_parameter(param, "a block cannot be passed to a kernel"),
            Type::Event => self.reject_kernel_parameter(param, "an event cannot be passed to a kernel"),
            // §6.11 (s)
            Type::Opaque(Opaque::ClkEvent | Opaque::NdRange | Opaque::ReserveId) => {
                self.reject_kernel_parameter(param, "the host has no such object");
            }
            Type::Scalar(Scalar::Bool) => {
                self.reject_kernel_parameter(param, "the size of bool is not the same on host and device");
            }
            Type::Scalar(_) if param.sized_by_host.is_some() => {
                self.reject_kernel_parameter(param, "its size is not the same on host and device");
            }
            Type::Record(_) => {
                if let Some(inside) = self.host_dependent_member(param.ty.ty) {
                    let message = "a structure passed to a kernel cannot contain a 'bool', or a 'size_t' or one of its kin: their sizes are not the same on host and device";
                    self.error("kernel-parameter-type", param.span, message)
                        .note(inside, "the member is here");
                }
                if let Some((inside, opaque)) = self.find_opaque_member(param.ty.ty, 0) {
                    let message =
                        format!("a structure passed to a kernel cannot contain a '{}'", opaque.name());
                    self.error("kernel-parameter-type", param.span, message)
                        .note(inside, "the member is here");
                }
                if let Some(inside) = self.find_pointer_member(param.ty.ty, 0) {
                    let message =
                        "a structure passed to a kernel cannot contain pointers before OpenCL C 2.0";
                    self.error("kernel-parameter-type", param.span, message)
                        .note(inside, "the member is here");
                }
            }
            _ => {}
        }
    }

    /// Rule I-2: what a kernel's parameter points to without saying so is in global memory.
    pub(super) fn infer_kernel_parameters(&mut self, chunks: &mut [Chunk]) {
        let Some(Chunk::Function { params, .. }) = chunks.first_mut() else { return };
        for param in params {
            if let Some(pointee) = self.types.pointee(param.ty.ty)
                && pointee.space == AddressSpace::Generic
            {
                let pointee = self.in_space(pointee, AddressSpace::Global);
                param.ty.ty = self.types.pointer(pointee);
            }
        }
    }

    fn reject_kernel_parameter(&mut self, param: &Parameter, why: &str) {
        let message =
            format!("'{}' cannot be the type of a kernel parameter: {why}", self.kernel_type_text(param));
        self.error("kernel-parameter-type", param.span, message);
    }

    fn kernel_type_text(&self, param: &Parameter) -> String {
        param.sized_by_host.clone().unwrap_or_else(|| self.type_text(param.ty))
    }

    fn check_kernel_pointer(&mut self, pointee: QualType, param: &Parameter) {
        if matches!(pointee.space, AddressSpace::Private | AddressSpace::Generic) {
            let message = format!(
                "a pointer parameter of a kernel must point to __global, __local or __constant, this one points to {}",
                pointee.space.name()
            );
            let diagnostic = self.error("kernel-pointer-address-space", param.span, message);
            diagnostic.remark(format!("did you mean '__global {}'?", self_text(&param.written)));
            if let Some(at) = param.pointee_space {
                diagnostic.replace(at, if at.lo == at.hi { "__global " } else { "__global" });
            }
            return;
        }
        let Type::Pointer(inner) = *self.types.get(pointee.ty) else { return };
        if self.before_2_0() {
            let message = "a kernel parameter cannot be a pointer to a pointer before OpenCL C 2.0";
            self.error("kernel-parameter-type", param.span, message);
        } else if matches!(inner.space, AddressSpace::Private) {
            let message = format!(
                "the inner pointer of a kernel parameter must point to __global, __local or __constant, this one points to {}",
                inner.space.name()
            );
            self.error("kernel-pointer-address-space", param.span, message);
        }
    }

    /// A pointer inside a record, where the language version forbids it in a kernel's parameter.
    fn find_pointer_member(&self, ty: TypeId, depth: usize) -> Option<Span> {
        if !self.before_2_0() || depth > 64 {
            return None;
        }
        let Type::Record(id) = self.types.get(ty) else { return None };
        let fields = self.types.record(*id).fields.as_ref()?;
        fields.iter().find_map(|f| match self.types.get(self.innermost_element(f.ty.ty)) {
            Type::Pointer(_) => Some(f.span),
            Type::Record(_) => self.find_pointer_member(self.innermost_element(f.ty.ty), depth + 1),
            _ => None,
        })
    }

    /// A queue, event or the like inside a record: the host has no such objects (§6.11 (s)).
    fn find_opaque_member(&self, ty: TypeId, depth: usize) -> Option<(Span, Opaque)> {
        if depth > 64 {
            return None;
        }
        let Type::Record(id) = self.types.get(ty) else { return None };
        let fields = self.types.record(*id).fields.as_ref()?;
        fields.iter().find_map(|f| match self.types.get(self.innermost_element(f.ty.ty)) {
            Type::Opaque(opaque) => Some((f.span, *opaque)),
            Type::Record(_) => self.find_opaque_member(self.innermost_element(f.ty.ty), depth + 1),
            _ => None,
        })
    }

    /// A function's body.
    fn function_body(
        &mut self,
        typing: &mut Typing,
        id: FunctionId,
        d: &Declared,
        ret: TypeId,
        params: Vec<Parameter>,
        body: Body,
    ) {
        let is_kernel = self.functions.get(id.0 as usize).is_some_and(|f| f.kernel.is_some());
        let contract_before = self.fp_contract;
        let scope_base = self.scopes.len();
        self.function = Some(FunctionContext::new(id, d.name, ret, is_kernel, scope_base));
        self.scopes.push(Scope::default());
        self.declare_parameters(params);
        let errors = self.diags.error_count();
        let block = self.block_items(typing, body.items);
        self.report_before(typing, body.problems_end);
        self.scopes.pop();
        self.check_labels();
        if let Some(context) = self.function.take() {
            if !context.returns_value
                && ret != Types::VOID
                && ret != Types::ERROR
                && !is_kernel
                && self.diags.error_count() == errors
            {
                let message =
                    format!("function '{}' returns no value on any path", self.symbols.text(context.name));
                self.warning("missing-return", d.span, message);
            }
            let (mut context, mut block) = (context, block);
            self.loop_tail_calls(id, &mut context, &mut block);
            self.finish_function(id, context, block);
        }
        self.fp_contract = contract_before;
    }

    /// Enters the parameters of the current function into its scope.
    pub(super) fn declare_parameters(&mut self, params: Vec<Parameter>) {
        for param in params {
            let Some(function) = &mut self.function else { return };
            let id = LocalId(function.locals.len() as u32);
            if matches!(self.types.get(param.ty.ty), Type::Block(_)) {
                function.block_locals.insert(id, BlockTarget::Parameter(id));
            }
            let (name, span) = (param.name, param.span);
            function.locals.push(parameter_local(param));
            if let Some(name) = name {
                self.declare_name(name, Name::Local(id), span);
            }
        }
    }

    pub(super) fn finish_function(&mut self, id: FunctionId, context: FunctionContext, block: Block) {
        // A function of which a part is not contracted is not contracted at all. PTX that names a rounding is not, either (its §9.7.3).
        let contract = self.fp_contract && !context.contraction_off && !context.asm.exact;
        if let Some(info) = self.function_infos.get_mut(id.0 as usize) {
            info.warp = context.asm.warp;
        }
        if let Some(function) = self.functions.get_mut(id.0 as usize) {
            function.locals = context.locals;
            function.labels = context.label_list;
            function.fp_contract = contract;
            function.body = Some(block);
        }
    }

    // ---- the whole program ----

    /// Settles linkage and reports functions that are called but defined nowhere: C99 §6.9 p5 asks for a definition. An
    /// error where a kernel leads to the call; else a warning, as programs bring functions along that call what they
    /// define on other devices only.
    pub(super) fn finish_functions(&mut self) {
        self.require_warps();
        let reached = self.reached_by_kernels();
        for i in 0..self.functions.len() {
            let Some(info) = self.function_infos.get(i) else { continue };
            let (called, internal) = (info.called, info.internal);
            let Some(function) = self.functions.get_mut(i) else { continue };
            function.linkage = match (&function.body, called) {
                (Some(_), _) if function.kernel.is_some() => Linkage::Export,
                (Some(_), _) if internal => Linkage::Internal,
                (Some(_), _) => Linkage::Export,
                (None, Some(_)) => Linkage::Import,
                // Declared and never called: the emitter leaves it out.
                (None, None) => Linkage::Internal,
            };
            let (name, at) = (function.name, function.span);
            let missing = function.body.is_none() && (internal || !self.options.allow_undefined);
            if let (true, Some(span)) = (missing, called) {
                let name = self.source_name(FunctionId(i as u32), name);
                let message = format!("function '{name}' is called but not defined");
                let report = match reached.get(i) {
                    Some(false) => self.warning("undefined-function", span, message),
                    _ => self.error("undefined-function", span, message),
                };
                report.note(at, "it is declared here");
            }
        }
    }

    /// Requires sub-groups of 32 of the kernels that reach PTX of warps (its §3.1).
    fn require_warps(&mut self) {
        if self.function_infos.iter().all(|info| info.warp.is_none()) {
            return;
        }
        // Whoever calls such a function depends on warps, too.
        let mut warps: Vec<Option<Span>> = self.function_infos.iter().map(|info| info.warp).collect();
        let mut changed = true;
        while changed {
            changed = false;
            for caller in 0..warps.len() {
                let calls = self.function_infos.get(caller).map_or(&[][..], |info| &info.calls);
                let found =
                    calls.iter().find_map(|(callee, _)| warps.get(callee.0 as usize).copied().flatten());
                if let (Some(None), Some(span)) = (warps.get(caller), found) {
                    warps[caller] = Some(span);
                    changed = true;
                }
            }
        }
        for (i, warp) in warps.into_iter().enumerate() {
            let kernel = self.functions.get_mut(i).and_then(|f| f.kernel.as_mut());
            let (Some(kernel), Some(span)) = (kernel, warp) else { continue };
            if *kernel.reqd_sub_group_size.get_or_insert(32) != 32 {
                let message = "this depends on warps of 32 work-items, and a kernel that reaches it requires another size of sub-groups";
                self.error("inline-assembly", span, message);
            }
        }
    }

    /// For each function, whether a kernel is it or calls it, directly or through others.
    fn reached_by_kernels(&self) -> Vec<bool> {
        let mut reached: Vec<bool> = self.functions.iter().map(|f| f.kernel.is_some()).collect();
        let mut open: Vec<usize> = (0..reached.len()).filter(|i| reached[*i]).collect();
        while let Some(caller) = open.pop() {
            let calls = self.function_infos.get(caller).map_or(&[][..], |info| &info.calls);
            for (callee, _) in calls {
                if let Some(mark) = reached.get_mut(callee.0 as usize).filter(|m| !**m) {
                    *mark = true;
                    open.push(callee.0 as usize);
                }
            }
        }
        reached
    }

    /// A function's name as the source spells it.
    fn source_name(&self, id: FunctionId, name: Symbol) -> String {
        let overloadable = self.function_infos.get(id.0 as usize).is_some_and(|f| f.overloadable);
        let text = self.symbols.text(name);
        let text = if overloadable { super::mangle::demangled(text) } else { text };
        if self.cxx.enabled { super::cxx::shown_name(text) } else { text.to_owned() }
    }

    /// Reports recursion (§6.11 (i)): every cycle of calls once, at the call that closes it. Depth first
    /// with a stack of its own, for a long chain of calls must not use up the machine's.
    pub(super) fn check_recursion(&mut self) {
        #[derive(Clone, Copy, PartialEq)]
        enum Mark {
            New,
            Open,
            Done,
        }
        self.note_calls_of_blocks();
        let mut marks = vec![Mark::New; self.functions.len()];
        let mut found: Vec<(FunctionId, FunctionId, Span)> = Vec::new();
        for root in 0..self.functions.len() {
            let mut path: Vec<(usize, usize)> = vec![(root, 0)];
            while let Some((at, next)) = path.pop() {
                if next == 0 {
                    if marks[at] != Mark::New {
                        continue;
                    }
                    marks[at] = Mark::Open;
                }
                match self.function_infos.get(at).and_then(|f| f.calls.get(next)) {
                    None => marks[at] = Mark::Done,
                    Some((callee, span)) => {
                        path.push((at, next + 1));
                        match marks.get(callee.0 as usize) {
                            Some(Mark::Open) => found.push((FunctionId(at as u32), *callee, *span)),
                            Some(Mark::New) => path.push((callee.0 as usize, 0)),
                            _ => {}
                        }
                    }
                }
            }
        }
        for (caller, callee, span) in found {
            let Some(name) = self.functions.get(callee.0 as usize).map(|f| f.name) else { continue };
            let at = self.functions.get(callee.0 as usize).map_or(span, |f| f.span);
            let name = self.source_name(callee, name);
            let message = if caller == callee {
                format!("function '{name}' calls itself: recursion is not supported in OpenCL C")
            } else {
                format!("this call of '{name}' makes it call itself: recursion is not supported in OpenCL C")
            };
            self.error("recursion", span, message).note(at, format!("'{name}' is declared here"));
        }
    }
}

/// The earlier meaning of a declaration's name.
enum Found {
    Same(FunctionId),
    New,
    Overload(FunctionId),
    Conflict,
}

/// The parameters that a function's declarator lists.
fn function_params(declarator: Declarator) -> Vec<Parameter> {
    match declarator.chunks.into_iter().next() {
        Some(Chunk::Function { params, .. }) => params,
        _ => Vec::new(),
    }
}

pub(super) fn parameter_local(param: Parameter) -> Local {
    Local {
        name: param.name,
        ty: param.ty,
        written_type: Some(param.written),
        aligned: param.attributes.aligned,
        span: param.span,
    }
}

/// `float4*` as people write it.
fn self_text(written: &str) -> String {
    match written.find('*') {
        Some(at) => format!("{} {}", &written[..at], &written[at..]),
        None => written.to_owned(),
    }
}
