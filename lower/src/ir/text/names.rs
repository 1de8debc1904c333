//! The words for enumerations: the variant's own name in lower case.

use crate::ir::{Opaque, Scalar, Semantics, Space, Stage, Type};
use std::fmt::Debug;

/// The word for a variant.
pub(crate) fn word(variant: impl Debug) -> String {
    format!("{variant:?}").to_lowercase()
}

/// The variant for a word.
pub(crate) fn find<T: Debug + Copy>(all: &[T], text: &str) -> Option<T> {
    all.iter().copied().find(|v| word(v) == text)
}

pub(crate) const STAGE: &[Stage] = &[Stage::Read, Stage::Resolved, Stage::Legal, Stage::Structured];

pub(crate) const SPACE: &[Space] =
    &[Space::Private, Space::Local, Space::Constant, Space::Global, Space::Generic, Space::Block];

/// `i32`, `f32x4`, `ptr.global`.
pub(crate) fn find_type(text: &str) -> Option<Type> {
    if let Some(space) = text.strip_prefix("ptr.") {
        return find(SPACE, space).map(Type::Ptr);
    }
    if let Some(number) = text.strip_prefix('o') {
        return number.parse().ok().map(|n| Type::Opaque(Opaque(n)));
    }
    let (scalar, lanes) = text.split_once('x').map_or((text, "1"), |(s, n)| (s, n));
    Some(Type::new(find_scalar(scalar)?, lanes.parse().ok().filter(|n| (1..=16).contains(n))?))
}

/// `i32`
pub(crate) fn find_scalar(text: &str) -> Option<Scalar> {
    use Scalar::*;
    [Bool, I8, I16, I32, I64, F16, F32, F64].into_iter().find(|s| s.to_string() == text)
}

/// `acquire|local`; `relaxed` for none.
pub(crate) fn semantics_word(semantics: Semantics) -> String {
    if semantics.is_empty() {
        return "relaxed".to_owned();
    }
    let names: Vec<String> = semantics.iter_names().map(|(n, _)| n.to_lowercase()).collect();
    names.join("|")
}

/// The reverse of [`semantics_word`].
pub(crate) fn find_semantics(text: &str) -> Option<Semantics> {
    if text == "relaxed" {
        return Some(Semantics::empty());
    }
    text.split('|').map(|n| Semantics::from_name(&n.to_uppercase())).collect()
}
