//! Structs, unions and enumerations (C99 §6.7.2.1–§6.7.2.3).

use super::attribute::Place;
use super::context::{Name, Sema, Tag};
use super::declarator::{ArraySize, Chunk};
use super::declspec::{DeclSpecs, PartialType};
use super::expr::Typing;
use super::parameter::Attributes;
use super::state::RecordFacts;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::syntax::declaration::{Enumerator, Member, MemberDeclarator, Row, SpecContext};
use crate::token::{Punct, Token, TokenKind};
use crate::types::{
    AddressSpace, EnumId, Enumeration, Field, QualType, Record, RecordId, Scalar, Type, TypeId, Types,
};
use rustc_hash::FxHashMap;

/// Structs may contain structs at most this deep (C99 §5.2.4.1 asks for 63).
const MAX_RECORD_DEPTH: usize = 64;

impl Sema<'_> {
    /// A struct or union specifier, whose keyword is at `span`. Gives the type and how it was written.
    pub(super) fn record_specifier(
        &mut self,
        typing: &mut Typing,
        record: u32,
        span: Span,
    ) -> (TypeId, String) {
        let tree = typing.tree.declarations.records[record as usize];
        let is_union = tree.is_union;
        let mut attributes = Attributes::default();
        self.apply_attributes(typing, tree.attributes, &mut attributes);
        self.report_before(typing, tree.problems);
        let (tag, tag_span) = (tree.tag.map(|t| t.0), tree.tag.map_or(span, |t| self.span_of(t.1)));
        let keyword = if is_union { "union" } else { "struct" };
        let written = match tag {
            Some(tag) => format!("{keyword} {}", self.symbols.text(tag)),
            None => keyword.to_owned(),
        };
        let Some(members) = tree.members else {
            let next = self.token(tree.next);
            let Some(tag) = tag else {
                let message =
                    format!("expected a tag or '{{' after '{keyword}', found {}", self.token_text(next));
                self.error("expected-token", next.span, message);
                return (Types::ERROR, written);
            };
            let declares_only = next.kind == TokenKind::Punct(Punct::Semi);
            return (self.refer_record(is_union, tag, tag_span, declares_only), written);
        };
        let id = self.define_record(is_union, tag, tag_span);
        let ty = self.types.intern(Type::Record(id));
        let pack = self.pack;
        let outer = self.sized_by_host.take();
        let fields = self.members(typing, members, is_union);
        if let Some(member) = std::mem::replace(&mut self.sized_by_host, outer) {
            self.host_dependent.insert(id, member);
        }
        self.apply_attributes(typing, tree.behind, &mut attributes);
        self.report_before(typing, tree.problems_end);
        self.reject_kernel_attributes(&attributes);
        self.check_place(&attributes, Place::Layout);
        if let Some(record) = self.types.records.get_mut(id.0 as usize) {
            record.pack = pack;
        }
        self.complete_record(id, fields, &attributes, tag_span);
        (ty, written)
    }

    /// Gives a record its members and checks what its layout needs.
    pub(super) fn complete_record(
        &mut self,
        id: RecordId,
        fields: Vec<Field>,
        attributes: &Attributes,
        span: Span,
    ) {
        self.open_records.retain(|r| *r != id);
        let boolean = fields.iter().find(|f| self.innermost_element(f.ty.ty) == Types::BOOL).map(|f| f.span);
        let host_dependent = self.host_dependent.remove(&id).or(boolean);
        let inner: Vec<RecordFacts> = fields.iter().map(|f| self.record_facts(f.ty.ty)).collect();
        let facts = RecordFacts {
            depth: 1 + inner.iter().map(|f| f.depth).max().unwrap_or(0),
            invalid: inner.iter().any(|f| f.invalid),
            host_dependent: inner.iter().find_map(|f| f.host_dependent).or(host_dependent),
        };
        self.record_facts.insert(id, facts);
        if facts.depth > MAX_RECORD_DEPTH {
            let message = format!("structures nest deeper than {MAX_RECORD_DEPTH} levels");
            self.error("type-too-complex", span, message);
            self.abort();
            return;
        }
        if let Some(record) = self.types.records.get_mut(id.0 as usize) {
            record.packed = attributes.packed;
            record.aligned = attributes.aligned;
            record.fields = Some(fields);
        }
        self.types.freeze_layout(id);
        if !facts.invalid && self.types.record_layout(id).is_none() {
            self.error("type-too-large", span, "the structure is too large");
        }
    }

    /// The member of a record, however deep, whose size may be another on the host (§6.11, k).
    pub(super) fn host_dependent_member(&self, ty: TypeId) -> Option<Span> {
        self.record_facts(ty).host_dependent
    }

    /// Returns what matters of the record inside a member's type.
    fn record_facts(&self, mut ty: TypeId) -> RecordFacts {
        while let Type::Array(element, _) = self.types.get(ty) {
            ty = element.ty;
        }
        match self.types.get(ty) {
            Type::Record(id) => self.record_facts.get(id).copied().unwrap_or_default(),
            Type::Error => RecordFacts { invalid: true, ..RecordFacts::default() },
            _ => RecordFacts::default(),
        }
    }

    /// `struct tag` without a body: the type of that tag, declared here if it is new; followed by `;` it
    /// declares a tag of this scope (C99 §6.7.2.3, 7).
    fn refer_record(&mut self, is_union: bool, tag: Symbol, span: Span, declares_only: bool) -> TypeId {
        let found = match declares_only {
            true => self.scope().tags.get(&tag).copied(),
            false => self.lookup_tag(tag),
        };
        match found {
            Some((Tag::Record(id), at)) => {
                if self.types.record(id).is_union != is_union {
                    self.wrong_tag(tag, span, at);
                }
                self.types.intern(Type::Record(id))
            }
            Some((Tag::Enum(_), at)) => {
                self.wrong_tag(tag, span, at);
                Types::ERROR
            }
            None => {
                let id = self.new_record(is_union, Some(tag), span);
                self.types.intern(Type::Record(id))
            }
        }
    }

    fn wrong_tag(&mut self, tag: Symbol, span: Span, before: Span) {
        let message = format!(
            "use of '{}' with a kind of tag that does not match the previous declaration",
            self.symbols.text(tag)
        );
        self.error("tag-mismatch", span, message).note(before, "previous use is here");
    }

    /// A record whose members are to come.
    pub(super) fn new_record(&mut self, is_union: bool, tag: Option<Symbol>, span: Span) -> RecordId {
        let id = RecordId(self.types.records.len() as u32);
        self.types.records.push(Record {
            tag,
            is_union,
            fields: None,
            packed: false,
            pack: None,
            aligned: None,
            span,
            layout: None,
        });
        if let Some(tag) = tag {
            self.scope().tags.insert(tag, (Tag::Record(id), span));
        }
        id
    }

    /// The record that a body completes: the incomplete one of that tag in this scope, or a new one.
    fn define_record(&mut self, is_union: bool, tag: Option<Symbol>, span: Span) -> RecordId {
        let before = tag.and_then(|t| Some((t, self.scope().tags.get(&t).copied()?)));
        match before {
            Some((tag, (Tag::Record(id), at))) => {
                if self.types.record(id).is_union != is_union {
                    self.wrong_tag(tag, span, at);
                } else if self.types.record(id).fields.is_none() && !self.open_records.contains(&id) {
                    self.open_records.push(id);
                    return id;
                } else {
                    let message = format!("redefinition of '{}'", self.symbols.text(tag));
                    self.error("redefinition", span, message).note(at, "previous definition is here");
                }
                let id = self.new_record(is_union, None, span);
                self.open_records.push(id);
                id
            }
            Some((tag, (Tag::Enum(_), at))) => {
                self.wrong_tag(tag, span, at);
                self.new_record(is_union, None, span)
            }
            None => {
                let id = self.new_record(is_union, tag, span);
                self.open_records.push(id);
                id
            }
        }
    }

    fn members(&mut self, typing: &mut Typing, members: Row, is_union: bool) -> Vec<Field> {
        let mut fields: Vec<Field> = Vec::new();
        let mut names: FxHashMap<Symbol, Span> = FxHashMap::default();
        for index in members.start..members.end {
            let member = typing.tree.declarations.members[index as usize];
            match member {
                Member::Pragmas(tokens) => _ = self.pragmas(tokens),
                Member::StaticAssert(index) => self.static_assert(typing, index),
                Member::Broken { problems } => {
                    self.report_before(typing, problems);
                    self.check_last_member(&mut fields);
                }
                Member::Declaration { specs, declarators, anonymous, problems, problems_end } => {
                    self.report_before(typing, problems);
                    self.following(|p| {
                        p.check_last_member(&mut fields);
                        let specs = p.decl_specs(typing, specs, SpecContext::Member);
                        if anonymous {
                            p.anonymous_member(&specs, &mut fields, &mut names);
                        }
                        for index in declarators.start..declarators.end {
                            let member = typing.tree.declarations.member_declarators[index as usize];
                            p.declared_member(typing, &specs, member, is_union, &mut fields, &mut names);
                        }
                        p.report_before(typing, problems_end);
                    });
                }
            }
        }
        fields
    }

    /// Reports an array without a size before another member.
    fn check_last_member(&mut self, fields: &mut Vec<Field>) {
        let flexible = |f: &&Field| matches!(self.types.get(f.ty.ty), Type::Array(_, None));
        if let Some(at) = fields.last().filter(flexible).map(|f| f.span) {
            self.error("flexible-array", at, "an array without a size can only be the last member");
            fields.pop();
        }
    }

    fn declared_member(
        &mut self,
        typing: &mut Typing,
        specs: &DeclSpecs,
        member: MemberDeclarator,
        is_union: bool,
        fields: &mut Vec<Field>,
        names: &mut FxHashMap<Symbol, Span>,
    ) {
        if let Some(declarator) = member.declarator {
            let declarator = self.declarator(typing, declarator);
            let Some((name, span)) = declarator.name else { return };
            let flexible =
                matches!(declarator.chunks.first(), Some(Chunk::Array { size: ArraySize::Unknown, .. }));
            let ty = self.apply_declarator(specs.ty, &declarator.chunks, span);
            let mut attributes = specs.attributes.clone();
            attributes.merge(declarator.attributes);
            self.apply_attributes(typing, member.attributes, &mut attributes);
            self.reject_kernel_attributes(&attributes);
            self.check_place(&attributes, Place::Layout);
            self.check_alignas(specs, ty.ty);
            let ty = match attributes.retype {
                Some(retype) => PartialType { ty: self.retyped(ty.ty, retype), ..ty },
                None => ty,
            };
            if let Some(space) = ty.space {
                let message =
                    format!("a member cannot be qualified with an address space ({})", space.name());
                self.error("member-address-space", span, message).remark(
                    "a member is in the space of its structure: __private, or where that is declared",
                );
            }
            let ty = without_space(ty);
            let mut ty = self.finish_type(ty, AddressSpace::Private);
            if !self.check_member_type(ty, flexible, is_union, span) {
                ty = QualType::new(Types::ERROR);
            }
            self.add_member_name(name, span, names);
            if specs.sized_by_host && !declarator.chunks.iter().any(|c| matches!(c, Chunk::Pointer(_))) {
                self.sized_by_host.get_or_insert(span);
            }
            let (aligned, packed) = (attributes.aligned, attributes.packed);
            fields.push(Field { name: Some(name), ty, aligned, packed, span });
        }
        if let Some((colon, width)) = member.width {
            self.error("bit-field", self.span_of(colon), "bit-fields are not supported in OpenCL C");
            if let Some(width) = width {
                self.type_range(typing, width);
            }
        }
    }

    fn add_member_name(&mut self, name: Symbol, span: Span, names: &mut FxHashMap<Symbol, Span>) {
        match names.get(&name) {
            Some(before) => {
                let (before, message) = (*before, format!("duplicate member '{}'", self.symbols.text(name)));
                self.error("duplicate-member", span, message).note(before, "previous declaration is here");
            }
            None => {
                names.insert(name, span);
            }
        }
    }

    /// A member declaration without a declarator: an anonymous struct or union (C11 §6.7.2.1, 13).
    fn anonymous_member(
        &mut self,
        specs: &DeclSpecs,
        fields: &mut Vec<Field>,
        names: &mut FxHashMap<Symbol, Span>,
    ) {
        let Type::Record(id) = *self.types.get(specs.ty.ty) else {
            if !matches!(self.types.get(specs.ty.ty), Type::Error) {
                self.warning("empty-declaration", specs.span, "declaration does not declare anything");
            }
            return;
        };
        let record = self.types.record(id);
        if record.tag.is_some() || record.fields.is_none() {
            self.warning("empty-declaration", specs.span, "declaration does not declare anything");
            return;
        }
        for (name, span) in self.member_names(id) {
            self.add_member_name(name, span, names);
        }
        let ty = self.finish_type(without_space(specs.ty), AddressSpace::Private);
        let aligned = specs.attributes.aligned;
        fields.push(Field { name: None, ty, aligned, packed: specs.attributes.packed, span: specs.span });
    }

    /// The names that a record's members bring, those of anonymous members included.
    fn member_names(&self, id: RecordId) -> Vec<(Symbol, Span)> {
        let mut names = Vec::new();
        for field in self.types.record(id).fields.as_deref().unwrap_or_default() {
            match (field.name, self.types.get(field.ty.ty)) {
                (Some(name), _) => names.push((name, field.span)),
                (None, Type::Record(inner)) => names.extend(self.member_names(*inner)),
                _ => {}
            }
        }
        names
    }

    /// Returns whether a member can have a type; reports it otherwise.
    pub(super) fn check_member_type(
        &mut self,
        ty: QualType,
        flexible: bool,
        is_union: bool,
        span: Span,
    ) -> bool {
        let text = || self.type_text(ty);
        let mut element = ty.ty;
        while let Type::Array(inner, _) = self.types.get(element) {
            element = inner.ty;
        }
        let (id, message) = match self.types.get(ty.ty) {
            Type::Error => return false,
            Type::Function(_) => ("function-member", "a member cannot be a function".to_owned()),
            Type::Void => ("incomplete-type", "a member cannot have type 'void'".to_owned()),
            Type::Array(_, None) if flexible && !is_union => return true,
            Type::Array(_, None) => ("incomplete-type", format!("member has incomplete type '{}'", text())),
            Type::Record(r) if self.types.record(*r).fields.is_none() => {
                ("incomplete-type", format!("member has incomplete type '{}'", text()))
            }
            _ if matches!(
                self.types.get(element),
                Type::Image(..) | Type::Sampler | Type::Event | Type::Pipe(..) | Type::Block(_)
            ) =>
            {
                let message = format!("type '{}' cannot be used in a structure or union in OpenCL C", text());
                ("opaque-member", message)
            }
            _ => {
                return true;
            }
        };
        let record = match self.types.get(ty.ty) {
            Type::Record(r) => Some(self.types.record(*r).span),
            _ => None,
        };
        let diagnostic = self.error(id, span, message);
        if let (Some(at), "incomplete-type") = (record, id) {
            diagnostic.note(at, "its declaration is here");
        }
        false
    }

    /// An enum specifier, whose keyword is at `span`.
    pub(super) fn enum_specifier(
        &mut self,
        typing: &mut Typing,
        enumeration: u32,
        span: Span,
    ) -> (TypeId, String) {
        let tree = typing.tree.declarations.enums[enumeration as usize];
        let mut attributes = Attributes::default();
        self.apply_attributes(typing, tree.attributes, &mut attributes);
        self.report_before(typing, tree.problems);
        let (tag, tag_span) = (tree.tag.map(|t| t.0), tree.tag.map_or(span, |t| self.span_of(t.1)));
        let written = match tag {
            Some(tag) => format!("enum {}", self.symbols.text(tag)),
            None => "enum".to_owned(),
        };
        let fixed = tree.underlying.map(|specs| self.underlying_type(typing, specs));
        if self.cxx.enabled
            && tree.enumerators.is_none()
            && let Some((Name::Typedef(ty), _)) = tag.and_then(|tag| self.lookup(tag))
            && matches!(self.types.get(ty.ty), Type::Enum(_))
        {
            return (ty.ty, written);
        }
        let tag = tag.map(|tag| self.qualified_here(tag));
        if tree.enumerators.is_none() && fixed.is_none() {
            return (self.refer_enum(tag, tag_span, self.token(tree.next)), written);
        }
        let declared = tag.and_then(|t| self.scope().tags.get(&t).copied());
        let forward = match declared {
            Some((Tag::Enum(id), _)) => {
                self.types.enums.get(id.0 as usize).filter(|e| !e.complete).map(|_| id)
            }
            _ => None,
        };
        if let (Some(id), Some(fixed)) = (forward, fixed)
            && self
                .types
                .enums
                .get(id.0 as usize)
                .is_some_and(|e| e.underlying != fixed && e.underlying != Scalar::Int)
        {
            self.error(
                "conflicting-types",
                tag_span,
                "the enumeration was declared with another underlying type",
            );
        }
        if let Some((Tag::Enum(id), _)) = declared.filter(|_| tree.enumerators.is_none()) {
            return (self.types.intern(Type::Enum(id)), written);
        }
        let id = forward.unwrap_or(EnumId(self.types.enums.len() as u32));
        if forward.is_none() {
            let underlying = fixed.unwrap_or(Scalar::Int);
            self.types.enums.push(Enumeration { tag, underlying, aligned: None, complete: false });
        }
        let ty = self.types.intern(Type::Enum(id));
        if let Some(tag) = tag {
            match self.scope().tags.get(&tag).copied() {
                Some((Tag::Enum(_), _)) if forward.is_some() => {}
                Some((Tag::Enum(_), at)) => {
                    let message = format!("redefinition of '{}'", self.symbols.text(tag));
                    self.error("redefinition", tag_span, message).note(at, "previous definition is here");
                }
                Some((Tag::Record(_), at)) => self.wrong_tag(tag, tag_span, at),
                None => {
                    self.scope().tags.insert(tag, (Tag::Enum(id), tag_span));
                }
            }
        }
        let Some(enumerators) = tree.enumerators else { return (ty, written) };
        if matches!(self.token(tree.next + 1).kind, TokenKind::Punct(Punct::RBrace)) {
            let span = self.span_of(tree.next + 1);
            self.error("empty-enum", span, "an enumeration needs at least one enumerator");
        }
        let range = self.enumerators(typing, enumerators, fixed, Some(ty));
        self.apply_attributes(typing, tree.behind, &mut attributes);
        self.report_before(typing, tree.problems_end);
        self.reject_kernel_attributes(&attributes);
        self.check_place(&attributes, Place::Layout);
        let underlying = fixed.unwrap_or_else(|| range.scalar(attributes.packed));
        if let Some(enumeration) = self.types.enums.get_mut(id.0 as usize) {
            enumeration.underlying = underlying;
            enumeration.aligned = attributes.aligned;
            enumeration.complete = true;
        }
        if self.cxx.enabled {
            self.note_enum_scope(typing, ty, tag, enumerators);
        }
        (ty, written)
    }

    /// Enters an enumerator; in C++ by its qualified name, outside of functions.
    fn declare_enumerator(&mut self, name: Symbol, constant: Name, span: Span) {
        if !self.cxx.enabled {
            self.declare_name(name, constant, span);
            return;
        }
        if self.function.is_none()
            && let Some(class) = self.cxx.context.class
        {
            self.enter_member_name(class, name, constant, span);
            return;
        }
        let symbol = self.qualified_here(name);
        if self.function.is_none() {
            self.tell_grammar(name, crate::syntax::names::NameKind::Constant);
        }
        self.declare_name(symbol, constant, span);
    }

    /// The type that holds the enumeration's values.
    fn underlying_type(&mut self, typing: &mut Typing, specs: u32) -> Scalar {
        let specs = self.decl_specs(typing, specs, SpecContext::TypeName);
        match self.types.scalar_and_lanes(specs.ty.ty) {
            Some((scalar, 1))
                if scalar.is_integer() && !matches!(self.types.get(specs.ty.ty), Type::Enum(_)) =>
            {
                scalar
            }
            _ => {
                if specs.ty.ty != Types::ERROR {
                    let message = format!(
                        "'{}' cannot hold an enumeration: it is no integer type",
                        self.type_id_text(specs.ty.ty)
                    );
                    self.error("enum-type", specs.span, message);
                }
                Scalar::Int
            }
        }
    }

    fn refer_enum(&mut self, tag: Option<Symbol>, span: Span, next: Token) -> TypeId {
        let Some(tag) = tag else {
            let message = format!("expected a tag or '{{' after 'enum', found {}", self.token_text(next));
            self.error("expected-token", next.span, message);
            return Types::ERROR;
        };
        match self.lookup_tag(tag) {
            Some((Tag::Enum(id), _)) => self.types.intern(Type::Enum(id)),
            Some((Tag::Record(_), at)) => {
                self.wrong_tag(tag, span, at);
                Types::ERROR
            }
            // GNU C's declaration ahead of the list.
            None if next.kind == TokenKind::Punct(Punct::Semi) => {
                let id = EnumId(self.types.enums.len() as u32);
                let ahead =
                    Enumeration { tag: Some(tag), underlying: Scalar::Int, aligned: None, complete: false };
                self.types.enums.push(ahead);
                self.scope().tags.insert(tag, (Tag::Enum(id), span));
                self.types.intern(Type::Enum(id))
            }
            None => {
                let message = format!("'enum {}' is not defined", self.symbols.text(tag));
                self.error("undefined-enum", span, message);
                Types::ERROR
            }
        }
    }

    /// The list, and the range of its values. Those beyond int, as GNU C has them, are of uint, long or ulong.
    /// With `fixed` all are of that type.
    fn enumerators(
        &mut self,
        typing: &mut Typing,
        list: Row,
        fixed: Option<Scalar>,
        enumeration: Option<TypeId>,
    ) -> EnumRange {
        let (mut next, mut range) = (0i64, EnumRange::default());
        for index in list.start..list.end {
            let Enumerator { name, at, value, problems } =
                typing.tree.declarations.enumerators[index as usize];
            self.report_before(typing, problems);
            let span = self.span_of(at);
            let written = Types::INT;
            if let Some(value) = value {
                let errors = self.diags.error_count();
                let e = self.type_range(typing, value);
                let e = self.to_rvalue(e);
                match self.const_eval_int(&e) {
                    Some(value) => next = value,
                    None if self.diags.error_count() == errors => {
                        let message = "the value of an enumerator must be an integer constant expression";
                        self.error("non-constant-enumerator", e.span, message);
                    }
                    None => {}
                }
            }
            let scalar = match fixed {
                Some(fixed) => {
                    if super::constant::wrap(next, fixed) != next {
                        let message = format!(
                            "the value {next} does not fit the enumeration's type '{}'",
                            fixed.name()
                        );
                        self.error("enumerator-range", span, message);
                    }
                    fixed
                }
                None => enumerator_scalar(next, written == Types::scalar(Scalar::ULong)),
            };
            range.add(next, scalar);
            let constant = match enumeration.filter(|_| self.cxx.enabled) {
                Some(enumeration) => enumeration,
                None => Types::scalar(scalar),
            };
            self.declare_enumerator(name, Name::EnumConstant(next, constant), span);
            next = next.wrapping_add(1);
        }
        range
    }
}

/// The values of an enumeration.
#[derive(Debug, Default, Clone, Copy)]
struct EnumRange {
    least: i64,
    greatest: u64,
}

impl EnumRange {
    fn add(&mut self, value: i64, scalar: Scalar) {
        match u64::try_from(value) {
            Ok(value) => self.greatest = self.greatest.max(value),
            Err(_) if scalar == Scalar::ULong => self.greatest = self.greatest.max(value as u64),
            Err(_) => self.least = self.least.min(value),
        }
    }

    /// The type that holds every value (C99 §6.7.2.2): int where that does, or the smallest of a `packed`
    /// enumeration (OpenCL C §6.13.1).
    fn scalar(self, packed: bool) -> Scalar {
        use Scalar::*;
        let candidates: &[Scalar] = match (packed, self.least < 0) {
            (true, true) => &[Char, Short, Int],
            (true, false) => &[UChar, UShort, UInt],
            (false, true) => &[Int],
            (false, false) => &[Int, UInt],
        };
        let holds = |scalar: &&Scalar| {
            let bits = scalar.size() * 8;
            let magnitude = if scalar.is_signed() { bits - 1 } else { bits };
            self.greatest < 1 << magnitude && self.least >= -(1i64 << (bits - 1))
        };
        let wide = if i64::try_from(self.greatest).is_ok() { Long } else { ULong };
        candidates.iter().find(holds).copied().unwrap_or(wide)
    }
}

/// The type of an enumeration constant: int where it fits. The order of [`Scalar`] is that of their ranges.
fn enumerator_scalar(value: i64, written_ulong: bool) -> Scalar {
    if written_ulong && value < 0 {
        // The bits of a value above long's range.
        Scalar::ULong
    } else if i32::try_from(value).is_ok() {
        Scalar::Int
    } else if u32::try_from(value).is_ok() {
        Scalar::UInt
    } else {
        Scalar::Long
    }
}

/// Drops a space that does not belong on a type (after the complaint).
fn without_space(ty: PartialType) -> PartialType {
    PartialType { space: None, ..ty }
}
