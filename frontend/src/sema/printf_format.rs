//! The formats that a call of `printf` may have: literals, constant variables, and what `?:` chooses of them.

use super::constant::Value;
use super::context::Sema;
use super::convert::rvalue;
use crate::hir::{CastKind, Constant, Expr, ExprKind, GlobalId};
use crate::source::Span;
use crate::types::{AddressSpace, Scalar, Type, Types};

/// A format, or the choice of one at run time.
pub(super) enum Format {
    Text(Vec<u8>),
    Choice(Box<Expr>, Box<Format>, Box<Format>),
}

impl Format {
    /// Every format that may be the one.
    pub fn texts<'f>(&'f self, into: &mut Vec<&'f [u8]>) {
        match self {
            Format::Text(text) => into.push(text),
            Format::Choice(_, then, els) => {
                then.texts(into);
                els.texts(into);
            }
        }
    }
}

impl Sema<'_> {
    /// The formats of a first argument; `None` where they are not known here.
    pub(super) fn formats(&self, e: &Expr) -> Option<Format> {
        match &e.kind {
            ExprKind::Conditional { cond, then, els } => {
                let (then, els) = (self.formats(then)?, self.formats(els)?);
                Some(Format::Choice(cond.clone(), Box::new(then), Box::new(els)))
            }
            ExprKind::Cast { kind: CastKind::PointerBitcast | CastKind::PointerSpace, operand } => {
                self.formats(operand)
            }
            ExprKind::Global(_) if matches!(self.types.get(e.ty.ty), Type::Array(..)) => {
                self.string_of(e).map(Format::Text)
            }
            _ => match self.value(e)? {
                Value::Address(Some(global), offset) => self.constant_text(global, offset).map(Format::Text),
                _ => None,
            },
        }
    }

    /// The text at a byte of a constant array of characters.
    fn constant_text(&self, global: GlobalId, offset: i64) -> Option<Vec<u8>> {
        let global = self.globals.get(global.0 as usize)?;
        let Type::Array(element, _) = self.types.get(global.ty.ty) else { return None };
        let Some(Constant::Array(chars)) = &global.init else { return None };
        if global.ty.space != AddressSpace::Constant || element.ty != Types::scalar(Scalar::Char) {
            return None;
        }
        let chars = chars.get(usize::try_from(offset).ok()?..)?;
        let bytes = chars.iter().map(|c| if let Constant::Int(i) = c { *i as u8 } else { 0 });
        Some(bytes.take_while(|b| *b != 0).collect())
    }

    /// The call, or one for each format, of which one is made.
    pub(super) fn printf_calls(&self, format: Format, args: &[Expr], span: Span) -> Expr {
        match format {
            Format::Text(format) => {
                rvalue(ExprKind::Printf { format, args: args.to_vec() }, Types::INT, span)
            }
            Format::Choice(cond, then, els) => {
                let (then, els) = (self.printf_calls(*then, args, span), self.printf_calls(*els, args, span));
                rvalue(
                    ExprKind::Conditional { cond, then: Box::new(then), els: Box::new(els) },
                    Types::INT,
                    span,
                )
            }
        }
    }
}
