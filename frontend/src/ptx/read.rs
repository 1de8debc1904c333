//! Statements of PTX (§4.3): directives, labels, instructions with their guards and operands.

use super::lex::{Lexeme, Token};
use super::statement::{Instruction, Operand, Statement, What};
use super::types::{Error, Type};

/// Texts with more statements are refused.
const MAX: usize = 10_000;

/// The statements of a text. `is_known`: there is an instruction of that name.
///
/// # Errors
/// Whatever is no statement.
pub(super) fn read(tokens: &[Token], is_known: fn(&str) -> bool) -> Result<Vec<Statement>, Error> {
    let mut reader = Reader { tokens, at: 0, is_known };
    let mut statements = Vec::new();
    while *reader.peek() != Lexeme::End {
        if reader.eat(';') {
            continue;
        }
        let at = reader.place();
        let what = reader.statement()?;
        statements.push(Statement { what, at });
        if statements.len() > MAX {
            return Err(Error { at, message: format!("the text has more than {MAX} statements") });
        }
    }
    Ok(statements)
}

struct Reader<'a> {
    tokens: &'a [Token],
    at: usize,
    is_known: fn(&str) -> bool,
}

impl Reader<'_> {
    fn peek(&self) -> &Lexeme {
        self.tokens.get(self.at).map_or(&Lexeme::End, |t| &t.what)
    }

    fn place(&self) -> usize {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(0, |t| t.at)
    }

    fn bump(&mut self) -> Lexeme {
        let token = self.peek().clone();
        self.at += 1;
        token
    }

    fn eat(&mut self, punct: char) -> bool {
        let found = *self.peek() == Lexeme::Punct(punct);
        self.at += usize::from(found);
        found
    }

    fn error<T>(&self, message: impl Into<String>) -> Result<T, Error> {
        Err(Error { at: self.place(), message: message.into() })
    }

    fn expect(&mut self, punct: char, what: &str) -> Result<(), Error> {
        if self.eat(punct) { Ok(()) } else { self.error(format!("'{punct}' is missing behind {what}")) }
    }

    fn statement(&mut self) -> Result<What, Error> {
        if self.eat('{') {
            return Ok(What::Open);
        }
        if self.eat('}') {
            return Ok(What::Close);
        }
        let guard = if self.eat('@') {
            let negated = self.eat('!');
            Some((self.primary()?, negated))
        } else {
            None
        };
        match self.bump() {
            Lexeme::Suffix(name) if name == "reg" && guard.is_none() => self.registers(),
            Lexeme::Suffix(name) => {
                self.at -= 1;
                self.error(format!("the directive '.{name}' is not supported in inline PTX"))
            }
            Lexeme::Word(name) if guard.is_none() && self.eat(':') => Ok(What::Label(name)),
            Lexeme::Word(name) => self.instruction(guard, name),
            _ => {
                self.at -= 1;
                self.error("an instruction was expected")
            }
        }
    }

    fn registers(&mut self) -> Result<What, Error> {
        let ty = match self.bump() {
            Lexeme::Suffix(name) => Type::parse(&name),
            _ => None,
        };
        let Some(ty) = ty else {
            self.at -= 1;
            return self.error("'.reg' needs the type of the registers");
        };
        let mut names = Vec::new();
        loop {
            let Lexeme::Word(name) = self.bump() else {
                self.at -= 1;
                return self.error("the name of a register was expected");
            };
            let count = if self.eat('<') {
                let Lexeme::Integer(count) = self.bump() else {
                    return self.error("the number of registers was expected");
                };
                self.expect('>', "the number of registers")?;
                match u32::try_from(count) {
                    Ok(count) if count <= 1000 => Some(count),
                    _ => return self.error("more than 1000 registers"),
                }
            } else {
                None
            };
            names.push((name, count));
            if !self.eat(',') {
                break;
            }
        }
        self.end("the registers")?;
        Ok(What::Registers(ty, names))
    }

    /// The semicolon; at the end of the text it may be missing.
    fn end(&mut self, what: &str) -> Result<(), Error> {
        if *self.peek() == Lexeme::End { Ok(()) } else { self.expect(';', what) }
    }

    fn instruction(&mut self, guard: Option<(Operand, bool)>, name: String) -> Result<What, Error> {
        // What follows an unknown name may have another syntax: the name is what to tell.
        if !(self.is_known)(&name) {
            self.at -= 1;
            return self.error(format!("PTX instruction '{name}' is unknown or not supported"));
        }
        let mut suffixes = Vec::new();
        while let Lexeme::Suffix(suffix) = self.peek() {
            suffixes.push(suffix.clone());
            self.at += 1;
        }
        let mut operands = Vec::new();
        if !matches!(self.peek(), Lexeme::End | Lexeme::Punct(';')) {
            loop {
                operands.push(self.operand()?);
                if !self.eat(',') {
                    break;
                }
            }
        }
        self.end(&format!("'{name}'"))?;
        Ok(What::Instruction(Instruction { guard, name, suffixes, operands }))
    }

    fn operand(&mut self) -> Result<Operand, Error> {
        let first = match self.peek() {
            Lexeme::Punct('{') => self.vector()?,
            Lexeme::Punct('[') => self.address()?,
            Lexeme::Punct('!') => {
                self.at += 1;
                Operand::Not(Box::new(self.primary()?))
            }
            _ => self.primary()?,
        };
        if self.eat('|') {
            let second = self.primary()?;
            return Ok(Operand::Pair(Box::new(first), Box::new(second)));
        }
        Ok(first)
    }

    fn vector(&mut self) -> Result<Operand, Error> {
        self.at += 1;
        let mut parts = Vec::new();
        loop {
            parts.push(self.primary()?);
            if !self.eat(',') {
                break;
            }
        }
        self.expect('}', "a vector")?;
        Ok(Operand::Vector(parts))
    }

    /// `[base]`, `[base+n]`, `[base-n]`; `[base+-n]` is written, too.
    fn address(&mut self) -> Result<Operand, Error> {
        self.at += 1;
        let base = self.primary()?;
        let mut offset = 0;
        if self.eat('+') {
            offset = if self.eat('-') { self.distance()?.wrapping_neg() } else { self.distance()? };
        } else if self.eat('-') {
            offset = self.distance()?.wrapping_neg();
        }
        self.expect(']', "an address")?;
        Ok(Operand::Address(Box::new(base), offset))
    }

    fn distance(&mut self) -> Result<i64, Error> {
        match self.bump() {
            Lexeme::Integer(value) if value < 1 << 32 => Ok(value as i64),
            _ => {
                self.at -= 1;
                self.error("an address has a constant offset of at most 32 bits")
            }
        }
    }

    /// A register, a constant, an operand of the statement.
    fn primary(&mut self) -> Result<Operand, Error> {
        if self.eat('-') {
            return match self.bump() {
                Lexeme::Integer(value) => Ok(Operand::Integer(value.wrapping_neg())),
                Lexeme::Float(bits) => Ok(Operand::Float(bits ^ 1 << 31)),
                Lexeme::Double(bits) => Ok(Operand::Double(bits ^ 1 << 63)),
                _ => self.error("only a constant can have a minus sign"),
            };
        }
        if self.eat('~') {
            return match self.bump() {
                Lexeme::Integer(value) => Ok(Operand::Integer(!value)),
                _ => self.error("only an integer constant can be complemented"),
            };
        }
        match self.bump() {
            Lexeme::Word(name) if name == "_" => Ok(Operand::Sink),
            Lexeme::Word(name) => {
                let component = match self.peek() {
                    Lexeme::Suffix(component) => Some(component.clone()),
                    _ => None,
                };
                self.at += usize::from(component.is_some());
                Ok(Operand::Name(name, component))
            }
            Lexeme::Operand(index) => Ok(Operand::Bound(index)),
            Lexeme::Integer(value) => Ok(Operand::Integer(value)),
            Lexeme::Float(bits) => Ok(Operand::Float(bits)),
            Lexeme::Double(bits) => Ok(Operand::Double(bits)),
            _ => {
                self.at -= 1;
                self.error("an operand was expected")
            }
        }
    }
}
