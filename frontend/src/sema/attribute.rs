//! `__attribute__((…))` (§6.7.9 … §6.7.12 of OpenCL C): one list that every place of the grammar can
//! collect, checked by the declaration or statement that it ends up on.

use super::context::Sema;
use super::expr::Typing;
use super::parameter::{Attributes, Retype};
use crate::attributes::{HARMLESS, KNOWN};
use crate::diag::edit_distance;
use crate::hir::{InlineHint, KernelAttributes, UnrollHint};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::syntax::declaration::{Attribute, AttributeArgs, Row, SpecKind};
use crate::token::{Punct, TokenKind};
use crate::types::{AddressSpace, Scalar, Type};

impl KernelAttributes {
    /// Adds what another declaration of the kernel says.
    pub fn merge(&mut self, other: KernelAttributes) {
        self.reqd_work_group_size = other.reqd_work_group_size.or(self.reqd_work_group_size);
        self.work_group_size_hint = other.work_group_size_hint.or(self.work_group_size_hint);
        self.vec_type_hint = other.vec_type_hint.or(self.vec_type_hint);
        self.reqd_sub_group_size = other.reqd_sub_group_size.or(self.reqd_sub_group_size);
    }
}

/// The kind of entity that attributes apply to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// A structure, union or enumeration, or a member.
    Layout,
    Function,
    /// A variable, a typedef.
    Other,
}

/// Returns what `mode(name)` stands for, by GCC's names of machine modes.
fn mode(name: &str) -> Option<Retype> {
    let name = name.strip_prefix("__").and_then(|n| n.strip_suffix("__")).unwrap_or(name);
    let (bytes, float) = match name {
        "QI" | "byte" => (1, false),
        "HI" => (2, false),
        "SI" => (4, false),
        "DI" => (8, false),
        "HF" => (2, true),
        "SF" => (4, true),
        "DF" => (8, true),
        _ => return None,
    };
    Some(Retype::Mode { bytes, float })
}

/// The address space of an attribute's name or number: clang's numbers for SPIR.
fn attribute_space(name: &str, number: Option<u32>) -> Option<AddressSpace> {
    Some(match (name, number) {
        ("opencl_private", _) | ("address_space", Some(0)) => AddressSpace::Private,
        ("opencl_global" | "opencl_global_device" | "opencl_global_host", _) | ("address_space", Some(1)) => {
            AddressSpace::Global
        }
        ("opencl_constant", _) | ("address_space", Some(2)) => AddressSpace::Constant,
        ("opencl_local", _) | ("address_space", Some(3)) => AddressSpace::Local,
        ("opencl_generic", _) | ("address_space", Some(4)) => AddressSpace::Generic,
        _ => return None,
    })
}

fn similar_attribute(name: &str) -> Option<&'static str> {
    KNOWN.iter().filter_map(|known| Some((edit_distance(name, known)?, *known))).min().map(|(_, known)| known)
}

impl Sema<'_> {
    /// Adds what attributes say.
    pub(super) fn apply_attributes(&mut self, typing: &mut Typing, row: Row, into: &mut Attributes) {
        for index in row.start..row.end {
            let attribute = typing.tree.declarations.attributes[index as usize];
            self.report_before(typing, attribute.problems);
            self.apply_attribute(typing, attribute, into);
        }
    }

    fn apply_attribute(&mut self, typing: &mut Typing, attribute: Attribute, into: &mut Attributes) {
        let text = self.symbols.shared(attribute.name);
        let name = text.strip_prefix("__").and_then(|t| t.strip_suffix("__")).unwrap_or(&text);
        let span = self.span_of(attribute.at);
        match name {
            "packed" => (into.packed, into.packed_at) = (true, Some(span)),
            "overloadable" => (into.overloadable, into.overloadable_at) = (true, Some(span)),
            "always_inline" => into.inline_hint = InlineHint::Inline,
            "noinline" => into.inline_hint = InlineHint::NoInline,
            "aligned" => into.aligned = into.aligned.max(self.aligned(typing, attribute, span)),
            "ext_vector_type" => {
                into.retype =
                    self.attribute_ints(typing, attribute, name, 1).map(|v| (Retype::Lanes(v[0]), span));
            }
            "vector_size" => {
                into.retype =
                    self.attribute_ints(typing, attribute, name, 1).map(|v| (Retype::Bytes(v[0]), span));
            }
            "mode" => self.mode(attribute, into, span),
            "deprecated" => {
                into.deprecated = Some(self.attribute_text(attribute));
            }
            "warn_unused_result" => into.must_use = true,
            "reqd_work_group_size" | "work_group_size_hint" => {
                into.kernel_only.get_or_insert((name.to_owned(), span));
                let size = self.attribute_ints(typing, attribute, name, 3).map(|v| [v[0], v[1], v[2]]);
                self.set_group_size(into, name == "reqd_work_group_size", size, span);
            }
            "intel_reqd_sub_group_size" => {
                into.kernel_only.get_or_insert((name.to_owned(), span));
                let size = self.attribute_ints(typing, attribute, name, 1).map(|v| v[0]);
                let before = std::mem::replace(&mut into.kernel.reqd_sub_group_size, size);
                self.warn_replaced(name, before, size, span);
            }
            "vec_type_hint" => {
                into.kernel_only.get_or_insert((name.to_owned(), span));
                let before = into.kernel.vec_type_hint;
                self.vec_type_hint(typing, attribute, into, span);
                self.warn_replaced(name, before, into.kernel.vec_type_hint, span);
            }
            "opencl_unroll_hint" => {
                let hint = match attribute.args {
                    AttributeArgs::None => Some(UnrollHint::Full),
                    _ => self.attribute_ints(typing, attribute, name, 1).map(|v| unroll_hint(v[0])),
                };
                into.unroll = hint.map(|h| (h, span)).or(into.unroll);
            }
            "address_space"
            | "opencl_global"
            | "opencl_global_device"
            | "opencl_global_host"
            | "opencl_local"
            | "opencl_constant"
            | "opencl_private"
            | "opencl_generic" => self.space_attribute(typing, attribute, into, name),
            "cleanup" | "alias" | "ifunc" | "weakref" | "enable_if" => {
                self.error(
                    "unsupported-attribute",
                    span,
                    format!("attribute '{name}' is not supported: it would change what the program does"),
                );
            }
            _ => {
                if HARMLESS.binary_search(&name).is_err() {
                    let near = similar_attribute(name);
                    let message = format!("unknown attribute '{name}' is ignored");
                    let diagnostic = self.warning("unknown-attribute", span, message);
                    if let Some(near) = near {
                        diagnostic.did_you_mean(span, near, None);
                    }
                }
            }
        }
    }

    /// `mode(name)`.
    fn mode(&mut self, attribute: Attribute, into: &mut Attributes, span: Span) {
        let found = match attribute.args {
            AttributeArgs::Tokens(at) => match (self.token(at).kind, self.token(at + 1).kind) {
                (TokenKind::Ident(word), TokenKind::Punct(Punct::RParen)) => mode(self.symbols.text(word)),
                _ => None,
            },
            _ => None,
        };
        match found {
            Some(retype) => into.retype = Some((retype, span)),
            None => {
                let message = "attribute 'mode' takes one of QI, HI, SI, DI, HF, SF, DF";
                self.error("attribute-argument", span, message);
            }
        }
    }

    /// `address_space(n)`, `opencl_global` and its kin.
    fn space_attribute(
        &mut self,
        typing: &mut Typing,
        attribute: Attribute,
        into: &mut Attributes,
        name: &str,
    ) {
        let span = self.span_of(attribute.at);
        let number = match (name, attribute.args) {
            // Of the numbers it alone is not read as a positive value.
            ("address_space", AttributeArgs::Tokens(_)) => Some(0),
            ("address_space", _) => match self.attribute_ints(typing, attribute, name, 1) {
                Some(values) => Some(values[0]),
                None => return,
            },
            _ => None,
        };
        match attribute_space(name, number) {
            Some(space) => into.space = Some((space, span)),
            None => {
                let message = "attribute 'address_space' takes 0 (__private), 1 (__global), 2 (__constant), 3 (__local) or 4 (__generic)";
                self.error("attribute-argument", span, message);
            }
        }
    }

    /// The first string of an attribute's arguments.
    fn attribute_text(&self, attribute: Attribute) -> String {
        let AttributeArgs::Tokens(at) = attribute.args else { return String::new() };
        match self.token(at).kind {
            TokenKind::Str(text) => self.symbols.text(text).trim_matches('"').to_owned(),
            _ => String::new(),
        }
    }

    /// `aligned` or `aligned(n)`: a power of two; without a number the largest that any scalar needs.
    fn aligned(&mut self, typing: &mut Typing, attribute: Attribute, span: Span) -> Option<u32> {
        if matches!(attribute.args, AttributeArgs::None) {
            return Some(16);
        }
        let value = self.attribute_ints(typing, attribute, "aligned", 1)?[0];
        if value.is_power_of_two() && value <= 4096 {
            return Some(value);
        }
        self.error(
            "invalid-alignment",
            span,
            format!("requested alignment {value} is not a power of two of at most 4096"),
        );
        None
    }

    /// `_Alignas(type)` or `_Alignas(constant)` (C11 §6.7.5), the word at `span`.
    pub(super) fn alignas(
        &mut self,
        typing: &mut Typing,
        operand: SpecKind,
        span: Span,
        into: &mut Attributes,
    ) {
        let value = match operand {
            SpecKind::AlignasType(ty) => {
                let ty = self.type_named(typing, ty);
                Some(self.types.object_layout(ty).map_or(0, |l| l.align as i64))
            }
            SpecKind::AlignasExpr(e) => {
                let errors = self.diags.error_count();
                let e = self.type_range(typing, e);
                let e = self.to_rvalue(e);
                let value = self.const_eval_int(&e);
                if value.is_none() && self.diags.error_count() == errors {
                    let message = "'_Alignas' takes a type or an integer constant expression";
                    self.error("invalid-alignment", e.span, message);
                }
                value
            }
            _ => None,
        };
        match value {
            None | Some(0) => {}
            Some(n @ 1..=4096) if n.count_ones() == 1 => into.aligned = into.aligned.max(Some(n as u32)),
            Some(n) => {
                let message = format!("requested alignment {n} is not a power of two of at most 4096");
                self.error("invalid-alignment", span, message);
            }
        }
    }

    /// Exactly `count` constant positive integers in parentheses.
    fn attribute_ints(
        &mut self,
        typing: &mut Typing,
        attribute: Attribute,
        name: &str,
        count: usize,
    ) -> Option<Vec<u32>> {
        let span = self.span_of(attribute.at);
        let AttributeArgs::Values(row) = attribute.args else {
            self.error("attribute-argument", span, format!("attribute '{name}' takes {count} argument(s)"));
            return None;
        };
        let mut values = Vec::new();
        let mut good = true;
        for index in row.start..row.end {
            let range = typing.tree.declarations.values[index as usize];
            let argument = self.span_of(typing.tree.node(range.root).first);
            let errors = self.diags.error_count();
            let e = self.type_range(typing, range);
            let e = self.to_rvalue(e);
            match self.const_eval_int(&e) {
                Some(v) if v > 0 && v <= i64::from(u32::MAX) => values.push(v as u32),
                _ => {
                    good = false;
                    if self.diags.error_count() == errors {
                        let message =
                            format!("attribute '{name}' takes positive integer constants as arguments");
                        self.error("attribute-argument", argument, message);
                    }
                }
            }
        }
        self.report_before(typing, attribute.problems_end);
        if good && values.len() != count {
            let message = format!("attribute '{name}' takes {count} argument(s), {} given", values.len());
            self.error("attribute-argument", span, message);
            good = false;
        }
        good.then_some(values)
    }

    fn set_group_size(&mut self, into: &mut Attributes, required: bool, size: Option<[u32; 3]>, span: Span) {
        let Some(size) = size else { return };
        let slot = if required {
            &mut into.kernel.reqd_work_group_size
        } else {
            &mut into.kernel.work_group_size_hint
        };
        let before = slot.replace(size);
        if !required {
            self.warn_replaced("work_group_size_hint", before, Some(size), span);
        } else if before.is_some_and(|b| b != size) {
            self.error(
                "conflicting-attribute",
                span,
                "attribute 'reqd_work_group_size' is given twice with different sizes",
            );
        }
    }

    fn warn_replaced<T: PartialEq>(&mut self, name: &str, before: Option<T>, now: Option<T>, span: Span) {
        if before.is_some() && now.is_some() && before != now {
            let message =
                format!("attribute '{name}' is given twice with different arguments; the last counts");
            self.warning("conflicting-attribute", span, message);
        }
    }

    fn vec_type_hint(
        &mut self,
        typing: &mut Typing,
        attribute: Attribute,
        into: &mut Attributes,
        span: Span,
    ) {
        match attribute.args {
            AttributeArgs::Type(ty) => {
                let ty = self.type_named(typing, ty);
                if self.types.scalar_and_lanes(ty.ty).is_some_and(|(s, _)| s != Scalar::Bool) {
                    into.kernel.vec_type_hint = Some(ty.ty);
                } else if !matches!(self.types.get(ty.ty), Type::Error) {
                    let message = format!(
                        "'vec_type_hint' takes a scalar or vector type, not '{}'",
                        self.type_text(ty)
                    );
                    self.error("attribute-argument", span, message);
                }
            }
            AttributeArgs::NoType => {
                self.error("attribute-argument", span, "attribute 'vec_type_hint' takes a type");
            }
            _ => {}
        }
        self.report_before(typing, attribute.problems_end);
    }

    /// Remembers what the attributes say of uses of a name that was just declared.
    pub(super) fn note_use_attributes(&mut self, name: Symbol, attributes: &Attributes) {
        let (Some(text), Some((_, at))) = (&attributes.deprecated, self.lookup(name)) else { return };
        self.deprecated.insert(at, text.clone());
    }

    /// Warns of the use of a name whose declaration, at `at`, is deprecated.
    pub(super) fn check_deprecated(&mut self, name: Symbol, at: Span, span: Span) {
        let Some(text) = self.deprecated.get(&at) else { return };
        let separator = if text.is_empty() { "" } else { ": " };
        let message = format!("'{}' is deprecated{separator}{text}", self.symbols.text(name));
        self.warning("deprecated", span, message).note(at, "it is declared here");
    }

    /// Complains about attributes on what cannot have them.
    pub(super) fn check_place(&mut self, attributes: &Attributes, place: Place) {
        if let Some(span) = attributes.packed_at.filter(|_| place != Place::Layout) {
            let message = "attribute 'packed' is ignored: it belongs on the definition of a structure, union or \
                enumeration, or on a member";
            self.warning("ignored-attribute", span, message);
        }
        if let Some(span) = attributes.overloadable_at.filter(|_| place != Place::Function) {
            let message = "attribute 'overloadable' can only be applied to a function";
            self.error("attribute-needs-function", span, message);
        }
        if let Some((_, span)) = attributes.unroll {
            self.warning("misplaced-unroll", span, "an unroll hint has no effect on anything but a loop");
        }
    }

    /// Complains about attributes that only kernels take, on anything else.
    pub(super) fn reject_kernel_attributes(&mut self, attributes: &Attributes) {
        if let Some((name, span)) = &attributes.kernel_only {
            let message = format!("attribute '{name}' can only be applied to a kernel function");
            self.error("attribute-needs-kernel", *span, message);
        }
    }
}

/// The hint that a count of iterations means: one iteration is "leave the loop alone".
pub(super) fn unroll_hint(count: u32) -> UnrollHint {
    match count {
        0 | 1 => UnrollHint::Disable,
        n => UnrollHint::Count(n),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn harmless_attributes_are_sorted() {
        assert!(crate::attributes::HARMLESS.windows(2).all(|w| w[0] < w[1]));
    }
}
