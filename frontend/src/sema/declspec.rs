//! Declaration specifiers (C99 §6.7, with OpenCL C's additions): storage classes, qualifiers, address
//! spaces and type names in any order, to one [`DeclSpecs`].

use super::context::{Name, Sema};
use super::expr::Typing;
use super::parameter::Attributes;
use super::refused::Refused;
use super::scope::add_guess;
use crate::options::{Features, LangVersion};
use crate::source::Span;
use crate::symbol::{Symbol, kw};
use crate::syntax::declaration::{Row, SpecContext, SpecKind, TypeName};
use crate::types::{AddressSpace, ImageAccess, QualType, Scalar, TypeId, Types};

/// A type whose address space is known only if it was written: the declaration that it belongs to
/// decides the rest (rules ).
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)]
pub struct PartialType {
    pub ty: TypeId,
    pub space: Option<AddressSpace>,
    pub is_const: bool,
    pub is_volatile: bool,
    pub is_restrict: bool,
    /// The alignment that a typedef gives it.
    pub aligned: Option<u32>,
}

/// Qualifiers as they were collected at one level of a declaration.
#[derive(Debug, Clone, Copy, Default)]
#[allow(missing_docs)]
pub struct Qualifiers {
    pub is_const: bool,
    pub is_volatile: bool,
    pub is_restrict: bool,
    pub space: Option<(AddressSpace, Span)>,
}

/// The storage classes that OpenCL C has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Storage {
    Typedef,
    Extern,
    Static,
}

/// The meaning of the specifiers of one declaration.
#[derive(Debug, Clone)]
pub struct DeclSpecs {
    /// The type.
    pub ty: PartialType,
    /// The place of the address space, if one was written.
    pub space_span: Option<Span>,
    /// The storage class.
    pub storage: Option<(Storage, Span)>,
    /// `inline`
    pub inline: Option<Span>,
    /// `kernel`
    pub kernel: Option<Span>,
    /// Attributes among the specifiers.
    pub attributes: Attributes,
    /// From the first to the last specifier.
    pub span: Span,
    /// The type's own words, where they stand together.
    pub type_span: Option<Span>,
    /// The type as it was written, in the form that CL_KERNEL_ARG_TYPE_NAME wants.
    pub written: String,
    /// True if the type is `size_t` or one of its kin: their sizes may be others on the host.
    pub sized_by_host: bool,
    /// Where `_Alignas` stands: its alignment is among the attributes.
    pub alignas: Option<Span>,
    /// True if the type, and so its address space, is that of a `typeof`.
    pub is_typeof: bool,
    /// Where `__auto_type` stands: the type is the initialiser's.
    pub auto_type: Option<Span>,
    /// True if a struct, union or enum specifier was among them (the declaration may end here).
    pub declares_tag: bool,
    /// True if nothing at all was found.
    pub is_empty: bool,
    /// The specifiers of C++.
    pub cxx: CxxSpecs,
}

/// The places of the specifiers of C++.
#[derive(Debug, Clone, Copy, Default)]
#[allow(missing_docs)]
pub struct CxxSpecs {
    pub is_constexpr: Option<Span>,
    pub is_virtual: Option<Span>,
    pub is_explicit: Option<Span>,
    pub is_mutable: Option<Span>,
    pub thread_local: Option<Span>,
    /// No type was written.
    pub no_type: bool,
}

/// The type words of C99 §6.7.2, counted.
#[derive(Debug, Default)]
pub(super) struct TypeWords {
    pub(super) signed: bool,
    pub(super) unsigned: bool,
    pub(super) short: bool,
    pub(super) long: u8,
    pub(super) int: bool,
    pub(super) base: Option<Scalar>,
    pub(super) void: bool,
    /// A typedef name, a tag, or `typeof`.
    pub(super) other: Option<QualType>,
    pub(super) written: Option<String>,
    pub(super) any: bool,
    pub(super) invalid: bool,
    /// The place of the typedef that a typedef name refers to.
    pub(super) typedef_at: Option<Span>,
    /// Where `pipe` stood beside the type of its packets.
    pub(super) pipe: Option<Span>,
    /// Spelled with built-in names only: the check for features has not been made at a typedef.
    pub(super) check: bool,
}

impl Sema<'_> {
    /// The type that a type name names (C99 §6.7.6).
    pub(super) fn type_named(&mut self, typing: &mut Typing, name: TypeName) -> QualType {
        let Some((specs, declarator)) = name.0 else { return QualType::new(Types::ERROR) };
        let specs = self.decl_specs(typing, specs, SpecContext::TypeName);
        let declarator = self.declarator(typing, declarator);
        let ty = self.apply_declarator(specs.ty, &declarator.chunks, specs.span);
        self.finish_type(ty, AddressSpace::Private)
    }

    /// A type with the space that its place gives where none was written.
    pub(super) fn finish_type(&mut self, ty: PartialType, default: AddressSpace) -> QualType {
        let space = ty.space.unwrap_or(default);
        let object = QualType {
            ty: ty.ty,
            space,
            is_const: ty.is_const,
            is_volatile: ty.is_volatile,
            is_restrict: ty.is_restrict,
            aligned: ty.aligned,
        };
        self.in_space(object, space)
    }

    /// The meaning of declaration specifiers.
    pub(super) fn decl_specs(&mut self, typing: &mut Typing, specs: u32, context: SpecContext) -> DeclSpecs {
        let tree = typing.tree.declarations.specs[specs as usize];
        let start = self.span_of(tree.first);
        let mut words = TypeWords::default();
        let mut qualifiers = Qualifiers::default();
        let mut access = None;
        let mut specs = DeclSpecs {
            ty: PartialType {
                ty: Types::ERROR,
                space: None,
                is_const: false,
                is_volatile: false,
                is_restrict: false,
                aligned: None,
            },
            space_span: None,
            storage: None,
            inline: None,
            kernel: None,
            attributes: Attributes::default(),
            span: start,
            type_span: None,
            written: String::new(),
            sized_by_host: false,
            alignas: None,
            is_typeof: false,
            auto_type: None,
            declares_tag: false,
            is_empty: true,
            cxx: CxxSpecs::default(),
        };
        // Where the type's words began, and the token behind the last of them.
        let mut type_words: Option<(Span, u32)> = None;
        for index in tree.words.start..tree.words.end {
            let word = typing.tree.declarations.words[index as usize];
            self.report_before(typing, word.problems);
            let span = self.span_of(word.first);
            let is_type = match word.kind {
                SpecKind::Attributes(row) => {
                    self.apply_attributes(typing, row, &mut specs.attributes);
                    self.take_space(&mut specs.attributes, &mut qualifiers);
                    false
                }
                SpecKind::Qualifier(word) => {
                    self.qualifier(word, span, &mut qualifiers);
                    false
                }
                SpecKind::AlignasType(_) | SpecKind::AlignasExpr(_) | SpecKind::AlignasNothing => {
                    self.alignas(typing, word.kind, span, &mut specs.attributes);
                    specs.alignas = Some(span);
                    false
                }
                SpecKind::Keyword(word)
                    if self.function_word(word, span, context, &mut specs)
                        || self.access_word(word, span, &mut access) =>
                {
                    false
                }
                kind => {
                    self.type_word(typing, kind, span, &mut words, &mut specs);
                    true
                }
            };
            if is_type {
                let apart = type_words.is_some_and(|(_, end)| end != word.first);
                let (start, _) = *type_words.get_or_insert((span, word.end));
                type_words = Some((start, if apart { u32::MAX } else { word.end }));
                specs.type_span = (!apart).then(|| start.to(self.span_of(word.end.saturating_sub(1))));
            }
        }
        specs.is_empty = tree.end == tree.first;
        if !specs.is_empty {
            specs.span = start.to(self.span_of(tree.end - 1));
        }
        self.report_before(typing, tree.problems_end);
        self.finish_specs(words, qualifiers, access, &mut specs);
        if !matches!(context, SpecContext::File | SpecContext::Block | SpecContext::Member) {
            self.reject_alignas(&specs);
        }
        if let Some(span) = specs
            .auto_type
            .filter(|_| !self.cxx.enabled && !matches!(context, SpecContext::File | SpecContext::Block))
        {
            self.error(
                "auto-type",
                span,
                "'__auto_type' stands in the declaration of an initialised variable only",
            );
        }
        if matches!(context, SpecContext::Parameter | SpecContext::Member) && self.lacks_arguments(&specs) {
            specs.ty.ty = Types::ERROR;
        }
        specs
    }

    /// C11 §6.7.5, 2: variables and members only.
    pub(super) fn reject_alignas(&mut self, specs: &DeclSpecs) {
        if let Some(span) = specs.alignas {
            self.error("misplaced-alignas", span, "'_Alignas' can only be applied to a variable or a member");
        }
    }

    /// C11 §6.7.5, 4: an alignment is none that the type has more of.
    pub(super) fn check_alignas(&mut self, specs: &DeclSpecs, ty: TypeId) {
        let (Some(span), Some(aligned)) = (specs.alignas, specs.attributes.aligned) else { return };
        let natural = self.types.layout(self.innermost_element(ty)).map_or(1, |l| l.align);
        if u64::from(aligned) < natural {
            let message =
                format!("'_Alignas' asks for less ({aligned}) than the alignment of the type ({natural})");
            self.error("invalid-alignment", span, message);
        }
    }

    /// One type qualifier or address space. Rule A-1: at most one space at one level.
    pub(super) fn qualifier(&mut self, word: Symbol, span: Span, into: &mut Qualifiers) {
        match word {
            kw::CONST | kw::CONST_U | kw::CONST_UU => into.is_const = true,
            kw::VOLATILE | kw::VOLATILE_U | kw::VOLATILE_2 => into.is_volatile = true,
            kw::RESTRICT | kw::RESTRICT_U | kw::RESTRICT_UU => into.is_restrict = true,
            _ => {
                if let Some(space) = space_of(word) {
                    self.set_space(into, space, span);
                }
            }
        }
    }

    /// Qualifiers of one level, and attributes among them.
    pub(super) fn qualifiers(
        &mut self,
        typing: &mut Typing,
        row: Row,
        attributes: &mut Attributes,
    ) -> Qualifiers {
        let mut qualifiers = Qualifiers::default();
        for index in row.start..row.end {
            let word = typing.tree.declarations.words[index as usize];
            self.report_before(typing, word.problems);
            match word.kind {
                SpecKind::Qualifier(name) => {
                    self.qualifier(name, self.span_of(word.first), &mut qualifiers);
                }
                SpecKind::Attributes(row) => {
                    self.apply_attributes(typing, row, attributes);
                    self.take_space(attributes, &mut qualifiers);
                }
                _ => {}
            }
        }
        qualifiers
    }

    /// An address space that an attribute gave, as a qualifier.
    pub(super) fn take_space(&mut self, attributes: &mut Attributes, into: &mut Qualifiers) {
        if let Some((space, span)) = attributes.space.take() {
            self.set_space(into, space, span);
        }
    }

    fn set_space(&mut self, into: &mut Qualifiers, space: AddressSpace, span: Span) {
        if space == AddressSpace::Generic && !self.has_generic_space() {
            let message = "the __generic address space needs OpenCL C 2.0, or 3.0 with the feature __opencl_c_generic_address_space";
            self.error("generic-unavailable", span, message);
            return;
        }
        match into.space {
            Some((before, at)) if before != space => {
                let message = format!(
                    "multiple address spaces specified for one type: {} and {}",
                    before.name(),
                    space.name()
                );
                self.error("multiple-address-spaces", span, message).note(at, "the first one is here");
            }
            Some((_, at)) => {
                let message = format!("address space {} specified twice for one type", space.name());
                self.warning("duplicate-address-space", span, message).note(at, "the first one is here");
            }
            None => into.space = Some((space, span)),
        }
    }

    /// Storage classes and function specifiers.
    fn function_word(
        &mut self,
        word: Symbol,
        span: Span,
        context: SpecContext,
        specs: &mut DeclSpecs,
    ) -> bool {
        let storage = match word {
            kw::CONSTEXPR => {
                specs.cxx.is_constexpr = Some(span);
                return true;
            }
            kw::VIRTUAL => {
                specs.cxx.is_virtual = Some(span);
                return true;
            }
            kw::EXPLICIT => {
                specs.cxx.is_explicit = Some(span);
                return true;
            }
            kw::MUTABLE => {
                specs.cxx.is_mutable = Some(span);
                return true;
            }
            kw::THREAD_LOCAL => {
                specs.cxx.thread_local = Some(span);
                return true;
            }
            kw::FRIEND => return true,
            kw::TYPEDEF => Storage::Typedef,
            kw::EXTERN => Storage::Extern,
            kw::STATIC => Storage::Static,
            kw::AUTO | kw::REGISTER => {
                let message = format!(
                    "OpenCL C does not support the '{}' storage class specifier",
                    self.symbols.text(word)
                );
                self.error("unsupported-storage-class", span, message);
                return true;
            }
            kw::INLINE | kw::INLINE_U | kw::INLINE_UU => {
                specs.inline = Some(span);
                return true;
            }
            kw::NORETURN => {
                return true;
            }
            kw::KERNEL | kw::KERNEL_U => {
                specs.kernel = Some(span);
                return true;
            }
            _ => return false,
        };
        let member = self.cxx.enabled && context == SpecContext::Member;
        if !matches!(context, SpecContext::File | SpecContext::Block) && !member {
            let message = format!("'{}' is not allowed here", self.symbols.text(word));
            self.error("misplaced-storage-class", span, message);
        } else if let Some((before, at)) = specs.storage {
            if before == storage {
                let message = format!("duplicate '{}'", self.symbols.text(word));
                self.warning("duplicate-specifier", span, message);
            } else {
                let message = "a declaration can have only one storage class";
                self.error("multiple-storage-classes", span, message).note(at, "the first one is here");
            }
        } else {
            specs.storage = Some((storage, span));
        }
        if storage != Storage::Typedef && self.options.std < LangVersion::Cl1_2 {
            let message = format!("'{}' is of OpenCL C 1.2 and later (§6.10)", self.symbols.text(word));
            self.warning("later-version", span, message);
        }
        true
    }

    fn access_word(&mut self, word: Symbol, span: Span, access: &mut Option<(ImageAccess, Span)>) -> bool {
        let kind = match word {
            kw::READ_ONLY | kw::READ_ONLY_U => ImageAccess::ReadOnly,
            kw::WRITE_ONLY | kw::WRITE_ONLY_U => ImageAccess::WriteOnly,
            kw::READ_WRITE | kw::READ_WRITE_U => ImageAccess::ReadWrite,
            _ => return false,
        };
        if access.is_some_and(|(before, _)| before != kind) {
            self.error("multiple-access-qualifiers", span, "a type can have only one access qualifier");
        }
        *access = Some((kind, span));
        true
    }

    /// §6.8: images that are read and written came with OpenCL C 2.0 and are a feature of 3.0.
    pub(super) fn check_read_write(&mut self, access: ImageAccess, span: Span) {
        if access == ImageAccess::ReadWrite && !self.options.has(Features::READ_WRITE_IMAGES) {
            let message = "'read_write' images need OpenCL C 2.0, or 3.0 with the feature \
                __opencl_c_read_write_images, which is not available here";
            self.error("needs-feature", span, message);
        }
    }

    /// A word of a type.
    fn type_word(
        &mut self,
        typing: &mut Typing,
        kind: SpecKind,
        span: Span,
        words: &mut TypeWords,
        specs: &mut DeclSpecs,
    ) {
        let clash = words.any;
        let (other, keyword) = match kind {
            SpecKind::Keyword(word) => return self.type_keyword(word, span, words, specs),
            SpecKind::TypedefName(name) => return self.typedef_name(name, span, words),
            SpecKind::UnknownType(name) => {
                self.unknown_type(name, span);
                words.any = true;
                words.other = Some(QualType::new(Types::ERROR));
                return;
            }
            SpecKind::Atomic(ty) => {
                self.error("atomic-keyword", span, "OpenCL C has no '_Atomic'")
                    .remark("the atomic types are atomic_int, atomic_uint, atomic_float and their like");
                if let Some(ty) = ty {
                    words.any = true;
                    words.other = Some(self.type_named(typing, ty));
                }
                return;
            }
            SpecKind::Cxx(index) => return self.cxx_type_word(typing, index, span, words, specs),
            SpecKind::Record(record) => {
                specs.declares_tag = true;
                let is_union = typing.tree.declarations.records[record as usize].is_union;
                let (ty, written) = self.record_specifier(typing, record, span);
                words.written = Some(written);
                (QualType::new(ty), if is_union { kw::UNION } else { kw::STRUCT })
            }
            SpecKind::Enum(enumeration) => {
                specs.declares_tag = true;
                let (ty, written) = self.enum_specifier(typing, enumeration, span);
                words.written = Some(written);
                if self.cxx.enabled
                    && let Some((name, at)) = typing.tree.declarations.enums[enumeration as usize].tag
                {
                    let at = self.span_of(at);
                    self.declare_enum_name(name, QualType::new(ty), at);
                }
                (QualType::new(ty), kw::ENUM)
            }
            SpecKind::TypeofType(ty) => (self.type_named(typing, ty), kw::TYPEOF),
            SpecKind::TypeofExpr(e) => (self.type_range(typing, e).ty, kw::TYPEOF),
            SpecKind::TypeofNothing => (QualType::new(Types::ERROR), kw::TYPEOF),
            // These are no words of types.
            SpecKind::Attributes(_)
            | SpecKind::Qualifier(_)
            | SpecKind::AlignasType(_)
            | SpecKind::AlignasExpr(_)
            | SpecKind::AlignasNothing => return,
        };
        specs.is_typeof |= keyword == kw::TYPEOF;
        words.any = true;
        words.other = Some(other);
        if clash {
            self.bad_combination(keyword, words, span);
        }
    }

    /// A typedef name.
    fn typedef_name(&mut self, name: Symbol, at: Span, words: &mut TypeWords) {
        words.any = true;
        let Some((Name::Typedef(ty), span)) = self.lookup(name) else {
            // The grammar took it for one: only errors before it can make that differ.
            self.unknown_type(name, at);
            words.other = Some(QualType::new(Types::ERROR));
            return;
        };
        self.check_deprecated(name, span, at);
        words.check = span == Span::default();
        words.typedef_at = (span != Span::default()).then_some(span);
        words.other = Some(ty);
        words.written = Some(self.symbols.text(name).to_owned());
    }

    /// A type of C++ among specifiers.
    fn cxx_type_word(
        &mut self,
        typing: &mut Typing,
        index: u32,
        span: Span,
        words: &mut TypeWords,
        specs: &mut DeclSpecs,
    ) {
        use crate::syntax::cxx::tree::CxxType;
        words.any = true;
        let ty = match typing.tree.cxx.types[index as usize].clone() {
            CxxType::Named(name) => {
                let text = name.parts.last().map(|p| self.symbols.text(p.name).to_owned());
                words.written = text;
                self.named_type(typing, &name)
            }
            CxxType::Auto if self.cxx.auto_arguments.is_some() => self.auto_argument(typing, index),
            CxxType::Auto => {
                specs.auto_type = Some(span);
                QualType::new(Types::ERROR)
            }
            CxxType::Decltype(range) => {
                specs.is_typeof = true;
                self.declared_type(typing, range)
            }
            CxxType::Class(class) => {
                specs.declares_tag = true;
                let (ty, written) = self.class_specifier(typing, class);
                words.written = Some(written);
                ty
            }
            CxxType::ScopedEnum(enumeration) => {
                specs.declares_tag = true;
                let (ty, written) = self.scoped_enum(typing, enumeration, span);
                words.written = Some(written);
                QualType::new(ty)
            }
        };
        words.other = Some(ty);
    }

    /// A keyword that is part of a type.
    fn type_keyword(&mut self, word: Symbol, span: Span, words: &mut TypeWords, specs: &mut DeclSpecs) {
        if words.other.is_some() {
            return self.bad_combination(word, words, span);
        }
        let clash = match word {
            kw::SIGNED | kw::SIGNED_U | kw::SIGNED_2 => {
                std::mem::replace(&mut words.signed, true) || words.unsigned
            }
            kw::UNSIGNED => std::mem::replace(&mut words.unsigned, true) || words.signed,
            kw::SHORT => std::mem::replace(&mut words.short, true) || words.long > 0,
            kw::LONG => {
                words.long += 1;
                words.long > 2 || words.short
            }
            kw::INT => std::mem::replace(&mut words.int, true),
            kw::VOID => std::mem::replace(&mut words.void, true),
            kw::BOOL | kw::BOOL_C99 => words.base.replace(Scalar::Bool).is_some(),
            kw::CHAR => words.base.replace(Scalar::Char).is_some(),
            kw::FLOAT => words.base.replace(Scalar::Float).is_some(),
            kw::DOUBLE => words.base.replace(Scalar::Double).is_some(),
            kw::HALF => words.base.replace(Scalar::Half).is_some(),
            kw::AUTO_TYPE => {
                let clash = std::mem::replace(&mut words.any, true);
                words.other = Some(QualType::new(Types::ERROR));
                specs.auto_type = Some(span);
                if clash {
                    self.error("invalid-type-combination", span, "'__auto_type' stands alone");
                }
                return;
            }
            kw::PIPE => {
                if words.pipe.replace(span).is_some() {
                    self.bad_combination(word, words, span);
                }
                if !self.has_pipes() {
                    self.refuse("a pipe", Refused::Pipes, span);
                    words.invalid = true;
                }
                return;
            }
            kw::COMPLEX | kw::IMAGINARY => {
                self.error("complex", span, "OpenCL C has no complex types");
                words.any = true;
                return;
            }
            _ => return,
        };
        words.any = true;
        words.check = true;
        if clash {
            self.bad_combination(word, words, span);
        }
    }

    fn bad_combination(&mut self, word: Symbol, words: &mut TypeWords, span: Span) {
        let unknown = words.other.is_some_and(|t| t.ty == Types::ERROR);
        if !words.invalid && !unknown {
            let message =
                format!("cannot combine '{}' with the previous type specifier", self.symbols.text(word));
            self.error("invalid-type-combination", span, message);
        }
        words.invalid = true;
    }

    /// Reports a name that should be a type.
    pub(super) fn unknown_type(&mut self, word: Symbol, span: Span) {
        let name = self.symbols.shared(word);
        if let Some(problem) = self.missing_atomic(&name) {
            self.error("unsupported-type", span, format!("type '{name}' {problem}"));
            return;
        }
        // §6.14.5
        if &*name == "__block" {
            let message = "OpenCL C has no '__block' variables: what a block captures is const";
            self.error("unsupported-type", span, message);
            return;
        }
        if let Some(feature) = Refused::of_type(&name).filter(|f| !f.is_there(self.options)) {
            self.refuse(&format!("type '{name}'"), feature, span);
            return;
        }
        let tag = self.lookup_tag(word);
        let guess = self.similar_name(word, |n| matches!(n, Name::Typedef(_)));
        let keyword = self.similar_keyword(word);
        let tag_word = match tag {
            Some((super::context::Tag::Enum(_), _)) => "enum",
            Some((super::context::Tag::Record(id), _)) if self.types.record(id).is_union => "union",
            _ => "struct",
        };
        let diagnostic = self.error("unknown-type", span, format!("unknown type name '{name}'"));
        match (tag, keyword) {
            (Some((_, at)), _) => {
                diagnostic
                    .note(at, format!("there is a tag of this name: write '{tag_word} {name}'"))
                    .insert_before(span, format!("{tag_word} "));
            }
            (None, Some(keyword)) if guess.is_none() => {
                diagnostic.did_you_mean(span, keyword, None);
            }
            _ => add_guess(diagnostic, span, guess),
        }
    }

    /// Why an atomic type is not there.
    fn missing_atomic(&self, name: &str) -> Option<&'static str> {
        let needs = match name.strip_prefix("atomic_")? {
            "bool" | "char" | "uchar" | "short" | "ushort" | "intmax_t" | "uintmax_t" => {
                return Some("is no type of OpenCL C");
            }
            "int" | "uint" | "float" | "flag" => "needs OpenCL C 2.0, which is not available here",
            "half" => "needs cl_khr_fp16 and cl_ext_float_atomics, which are not available here",
            "long" | "ulong" | "double" | "size_t" | "uintptr_t" | "ptrdiff_t" | "intptr_t" => {
                "needs 64-bit atomics, which are not available here"
            }
            _ => return None,
        };
        let early = self.options.std < LangVersion::Cl2_0;
        Some(if early { "needs OpenCL C 2.0, which is not available here" } else { needs })
    }
}

/// The address space that a keyword names.
pub(super) fn space_of(word: Symbol) -> Option<AddressSpace> {
    Some(match word {
        kw::GLOBAL | kw::GLOBAL_U => AddressSpace::Global,
        kw::LOCAL | kw::LOCAL_U => AddressSpace::Local,
        kw::CONSTANT | kw::CONSTANT_U => AddressSpace::Constant,
        kw::PRIVATE | kw::PRIVATE_U => AddressSpace::Private,
        kw::GENERIC | kw::GENERIC_U => AddressSpace::Generic,
        _ => return None,
    })
}
