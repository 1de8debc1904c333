//! An object under initialisation as a tree of its parts.

use crate::hir::{Constant, Expr, ExprKind};
use crate::source::Span;
use crate::types::{QualType, Types};

/// An object under initialisation.
#[derive(Debug, Default, Clone)]
pub(super) enum Part {
    /// Nothing said: zero.
    #[default]
    Empty,
    Constant(Constant),
    Expr(Box<Expr>),
    Array(Vec<Part>),
    Struct(Vec<Part>),
    Union(u32, Box<Part>),
}

impl Part {
    pub(super) fn is_constant(&self) -> bool {
        match self {
            Part::Empty | Part::Constant(_) => true,
            Part::Expr(_) => false,
            Part::Array(parts) | Part::Struct(parts) => parts.iter().all(Part::is_constant),
            Part::Union(_, value) => value.is_constant(),
        }
    }

    pub(super) fn into_constant(self) -> Constant {
        let all = |parts: Vec<Part>| parts.into_iter().map(Part::into_constant).collect();
        match self {
            Part::Empty | Part::Expr(_) => Constant::Zero,
            Part::Constant(c) => c,
            Part::Array(parts) => Constant::Array(all(parts)),
            Part::Struct(parts) => Constant::Struct(all(parts)),
            Part::Union(field, value) => Constant::Union { field, value: Box::new(value.into_constant()) },
        }
    }
}

/// The node of an array's element, made if need be.
pub(super) fn array_slot(node: &mut Part, index: u64) -> &mut Part {
    if let Part::Constant(Constant::Array(parts)) = node {
        *node = Part::Array(std::mem::take(parts).into_iter().map(Part::Constant).collect());
    }
    if !matches!(node, Part::Array(_)) {
        *node = Part::Array(Vec::new());
    }
    slot_of(node, index as usize)
}

/// The node of a member, made if need be.
pub(super) fn record_slot(node: &mut Part, is_union: bool, index: usize) -> &mut Part {
    if is_union {
        if !matches!(node, Part::Union(field, _) if *field as usize == index) {
            *node = Part::Union(index as u32, Box::default());
        }
    } else {
        if let Part::Constant(Constant::Struct(parts)) = node {
            *node = Part::Struct(std::mem::take(parts).into_iter().map(Part::Constant).collect());
        }
        if !matches!(node, Part::Struct(_)) {
            *node = Part::Struct(Vec::new());
        }
    }
    slot_of(node, index)
}

fn slot_of(node: &mut Part, index: usize) -> &mut Part {
    match node {
        Part::Array(parts) | Part::Struct(parts) => {
            if parts.len() <= index {
                parts.resize_with(index + 1, Part::default);
            }
            &mut parts[index]
        }
        Part::Union(_, value) => value,
        other => other,
    }
}

/// The values and their paths.
pub(super) fn flatten(node: Part, path: &mut Vec<u64>, out: &mut Vec<(Vec<u64>, Expr)>) {
    match node {
        Part::Empty => {}
        Part::Constant(c) => {
            let ty = QualType::new(Types::VOID);
            out.push((path.clone(), Expr { kind: ExprKind::Constant(c), ty, span: Span::default() }));
        }
        Part::Expr(e) => out.push((path.clone(), *e)),
        Part::Array(parts) | Part::Struct(parts) => {
            for (i, part) in parts.into_iter().enumerate() {
                path.push(i as u64);
                flatten(part, path, out);
                path.pop();
            }
        }
        Part::Union(field, value) => {
            path.push(field.into());
            flatten(*value, path, out);
            path.pop();
        }
    }
}
