//! Declaration specifiers (§6.7 of C99, with OpenCL C's additions).

use super::parser::{Name, Parser};
use crate::symbol::{Symbol, kw};
use crate::token::{Punct, TokenKind};
use crate::types::{QualType, Scalar, Types};

impl Parser<'_> {
    /// Whether the current token starts a type name (a specifier, a qualifier or a typedef name).
    pub(super) fn at_type_name(&self) -> bool {
        match self.peek().kind {
            TokenKind::Ident(word) if self.is_keyword(word) => is_type_word(word),
            TokenKind::Ident(word) => matches!(self.lookup(word), Some((Name::Typedef(_), _))),
            _ => false,
        }
    }

    /// A type name (C99 §6.7.6), as in casts, `sizeof` and vector literals.
    pub(super) fn parse_type_name(&mut self) -> QualType {
        // Only names and pointers for the moment; the declarator parser takes over.
        let mut ty = QualType::new(Types::INT);
        while self.at_type_name() {
            if let TokenKind::Ident(word) = self.bump().kind {
                if let Some((Name::Typedef(t), _)) = self.lookup(word) {
                    ty = t;
                } else if word == kw::FLOAT {
                    ty = QualType::new(Types::scalar(Scalar::Float));
                }
            }
        }
        while self.eat(Punct::Star) {
            let pointer = self.types.pointer(ty);
            ty = QualType::new(pointer);
        }
        ty
    }
}

/// Keywords that can stand in a specifier-qualifier list.
fn is_type_word(word: Symbol) -> bool {
    matches!(
        word,
        kw::VOID
            | kw::BOOL
            | kw::BOOL_C99
            | kw::CHAR
            | kw::SHORT
            | kw::INT
            | kw::LONG
            | kw::FLOAT
            | kw::DOUBLE
            | kw::HALF
            | kw::SIGNED
            | kw::SIGNED_U
            | kw::UNSIGNED
            | kw::STRUCT
            | kw::UNION
            | kw::ENUM
            | kw::CONST
            | kw::CONST_U
            | kw::CONST_UU
            | kw::VOLATILE
            | kw::VOLATILE_U
            | kw::VOLATILE_2
            | kw::RESTRICT
            | kw::RESTRICT_U
            | kw::RESTRICT_UU
            | kw::GLOBAL
            | kw::GLOBAL_U
            | kw::LOCAL
            | kw::LOCAL_U
            | kw::CONSTANT
            | kw::CONSTANT_U
            | kw::PRIVATE
            | kw::PRIVATE_U
            | kw::GENERIC
            | kw::GENERIC_U
            | kw::READ_ONLY
            | kw::READ_ONLY_U
            | kw::WRITE_ONLY
            | kw::WRITE_ONLY_U
            | kw::READ_WRITE
            | kw::READ_WRITE_U
            | kw::TYPEOF
            | kw::TYPEOF_U
            | kw::TYPEOF_2
            | kw::COMPLEX
            | kw::IMAGINARY
    )
}
