//! The text of the fields of instructions, by their types.

use super::names::{find, find_semantics, semantics_word, word};
use super::parse::{self, Parser};
use super::print;
use super::{group, image};
use crate::ir::{
    AtomicOp, BinaryOp, BuiltinInput, ConvertOp, FloatCC, Func, Function, GroupOp, ImageOp, ImageRef, IntCC,
    Mask, MemFlags, Pair, Place, Root, Rounding, Scope, Semantics, UnaryOp, Value, WorkItem,
};
use smallvec::SmallVec;

/// The words after a mnemonic, with points between: `ftos.sat.tozero`.
pub(in crate::ir) struct SuffixText<'a> {
    rest: &'a str,
}

impl<'a> SuffixText<'a> {
    /// The words after the mnemonic in an instruction's first word: `None` if it begins with another. The empty mnemonic is of
    /// instructions that are named by their suffix.
    pub(in crate::ir) fn behind(word: &'a str, mnemonic: &str) -> Option<SuffixText<'a>> {
        let rest = word.strip_prefix(mnemonic)?;
        let rest = if mnemonic.is_empty() || rest.is_empty() { rest } else { rest.strip_prefix('.')? };
        Some(SuffixText { rest })
    }

    pub(in crate::ir) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Takes the next word if it is this one.
    pub(in crate::ir) fn accept(&mut self, word: &str) -> bool {
        let (first, rest) = self.rest.split_once('.').unwrap_or((self.rest, ""));
        let found = first == word;
        if found {
            self.rest = rest;
        }
        found
    }

    /// Takes the next word.
    fn next(&mut self) -> &'a str {
        let (first, rest) = self.rest.split_once('.').unwrap_or((self.rest, ""));
        self.rest = rest;
        first
    }
}

/// A field that follows the mnemonic.
pub(in crate::ir) trait Suffix: Sized {
    /// Its words; `None` where nothing stands for it.
    fn to_suffix(&self) -> Option<String>;

    /// The reverse of `to_suffix`.
    fn from_suffix(text: &mut SuffixText<'_>) -> Option<Self>;
}

/// Adds a suffix to a mnemonic, which may be empty.
pub(in crate::ir) fn push_suffix(text: &mut String, suffix: Option<String>) {
    let Some(suffix) = suffix else { return };
    if !text.is_empty() {
        text.push('.');
    }
    text.push_str(&suffix);
}

/// Enumerations whose variants are one word each.
macro_rules! word_suffix {
    ($($ty:ident),*) => {
        $(
            impl Suffix for $ty {
                fn to_suffix(&self) -> Option<String> {
                    Some(word(self))
                }

                fn from_suffix(text: &mut SuffixText<'_>) -> Option<Self> {
                    find($ty::ALL, text.next())
                }
            }
        )*
    };
}

word_suffix!(AtomicOp, BinaryOp, BuiltinInput, ConvertOp, FloatCC, IntCC, UnaryOp, WorkItem);

impl Suffix for Option<Rounding> {
    fn to_suffix(&self) -> Option<String> {
        self.map(word)
    }

    fn from_suffix(text: &mut SuffixText<'_>) -> Option<Self> {
        if text.is_empty() { Some(None) } else { find(Rounding::ALL, text.next()).map(Some) }
    }
}

impl Suffix for GroupOp {
    fn to_suffix(&self) -> Option<String> {
        Some(group::op_word(*self))
    }

    fn from_suffix(text: &mut SuffixText<'_>) -> Option<Self> {
        group::find_op(std::mem::take(&mut text.rest))
    }
}

impl Suffix for ImageOp {
    fn to_suffix(&self) -> Option<String> {
        Some(image::op_word(*self))
    }

    fn from_suffix(text: &mut SuffixText<'_>) -> Option<Self> {
        image::find_op(std::mem::take(&mut text.rest))
    }
}

/// A field behind the mnemonic and its suffixes.
pub(in crate::ir) trait Item: Sized {
    fn to_item(&self, function: &Function) -> String;

    /// The reverse of `to_item`.
    fn from_item(parser: &mut Parser, function: &mut Function) -> Result<Self, String>;
}

/// Fields that have a function to print them and one to parse them.
macro_rules! item {
    ($($ty:ty: |$field:ident, $function:ident| $print:expr, |$parser:ident, $into:ident| $parse:expr;)*) => {
        $(
            impl Item for $ty {
                #[allow(unused_variables)]
                fn to_item(&self, $function: &Function) -> String {
                    let $field = self;
                    $print
                }

                #[allow(unused_variables)]
                fn from_item($parser: &mut Parser, $into: &mut Function) -> Result<Self, String> {
                    $parse
                }
            }
        )*
    };
}

item! {
    Value: |v, f| print::operand(f, *v), |p, f| p.operand(f);
    Place: |place, f| print::place(f, *place), |p, f| p.place(f);
    MemFlags: |flags, f| print::flags(*flags), |p, f| p.flags();
    Root: |root, f| print::root(*root), |p, f| {
        let name = p.word()?;
        parse::root(&name).ok_or(format!("'{name}' is no root"))
    };
    Scope: |scope, f| word(scope), |p, f| p.named(Scope::ALL);
    Semantics: |semantics, f| semantics_word(*semantics), |p, f| {
        let word = p.word()?;
        find_semantics(&word).ok_or(format!("'{word}' is no memory semantics"))
    };
    Func: |func, f| func.to_string(), |p, f| p.handle("f");
    u8: |n, f| n.to_string(), |p, f| p.number();
    u32: |n, f| n.to_string(), |p, f| p.number();
    u64: |n, f| n.to_string(), |p, f| p.number();
    i64: |n, f| n.to_string(), |p, f| p.number();
    Vec<Value>: |values, f| print::list(values.iter().map(|v| print::operand(f, *v))), |p, f| p.list(|p| p.operand(f));
    SmallVec<[Value; 4]>: |values, f| print::list(values.iter().map(|v| print::operand(f, *v))), |p, f| {
        Ok(p.list(|p| p.operand(f))?.into())
    };
    Box<SmallVec<[Value; 4]>>: |values, f| (**values).to_item(f), |p, f| SmallVec::from_item(p, f).map(Box::new);
    Pair: |values, f| print::list(values.iter().map(|v| print::operand(f, *v))), |p, f| {
        let values = p.list(|p| p.operand(f))?;
        if values.len() > 2 {
            return Err("at most two operands expected".to_owned());
        }
        Ok(values[..].into())
    };
    Mask: |mask, f| print::list(mask.iter().map(|lane| lane.map_or("_".to_owned(), |n| n.to_string()))), |p, f| {
        let lanes = p.list(|p| if p.accept_word("_") { Ok(None) } else { p.number().map(Some) })?;
        if lanes.len() > 16 {
            return Err("a vector has 16 lanes at most".to_owned());
        }
        Ok(lanes.into_iter().collect())
    };
    ImageRef: |image, f| match image {
        ImageRef::Value(image) => print::operand(f, *image),
        ImageRef::Arg(n) => format!("arg{n}"),
    }, |p, f| {
        if !p.peek_prefix("arg") {
            return p.operand(f).map(ImageRef::Value);
        }
        let word = p.word()?;
        let number = word.strip_prefix("arg").and_then(|n| n.parse().ok());
        number.map(ImageRef::Arg).ok_or("no such argument".to_owned())
    };
}
