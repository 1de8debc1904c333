//! Declarators (C99 §6.7.5, §6.7.6): what stands around a declared name, kept as a list of steps from
//! the name outwards, and applied to the specifiers' type from the other end.

use super::attribute::Place;
use super::context::Sema;
use super::declspec::{DeclSpecs, PartialType, Qualifiers};
use super::expr::Typing;
use super::parameter::{Attributes, Parameter};
use super::refused::Refused;
use crate::options::Features;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::syntax::declaration::{self as syntax, Param, Row, SpecContext, Step};
use crate::syntax::statement::OldParameters;
use crate::types::{AddressSpace, FunctionType, MAX_OBJECT_SIZE, QualType, Scalar, Type, TypeId, Types};

/// Types nest (pointers, arrays) at most this deep.
const MAX_TYPE_LEVELS: usize = 64;

/// One step of a declarator.
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub enum Chunk {
    Pointer(Qualifiers),
    Array {
        size: ArraySize,
        span: Span,
    },
    Function {
        params: Vec<Parameter>,
        /// Where `...` stands.
        variadic: Option<Span>,
        span: Span,
    },
    /// `&` or `&&` of C++.
    Reference {
        rvalue: bool,
    },
    /// `^`, and where: a reference to a block. What qualifies it says nothing: it is const as it is.
    Block(Span),
}

/// The contents of the brackets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ArraySize {
    /// `[]`
    Unknown,
    Known(u64),
    /// Diagnosed already.
    Invalid,
}

/// A declarator.
#[derive(Debug, Clone, Default)]
pub struct Declarator {
    /// The declared name.
    pub name: Option<(Symbol, Span)>,
    /// From the name outwards: the first step is what the name is.
    pub chunks: Vec<Chunk>,
    /// Attributes in or after it.
    pub attributes: Attributes,
    /// All of it.
    pub span: Span,
}

impl Sema<'_> {
    /// The steps of a declarator with the values of its array sizes and the types of its parameters.
    pub(super) fn declarator(&mut self, typing: &mut Typing, declarator: u32) -> Declarator {
        let tree = typing.tree.declarations.declarators[declarator as usize];
        let mut result = Declarator::default();
        let mut pointers = Vec::new();
        for index in tree.before.start..tree.before.end {
            let step = typing.tree.declarations.steps[index as usize];
            pointers.extend(self.step(typing, step, &mut result.attributes));
        }
        result.name = tree.name.map(|(name, at)| (name, self.span_of(at)));
        if let Some(inner) = tree.inner {
            let inner = self.declarator(typing, inner);
            result.name = inner.name;
            result.chunks = inner.chunks;
            result.attributes.merge(inner.attributes);
        }
        for index in tree.behind.start..tree.behind.end {
            let step = typing.tree.declarations.steps[index as usize];
            let chunk = self.step(typing, step, &mut result.attributes);
            result.chunks.extend(chunk);
        }
        pointers.reverse();
        result.chunks.append(&mut pointers);
        self.apply_attributes(typing, tree.attributes, &mut result.attributes);
        self.report_before(typing, tree.problems_end);
        result.span = self.span_of(tree.first).to(self.span_of(tree.last));
        result
    }

    fn step(&mut self, typing: &mut Typing, step: Step, attributes: &mut Attributes) -> Option<Chunk> {
        match step {
            Step::Attributes(row) => {
                self.apply_attributes(typing, row, attributes);
                None
            }
            Step::Pointer(qualifiers) => {
                Some(Chunk::Pointer(self.qualifiers(typing, qualifiers, attributes)))
            }
            Step::Reference { qualifiers, rvalue } => {
                self.qualifiers(typing, qualifiers, attributes);
                Some(Chunk::Reference { rvalue })
            }
            Step::Caret { at, qualifiers, problems } => {
                let span = self.span_of(at);
                self.report_before(typing, problems);
                if !self.has_device_enqueue() {
                    self.refuse("a block", Refused::DeviceEnqueue, span);
                }
                self.qualifiers(typing, qualifiers, attributes);
                Some(Chunk::Block(span))
            }
            Step::Array { qualifiers, size, first, last, problems, problems_end } => {
                self.report_before(typing, problems);
                self.qualifiers(typing, qualifiers, attributes);
                let (first, all) = (self.span_of(first), self.span_of(first).to(self.span_of(last)));
                let (size, span) = self.following(|p| {
                    let found = p.array_suffix(typing, size, first, all);
                    p.report_before(typing, problems_end);
                    found
                });
                Some(Chunk::Array { size, span })
            }
            Step::Function { params, variadic, first, last } => {
                let mut list = Vec::new();
                for index in params.start..params.end {
                    let param = typing.tree.declarations.params[index as usize];
                    list.push(self.listed_parameter(typing, param));
                }
                let variadic = variadic.map(|at| self.span_of(at));
                let span = self.span_of(first).to(self.span_of(last));
                Some(Chunk::Function { params: list, variadic, span })
            }
        }
    }

    /// What stands between brackets, of which `open` is the first and `all` the whole; and its place.
    fn array_suffix(
        &mut self,
        typing: &mut Typing,
        size: syntax::ArraySize,
        open: Span,
        all: Span,
    ) -> (ArraySize, Span) {
        let errors = self.diags.error_count();
        match size {
            syntax::ArraySize::Unknown => (ArraySize::Unknown, all),
            syntax::ArraySize::Star => {
                self.report_vla(all);
                (ArraySize::Invalid, all)
            }
            syntax::ArraySize::TooDeep => (ArraySize::Invalid, open),
            syntax::ArraySize::Value(e) => {
                let e = self.type_range(typing, e);
                let e = self.to_rvalue(e);
                (self.array_size(&e, errors), e.span)
            }
        }
    }

    fn array_size(&mut self, expr: &crate::hir::Expr, errors_before: usize) -> ArraySize {
        if matches!(self.types.get(expr.ty.ty), Type::Error) || self.diags.error_count() > errors_before {
            return ArraySize::Invalid;
        }
        let integer = matches!(self.types.scalar_and_lanes(expr.ty.ty), Some((s, 1)) if s.is_integer());
        if !integer {
            let message = format!("size of array has non-integer type '{}'", self.type_text(expr.ty));
            self.error("array-size", expr.span, message);
            return ArraySize::Invalid;
        }
        let unsigned = matches!(self.types.scalar_and_lanes(expr.ty.ty), Some((Scalar::ULong, _)));
        match self.const_eval_int(expr) {
            None => {
                if self.diags.error_count() == errors_before {
                    self.report_vla(expr.span);
                }
                ArraySize::Invalid
            }
            Some(n) if n < 0 && !unsigned => {
                self.error("array-size", expr.span, format!("array size {n} is negative"));
                ArraySize::Invalid
            }
            Some(n) if n < 0 || n as u64 > MAX_OBJECT_SIZE => {
                self.error("array-too-large", expr.span, format!("array size {} is too large", n as u64));
                ArraySize::Invalid
            }
            Some(n) => ArraySize::Known(n as u64),
        }
    }

    fn report_vla(&mut self, span: Span) {
        self.error("variable-length-array", span, "variable length arrays are not supported in OpenCL C")
            .remark("the size must be an integer constant expression: a literal, a macro, an enumerator");
    }

    fn listed_parameter(&mut self, typing: &mut Typing, param: Param) -> Parameter {
        match param {
            Param::Typed { specs, declarator } => {
                let specs = self.decl_specs(typing, specs, SpecContext::Parameter);
                let declarator = self.declarator(typing, declarator);
                self.declared_parameter(&specs, declarator)
            }
            Param::Name { name, at } => Parameter {
                name: Some(name),
                ty: QualType::new(Types::INT),
                written: "int".to_owned(),
                sized_by_host: None,
                attributes: Attributes::default(),
                span: self.span_of(at),
                pointee_space: None,
                old_style: true,
            },
        }
    }

    /// A parameter with these specifiers.
    fn declared_parameter(&mut self, specs: &DeclSpecs, mut declarator: Declarator) -> Parameter {
        let span = declarator.name.map_or(specs.span.to(declarator.span), |(_, s)| s);
        let mut attributes = specs.attributes.clone();
        attributes.merge(std::mem::take(&mut declarator.attributes));
        // The outermost array of a parameter is a pointer, its size without meaning (C99 §6.7.5.3, 7).
        let outer_is_array = match declarator.chunks.first_mut() {
            Some(Chunk::Array { size, .. }) => {
                *size = ArraySize::Unknown;
                true
            }
            _ => false,
        };
        self.check_place(&attributes, Place::Other);
        self.reject_function_specifiers(&[(specs.inline, "inline"), (specs.kernel, "kernel")], "a parameter");
        let pointee_space = match declarator.chunks.as_slice() {
            [Chunk::Pointer(_) | Chunk::Array { .. }] => {
                Some(specs.space_span.unwrap_or(Span { hi: specs.span.lo, ..specs.span }))
            }
            _ => None,
        };
        let stars = declarator.chunks.iter().filter(|c| !matches!(c, Chunk::Function { .. })).count();
        let written = format!("{}{}", specs.written, "*".repeat(stars.min(MAX_TYPE_LEVELS)));
        let mut ty = self.apply_declarator(specs.ty, &declarator.chunks, span);
        if let Some(retype) = attributes.retype {
            ty.ty = self.retyped(ty.ty, retype);
        }
        let ty = self.adjust_parameter(ty, outer_is_array, span);
        Parameter {
            name: declarator.name.map(|(name, _)| name),
            ty,
            written,
            sized_by_host: specs.sized_by_host.then(|| specs.written.clone()),
            attributes,
            span,
            pointee_space,
            old_style: false,
        }
    }

    /// The declarations between an identifier list and the body (C99 §6.9.1): each gives parameters their types. The
    /// function then is as one with a prototype: arguments convert to these types.
    pub(super) fn old_parameters(
        &mut self,
        typing: &mut Typing,
        declarator: &mut Declarator,
        declarations: Option<Row>,
        typed: bool,
    ) {
        let Some(Chunk::Function { params, span, .. }) = declarator.chunks.first_mut() else { return };
        if !params.iter().any(|p| p.old_style) {
            return;
        }
        let Some(declarations) = declarations.filter(|_| typed) else {
            let span = params.first().map_or(*span, |p| p.span);
            self.error("expected-parameter", span, "a parameter list without types belongs to a definition");
            return;
        };
        self.warning("old-style-definition", *span, "a definition without a prototype is of C before 1989");
        for index in declarations.start..declarations.end {
            let declaration = typing.tree.statements.old_parameters[index as usize];
            let known = self.following(|p| {
                let known = p.old_declaration(typing, declaration, params);
                p.report_before(typing, declaration.problems_end);
                known
            });
            if !known {
                return;
            }
        }
        for param in params.iter_mut().filter(|p| p.old_style) {
            self.warning("missing-type", param.span, "this parameter has no declaration: it is an 'int'");
        }
    }

    /// One declaration of old-style parameters; false where it declares none of them.
    fn old_declaration(
        &mut self,
        typing: &mut Typing,
        declaration: OldParameters,
        params: &mut [Parameter],
    ) -> bool {
        let specs = self.decl_specs(typing, declaration.specs, SpecContext::Parameter);
        for index in declaration.declarators.start..declaration.declarators.end {
            let declarator = typing.tree.statements.old_declarators[index as usize];
            let declarator = self.declarator(typing, declarator);
            let typed = self.declared_parameter(&specs, declarator);
            let Some(slot) = params.iter_mut().find(|p| p.old_style && p.name == typed.name) else {
                let message = "this declares no parameter of the list";
                self.error("expected-parameter", typed.span, message);
                return false;
            };
            *slot = typed;
        }
        true
    }

    /// Arrays become pointers to their element; the parameter itself is private (rule A-2).
    fn adjust_parameter(&mut self, ty: PartialType, is_array: bool, span: Span) -> QualType {
        match *self.types.get(ty.ty) {
            Type::Array(element, _) => {
                let space = ty.space.unwrap_or(self.default_pointee_space());
                let element = QualType {
                    is_const: element.is_const || ty.is_const,
                    is_volatile: element.is_volatile || ty.is_volatile,
                    ..element
                };
                let element = self.in_space(element, space);
                debug_assert!(is_array || !matches!(self.types.get(element.ty), Type::Error));
                let pointer = self.types.pointer(element);
                QualType::new(pointer)
            }
            Type::Function(_) => {
                let message = "a parameter cannot be a function: OpenCL C has no function pointers";
                self.error("function-pointer", span, message);
                QualType::new(Types::ERROR)
            }
            Type::Void => {
                self.error("void-parameter", span, "a parameter cannot have type 'void'");
                QualType::new(Types::ERROR)
            }
            _ => {
                if let Some(space) = ty.space.filter(|s| *s != AddressSpace::Private) {
                    let message = format!(
                        "a parameter is always in the __private address space, it cannot be {}",
                        space.name()
                    );
                    self.error("parameter-address-space", span, message)
                        .remark("the qualifier of what a pointer points to stands before the '*'");
                }
                let ty = PartialType { space: None, ..ty };
                let ty = self.finish_type(ty, AddressSpace::Private);
                self.check_half_object(ty.ty, span);
                ty
            }
        }
    }

    /// Applies a declarator's steps to the specifiers' type.
    pub(super) fn apply_declarator(
        &mut self,
        base: PartialType,
        chunks: &[Chunk],
        span: Span,
    ) -> PartialType {
        if chunks.is_empty() {
            return base;
        }
        if chunks.len() + self.type_levels(base.ty) > MAX_TYPE_LEVELS {
            let message = format!("a type of more than {MAX_TYPE_LEVELS} levels of pointers and arrays");
            self.error("type-too-complex", span, message);
            return error_type();
        }
        let mut ty = base;
        for chunk in chunks.iter().rev() {
            ty = match chunk {
                Chunk::Pointer(qualifiers) => self.pointer_to(ty, *qualifiers, span),
                Chunk::Reference { rvalue } => self.reference_to(ty, *rvalue, span),
                Chunk::Block(span) => self.block_of(ty, *span),
                Chunk::Array { size, span } => self.array_of(ty, *size, *span),
                Chunk::Function { params, variadic, span } => {
                    if let Some(span) = *variadic {
                        let message = "variadic functions are not allowed in OpenCL C (only printf is one)";
                        self.error("variadic-function", span, message);
                    }
                    self.function_returning(ty, params, *span)
                }
            };
        }
        ty
    }

    /// A reference to a type; one to a reference is that, unless both are of rvalues.
    fn reference_to(&mut self, ty: PartialType, rvalue: bool, span: Span) -> PartialType {
        match *self.types.get(ty.ty) {
            Type::Error => return error_type(),
            Type::Function(_) => {
                self.refuse_cxx("references to functions", span);
                return error_type();
            }
            Type::Void => {
                self.error("invalid-pointee", span, "a reference to 'void'");
                return error_type();
            }
            Type::Reference(referred, inner) => {
                let reference = self.types.intern(Type::Reference(referred, inner && rvalue));
                return PartialType { ty: reference, ..error_type() };
            }
            _ => {}
        }
        let referred = self.finish_type(ty, self.default_pointee_space());
        PartialType { ty: self.types.intern(Type::Reference(referred, rvalue)), ..error_type() }
    }

    fn type_levels(&self, mut ty: TypeId) -> usize {
        let mut levels = 0;
        while let Type::Pointer(inner) | Type::Array(inner, _) = self.types.get(ty) {
            levels += 1;
            ty = inner.ty;
        }
        levels
    }

    fn pointer_to(&mut self, ty: PartialType, qualifiers: Qualifiers, span: Span) -> PartialType {
        match self.types.get(ty.ty) {
            Type::Error => return error_type(),
            Type::Function(_) => {
                self.error("function-pointer", span, "OpenCL C has no pointers to functions");
                return error_type();
            }
            // §6.14.5: pointers to blocks are not allowed.
            Type::Image(..) | Type::Sampler | Type::Pipe(..) | Type::Block(_) => {
                let message =
                    format!("pointer to type '{}' is invalid in OpenCL C", self.type_id_text(ty.ty));
                self.error("invalid-pointee", span, message);
                return error_type();
            }
            _ => {}
        }
        let pointee = self.finish_type(ty, self.default_pointee_space());
        let pointer = PartialType { ty: self.types.pointer(pointee), ..error_type() };
        self.qualify(pointer, qualifiers, span, None)
    }

    /// The type of references to blocks of a function's type.
    fn block_of(&mut self, ty: PartialType, span: Span) -> PartialType {
        if !self.has_device_enqueue() || ty.ty == Types::ERROR {
            return error_type();
        }
        let Type::Function(function) = self.types.get(ty.ty) else {
            let message = "'^' declares a reference to a block: parentheses with its parameters must follow";
            self.error("invalid-block-type", span, message).remark("as in 'int (^name)(float)'");
            return error_type();
        };
        // §6.14.5: a block cannot be a parameter (of a block; Example 1 has one as a function's).
        if function.params.iter().any(|p| matches!(self.types.get(*p), Type::Block(_))) {
            self.error("invalid-block-type", span, "a block cannot be the parameter of a block");
            return error_type();
        }
        PartialType { ty: self.types.intern(Type::Block(ty.ty)), ..error_type() }
    }

    fn array_of(&mut self, ty: PartialType, size: ArraySize, span: Span) -> PartialType {
        let text = self.type_id_text(ty.ty);
        let problem = match self.types.get(ty.ty) {
            Type::Error => return error_type(),
            Type::Void => Some(("incomplete-type", "array of 'void'".to_owned())),
            Type::Function(_) => Some(("invalid-element", "array of functions".to_owned())),
            // §6.14.5: arrays of blocks are not supported.
            Type::Image(..) | Type::Sampler | Type::Pipe(..) | Type::Block(_) => {
                Some(("invalid-element", format!("array of '{text}' is invalid in OpenCL C")))
            }
            Type::Array(_, None) => {
                Some(("incomplete-type", format!("array has incomplete element type '{text}'")))
            }
            Type::Record(id) if self.types.record(*id).fields.is_none() => {
                Some(("incomplete-type", format!("array has incomplete element type '{text}'")))
            }
            _ => None,
        };
        if let Some((id, message)) = problem {
            self.error(id, span, message);
            return error_type();
        }
        let len = match size {
            ArraySize::Invalid => return error_type(),
            ArraySize::Unknown => None,
            ArraySize::Known(n) => Some(n),
        };
        let element = self.finish_type(ty, AddressSpace::Private);
        let array = self.types.intern(Type::Array(element, len));
        if len.is_some() && self.types.layout(array).is_none() {
            self.error("array-too-large", span, "the array is too large");
            return error_type();
        }
        PartialType { ty: array, aligned: None, ..ty }
    }

    fn function_returning(&mut self, ty: PartialType, params: &[Parameter], span: Span) -> PartialType {
        match self.types.get(ty.ty) {
            Type::Array(..) | Type::Function(_) => {
                let message = format!("a function cannot return '{}'", self.type_id_text(ty.ty));
                self.error("invalid-return-type", span, message);
                return error_type();
            }
            // §6.14.5: a block cannot be a return value.
            Type::Image(..) | Type::Sampler | Type::Pipe(..) | Type::Block(_) => {
                let message = format!("a function cannot return '{}' in OpenCL C", self.type_id_text(ty.ty));
                self.error("invalid-return-type", span, message);
            }
            _ => {}
        }
        if let Some(space) = ty.space {
            let message = format!(
                "a return type cannot be qualified with an address space ({}); what is returned is in __private",
                space.name()
            );
            match space {
                AddressSpace::Private if !self.cxx.enabled => {
                    self.warning("return-address-space", span, message)
                }
                _ => self.error("return-address-space", span, message),
            }
            .remark("a qualifier of what a returned pointer points to stands before the '*'");
        }
        self.check_half_object(ty.ty, span);
        let function = FunctionType {
            ret: ty.ty,
            params: params.iter().map(|p| p.ty.ty).collect(),
            variadic: false,
            no_prototype: false,
        };
        PartialType { ty: self.types.intern(Type::Function(function)), ..error_type() }
    }

    /// An object of type half needs the extension; a pointer to one does not (§6.3.1).
    pub(super) fn check_half_object(&mut self, mut ty: TypeId, span: Span) {
        while let Type::Array(element, _) = self.types.get(ty) {
            ty = element.ty;
        }
        let is_half = matches!(self.types.get(ty), Type::Scalar(Scalar::Half));
        if is_half && !self.options.features.contains(Features::FP16) {
            let message = "an object of type 'half' needs cl_khr_fp16, which this device does not support";
            self.error("missing-extension", span, message)
                .remark("pointers to half, vload_half and vstore_half work without it");
        }
    }
}

/// The type of something diagnosed already.
pub(super) fn error_type() -> PartialType {
    PartialType {
        ty: Types::ERROR,
        space: None,
        is_const: false,
        is_volatile: false,
        is_restrict: false,
        aligned: None,
    }
}
