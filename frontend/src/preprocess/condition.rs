//! The expressions of `#if` and `#elif` (C99 §6.10.1): arithmetic in intmax_t and uintmax_t, both of
//! 64 bits. Operands that are not evaluated are parsed, and complain about nothing but syntax.

use super::{MAX_NESTING, PTok, Preprocessor};
use crate::source::Span;
use crate::token::{Punct, Token, TokenKind};

/// A value: 64 bits, signed unless `unsigned`.
#[derive(Debug, Clone, Copy)]
struct Value {
    bits: u64,
    unsigned: bool,
}

impl Value {
    fn signed(value: i64) -> Value {
        Value { bits: value as u64, unsigned: false }
    }

    fn truth(value: bool) -> Value {
        Value::signed(value.into())
    }

    fn is_true(self) -> bool {
        self.bits != 0
    }
}

/// Something was wrong and has been reported.
struct Reported;

struct Evaluator<'p, 'a> {
    pp: &'p mut Preprocessor<'a>,
    current: Token,
    directive: Span,
    depth: u32,
}

impl Preprocessor<'_> {
    /// The condition on the rest of the directive's line; false after an error.
    pub(super) fn condition(&mut self, directive: Span) -> bool {
        let tokens: Vec<PTok> = self.line_tokens().into_iter().map(PTok::new).collect();
        self.isolated(tokens, |pp| {
            let current = pp.next_expanded().token;
            let mut evaluator = Evaluator { pp, current, directive, depth: 0 };
            match evaluator.whole() {
                Ok(value) => value.is_true(),
                Err(Reported) => false,
            }
        })
    }
}

impl Evaluator<'_, '_> {
    fn advance(&mut self) {
        self.current = self.pp.next_expanded().token;
    }

    fn fail<T>(&mut self, span: Span, message: impl Into<String>) -> Result<T, Reported> {
        // The end of the line has no place of its own.
        let span = if self.current.kind == TokenKind::Eof { self.directive } else { span };
        self.pp.diags.error("invalid-condition", span, message);
        Err(Reported)
    }

    fn whole(&mut self) -> Result<Value, Reported> {
        if self.current.kind == TokenKind::Eof {
            return self.fail(self.directive, "#if with no expression");
        }
        let value = self.ternary(true)?;
        if self.current.kind != TokenKind::Eof {
            let message = "missing binary operator in the preprocessor expression";
            return self.fail(self.current.span, message);
        }
        Ok(value)
    }

    /// `condition ? a : b`, and at the end of each the comma that C99 allows where it is not evaluated.
    fn ternary(&mut self, live: bool) -> Result<Value, Reported> {
        self.depth += 1;
        if self.depth > MAX_NESTING {
            return self.fail(self.current.span, "the preprocessor expression is nested too deeply");
        }
        let condition = self.binary(1, live)?;
        let result = if self.current.kind == TokenKind::Punct(Punct::Question) {
            self.advance();
            let mut then = self.ternary(live && condition.is_true())?;
            while self.current.kind == TokenKind::Punct(Punct::Comma) {
                self.advance();
                then = self.ternary(live && condition.is_true())?;
            }
            if self.current.kind != TokenKind::Punct(Punct::Colon) {
                return self.fail(self.current.span, "expected ':' in the preprocessor expression");
            }
            self.advance();
            let other = self.ternary(live && !condition.is_true())?;
            let bits = if condition.is_true() { then.bits } else { other.bits };
            Value { bits, unsigned: then.unsigned || other.unsigned }
        } else {
            condition
        };
        self.depth -= 1;
        Ok(result)
    }

    /// Binary operators that bind at least as tightly as `least`.
    fn binary(&mut self, least: u8, live: bool) -> Result<Value, Reported> {
        let mut left = self.unary(live)?;
        while let TokenKind::Punct(op) = self.current.kind {
            let Some(level) = precedence(op).filter(|l| *l >= least) else { break };
            let place = self.current.span;
            self.advance();
            let right_live = live
                && match op {
                    Punct::AmpAmp => left.is_true(),
                    Punct::PipePipe => !left.is_true(),
                    _ => true,
                };
            let right = self.binary(level + 1, right_live)?;
            left = match apply(op, left, right) {
                Some(value) => value,
                None if live => return self.fail(place, "division by zero in preprocessor expression"),
                None => Value::signed(0),
            };
        }
        Ok(left)
    }

    fn unary(&mut self, live: bool) -> Result<Value, Reported> {
        // A loop over the prefix operators, so that `!!!!…` needs no stack.
        let mut prefixes = Vec::new();
        while let TokenKind::Punct(op @ (Punct::Plus | Punct::Minus | Punct::Bang | Punct::Tilde)) =
            self.current.kind
        {
            prefixes.push(op);
            self.advance();
        }
        let mut value = self.primary(live)?;
        for op in prefixes.into_iter().rev() {
            value = match op {
                Punct::Minus => Value { bits: value.bits.wrapping_neg(), ..value },
                Punct::Tilde => Value { bits: !value.bits, ..value },
                Punct::Bang => Value::truth(!value.is_true()),
                _ => value,
            };
        }
        Ok(value)
    }

    fn primary(&mut self, live: bool) -> Result<Value, Reported> {
        let token = self.current;
        match token.kind {
            TokenKind::Punct(Punct::LParen) => {
                self.advance();
                let mut value = self.ternary(live)?;
                // C99 §6.6 allows no comma in what is evaluated; clang takes it.
                while self.current.kind == TokenKind::Punct(Punct::Comma) {
                    self.advance();
                    value = self.ternary(live)?;
                }
                if self.current.kind != TokenKind::Punct(Punct::RParen) {
                    return self.fail(self.current.span, "expected ')' in the preprocessor expression");
                }
                self.advance();
                Ok(value)
            }
            TokenKind::Ident(name) if name == self.pp.names.defined => self.defined(),
            // Every other identifier is 0 (§6.10.1 paragraph 4).
            TokenKind::Ident(name) => {
                self.advance();
                if live && self.current.kind == TokenKind::Punct(Punct::LParen) {
                    let message =
                        format!("function-like macro '{}' is not defined", self.pp.symbols.text(name));
                    return self.fail(token.span, message);
                }
                self.skip_dead_call();
                // `true` is a word of the language here, as clang has it.
                Ok(Value::signed(i64::from(self.pp.symbols.text(name) == "true")))
            }
            TokenKind::Number(text) => {
                let text = self.pp.symbols.shared(text);
                match integer(&text) {
                    Some(value) => {
                        self.advance();
                        Ok(value)
                    }
                    None => {
                        let message =
                            format!("'{text}' is not an integer constant of a preprocessor expression");
                        self.fail(token.span, message)
                    }
                }
            }
            TokenKind::Char(text) => {
                let text = self.pp.symbols.shared(text);
                match character(&text) {
                    Some(value) => {
                        self.advance();
                        Ok(Value::signed(value))
                    }
                    None => self.fail(token.span, "invalid character constant in preprocessor expression"),
                }
            }
            TokenKind::Eof => {
                self.fail(token.span, "expected a value at the end of the preprocessor expression")
            }
            _ => self.fail(token.span, "invalid token in preprocessor expression"),
        }
    }

    /// In an operand that is not evaluated, the arguments of an unknown function-like name
    /// (`defined(__has_builtin) && __has_builtin(x)`) are passed over.
    fn skip_dead_call(&mut self) {
        if self.current.kind != TokenKind::Punct(Punct::LParen) {
            return;
        }
        let mut depth = 0u32;
        loop {
            match self.current.kind {
                TokenKind::Punct(Punct::LParen) => depth += 1,
                TokenKind::Punct(Punct::RParen) => depth -= 1,
                TokenKind::Eof => return,
                _ => {}
            }
            self.advance();
            if depth == 0 {
                return;
            }
        }
    }

    /// `defined NAME`, `defined(NAME)`: its operand is not macro-replaced.
    fn defined(&mut self) -> Result<Value, Reported> {
        let mut token = self.pp.next_raw().token;
        let paren = token.kind == TokenKind::Punct(Punct::LParen);
        if paren {
            token = self.pp.next_raw().token;
        }
        let TokenKind::Ident(name) = token.kind else {
            self.current = token;
            return self.fail(token.span, "'defined' needs a macro name");
        };
        let value = self.pp.macro_of(name).is_some();
        if paren {
            let close = self.pp.next_raw().token;
            if close.kind != TokenKind::Punct(Punct::RParen) {
                self.current = close;
                return self.fail(close.span, "missing ')' after 'defined'");
            }
        }
        self.advance();
        Ok(Value::truth(value))
    }
}

/// Returns how tightly a binary operator binds.
fn precedence(op: Punct) -> Option<u8> {
    use Punct::*;
    Some(match op {
        PipePipe => 1,
        AmpAmp => 2,
        Pipe => 3,
        Caret => 4,
        Amp => 5,
        EqEq | BangEq => 6,
        Lt | Gt | Le | Ge => 7,
        Shl | Shr => 8,
        Plus | Minus => 9,
        Star | Slash | Percent => 10,
        _ => return None,
    })
}

/// The value of `left op right`; `None` for a division by zero.
fn apply(op: Punct, left: Value, right: Value) -> Option<Value> {
    use Punct::*;
    let unsigned = left.unsigned || right.unsigned;
    let (a, b) = (left.bits, right.bits);
    let (sa, sb) = (a as i64, b as i64);
    let number = |bits: u64| Value { bits, unsigned };
    Some(match op {
        PipePipe => Value::truth(left.is_true() || right.is_true()),
        AmpAmp => Value::truth(left.is_true() && right.is_true()),
        Pipe => number(a | b),
        Caret => number(a ^ b),
        Amp => number(a & b),
        EqEq => Value::truth(a == b),
        BangEq => Value::truth(a != b),
        Lt => Value::truth(if unsigned { a < b } else { sa < sb }),
        Gt => Value::truth(if unsigned { a > b } else { sa > sb }),
        Le => Value::truth(if unsigned { a <= b } else { sa <= sb }),
        Ge => Value::truth(if unsigned { a >= b } else { sa >= sb }),
        Shl | Shr => shift(left, right, op == Shl),
        Plus => number(a.wrapping_add(b)),
        Minus => number(a.wrapping_sub(b)),
        Star => number(a.wrapping_mul(b)),
        Slash | Percent if b == 0 => return None,
        Slash => number(if unsigned { a / b } else { sa.wrapping_div(sb) as u64 }),
        Percent => number(if unsigned { a % b } else { sa.wrapping_rem(sb) as u64 }),
        _ => left,
    })
}

/// A shift; its type is the left operand's. By a negative count it goes the other way, by 64 and more
/// all bits go (C leaves both undefined).
fn shift(left: Value, right: Value, mut to_left: bool) -> Value {
    let mut count = right.bits;
    if !right.unsigned && (count as i64) < 0 {
        to_left = !to_left;
        count = (count as i64).unsigned_abs();
    }
    let bits = match (to_left, left.unsigned) {
        (true, _) => {
            if count < 64 {
                left.bits << count
            } else {
                0
            }
        }
        (false, true) => {
            if count < 64 {
                left.bits >> count
            } else {
                0
            }
        }
        (false, false) => ((left.bits as i64) >> count.min(63)) as u64,
    };
    Value { bits, ..left }
}

/// The value of an integer constant (C99 §6.4.4.1; also `0b…`).
fn integer(text: &str) -> Option<Value> {
    let lower = text.to_ascii_lowercase();
    let (radix, digits) = match lower.as_bytes() {
        [b'0', b'x', ..] => (16, &lower[2..]),
        [b'0', b'b', ..] => (2, &lower[2..]),
        [b'0', ..] => (8, &lower[..]),
        _ => (10, &lower[..]),
    };
    let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(end);
    let unsigned = match suffix {
        "" | "l" | "ll" => false,
        "u" | "ul" | "ull" | "lu" | "llu" => true,
        _ => return None,
    };
    let bits = u64::from_str_radix(digits, radix).ok()?;
    Some(Value { bits, unsigned: unsigned || bits > i64::MAX as u64 })
}

/// The value of a character constant: one character or an escape sequence, or several characters as the bytes of an int.
fn character(literal: &str) -> Option<i64> {
    let inner = literal.strip_prefix('\'')?.strip_suffix('\'')?;
    if inner.len() > 1 && inner.is_ascii() && !inner.contains('\\') {
        return Some(inner.bytes().fold(0i32, |value, b| value << 8 | i32::from(b)).into());
    }
    let inner = literal.trim_start_matches('L').strip_prefix('\'')?.strip_suffix('\'')?;
    let mut chars = inner.chars();
    let value = match chars.next()? {
        '\\' => {
            let rest = chars.as_str();
            let escape = chars.next()?;
            match escape {
                'n' => 10,
                't' => 9,
                'r' => 13,
                'a' => 7,
                'b' => 8,
                'f' => 12,
                'v' => 11,
                '\\' | '\'' | '"' | '?' => escape as i64,
                'x' => return u8::from_str_radix(chars.as_str(), 16).ok().map(|v| i64::from(v as i8)),
                '0'..='7' => return u8::from_str_radix(rest, 8).ok().map(|v| i64::from(v as i8)),
                _ => return None,
            }
        }
        c => c as i64,
    };
    chars.as_str().is_empty().then_some(value)
}
