//! Tokens of PTX (§4: "Syntax") with the operands of the `asm` statement among them.

use super::types::Error;

/// What a token is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Lexeme {
    /// An identifier; a percent sign in front belongs to it.
    Word(String),
    /// A suffix or directive without its dot; `::` may be inside (`L1::no_allocate`).
    Suffix(String),
    /// An operand of the `asm` statement.
    Operand(usize),
    /// An integer constant.
    Integer(u64),
    /// The bits of a constant that is a float.
    Float(u32),
    /// The bits of one that is a double.
    Double(u64),
    /// Anything else.
    Punct(char),
    /// The end of the text.
    End,
}

/// A token and where it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    /// What it is.
    pub what: Lexeme,
    /// The byte of the text.
    pub at: usize,
}

/// The tokens of `text`. A statement without operands is `basic`: a percent sign means itself there.
///
/// # Errors
/// Constants and references to operands that cannot be read.
pub(super) fn lex(text: &str, basic: bool, names: &[Option<&str>]) -> Result<Vec<Token>, Error> {
    let mut lexer = Lexer { text: text.as_bytes(), at: 0, basic, names, in_name: None };
    let mut tokens = Vec::new();
    loop {
        let token = lexer.next()?;
        let end = token.what == Lexeme::End;
        lexer.in_name = matches!(token.what, Lexeme::Word(_) | Lexeme::Suffix(_)).then_some(lexer.at);
        tokens.push(token);
        if end {
            return Ok(tokens);
        }
    }
}

struct Lexer<'a> {
    text: &'a [u8],
    at: usize,
    basic: bool,
    names: &'a [Option<&'a str>],
    /// Where the token before ended, if it was a word or a suffix: a suffix may begin with a digit there (`tex.2d`).
    in_name: Option<usize>,
}

fn begins_word(c: u8) -> bool {
    c.is_ascii_alphabetic() || matches!(c, b'_' | b'$')
}

fn continues_word(c: u8) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, b'_' | b'$')
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.text.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn take_while(&mut self, is: impl Fn(u8) -> bool) -> String {
        let start = self.at;
        while self.at < self.text.len() && is(self.peek(0)) {
            self.at += 1;
        }
        String::from_utf8_lossy(&self.text[start..self.at]).into_owned()
    }

    fn error<T>(&self, at: usize, message: impl Into<String>) -> Result<T, Error> {
        Err(Error { at, message: message.into() })
    }

    /// White space and comments.
    fn skip_blank(&mut self) -> Result<(), Error> {
        loop {
            match (self.peek(0), self.peek(1)) {
                (b'/', b'/') => {
                    self.take_while(|c| c != b'\n');
                }
                (b'/', b'*') => {
                    let start = self.at;
                    self.at += 2;
                    while (self.peek(0), self.peek(1)) != (b'*', b'/') {
                        if self.at >= self.text.len() {
                            return self.error(start, "the comment does not end");
                        }
                        self.at += 1;
                    }
                    self.at += 2;
                }
                (c, _) if c.is_ascii_whitespace() || c == 0x0b => self.at += 1,
                _ => return Ok(()),
            }
        }
    }

    fn next(&mut self) -> Result<Token, Error> {
        self.skip_blank()?;
        let at = self.at;
        let what = match self.peek(0) {
            _ if at >= self.text.len() => Lexeme::End,
            b'%' => self.percent()?,
            b'.' if begins_word(self.peek(1))
                || (self.in_name == Some(at) && self.peek(1).is_ascii_digit()) =>
            {
                self.at += 1;
                Lexeme::Suffix(self.suffix())
            }
            c if begins_word(c) => Lexeme::Word(self.take_while(continues_word)),
            c if c.is_ascii_digit() => self.number()?,
            c if c.is_ascii() => {
                self.at += 1;
                Lexeme::Punct(char::from(c))
            }
            _ => return self.error(at, "PTX has no such character"),
        };
        Ok(Token { what, at })
    }

    fn suffix(&mut self) -> String {
        let mut text = self.take_while(continues_word);
        while self.peek(0) == b':' && self.peek(1) == b':' {
            self.at += 2;
            text.push_str("::");
            text.push_str(&self.take_while(continues_word));
        }
        text
    }

    /// An operand (`%0`, `%[name]`), or a name that begins with a percent sign.
    fn percent(&mut self) -> Result<Lexeme, Error> {
        let start = self.at;
        self.at += 1;
        if self.basic {
            if self.peek(0) == b'%' {
                self.at += 1;
            }
        } else if self.peek(0) == b'%' {
            self.at += 1;
        } else if self.peek(0) == b'[' {
            self.at += 1;
            let name = self.take_while(continues_word);
            if self.peek(0) != b']' {
                return self.error(start, format!("']' is missing behind '%[{name}'"));
            }
            self.at += 1;
            return match self.names.iter().position(|n| *n == Some(name.as_str())) {
                Some(index) => Ok(Lexeme::Operand(index)),
                None => self.error(start, format!("no operand is called '{name}'")),
            };
        } else if self.peek(0).is_ascii_digit() {
            let digits = self.take_while(|c| c.is_ascii_digit());
            return match digits.parse::<usize>() {
                Ok(index) if index < self.names.len() => Ok(Lexeme::Operand(index)),
                _ => self.error(start, format!("there is no operand '%{digits}'")),
            };
        } else {
            let name = self.take_while(continues_word);
            return self
                .error(start, format!("'%{name}' is no operand; a register is written '%%{name}' here"));
        }
        if !begins_word(self.peek(0)) {
            return self.error(start, "a name is missing behind the percent sign");
        }
        Ok(Lexeme::Word(format!("%{}", self.take_while(continues_word))))
    }

    /// §4.5: integers in four radices, floats by their bits or in decimal.
    fn number(&mut self) -> Result<Lexeme, Error> {
        let start = self.at;
        let (first, second) = (self.peek(0), self.peek(1));
        let prefixed = first == b'0';
        if prefixed && matches!(second, b'f' | b'F') {
            self.at += 2;
            let digits = self.take_while(|c| c.is_ascii_hexdigit());
            return match (digits.len(), u32::from_str_radix(&digits, 16)) {
                (8, Ok(bits)) => Ok(Lexeme::Float(bits)),
                _ => self.error(start, format!("'0f{digits}' has not eight hexadecimal digits")),
            };
        }
        if prefixed && matches!(second, b'd' | b'D') {
            self.at += 2;
            let digits = self.take_while(|c| c.is_ascii_hexdigit());
            return match (digits.len(), u64::from_str_radix(&digits, 16)) {
                (16, Ok(bits)) => Ok(Lexeme::Double(bits)),
                _ => self.error(start, format!("'0d{digits}' has not sixteen hexadecimal digits")),
            };
        }
        let (radix, skip) = match (prefixed, second) {
            (true, b'x' | b'X') => (16, 2),
            (true, b'b' | b'B') => (2, 2),
            _ => (10, 0),
        };
        self.at += skip;
        let mut digits = self.take_while(|c| char::from(c).is_digit(radix));
        let decimal = radix == 10
            && (self.peek(0) == b'.' && self.peek(1).is_ascii_digit() || matches!(self.peek(0), b'e' | b'E'));
        if decimal {
            return self.decimal(start, digits);
        }
        let mut radix = radix;
        if radix == 10 && digits.len() > 1 && digits.starts_with('0') {
            radix = 8;
            digits.remove(0);
        }
        let value = u64::from_str_radix(&digits, radix);
        if self.peek(0) == b'U' {
            self.at += 1;
        }
        match value {
            Ok(value) if !continues_word(self.peek(0)) => Ok(Lexeme::Integer(value)),
            _ => self.error(start, "this is no constant of at most 64 bits"),
        }
    }

    /// A double in decimal.
    fn decimal(&mut self, start: usize, mut digits: String) -> Result<Lexeme, Error> {
        if self.peek(0) == b'.' {
            self.at += 1;
            digits.push('.');
            digits.push_str(&self.take_while(|c| c.is_ascii_digit()));
        }
        if matches!(self.peek(0), b'e' | b'E') {
            self.at += 1;
            digits.push('e');
            if matches!(self.peek(0), b'+' | b'-') {
                digits.push(char::from(self.peek(0)));
                self.at += 1;
            }
            digits.push_str(&self.take_while(|c| c.is_ascii_digit()));
        }
        match digits.parse::<f64>() {
            Ok(value) => Ok(Lexeme::Double(value.to_bits())),
            Err(_) => self.error(start, "this is no floating constant"),
        }
    }
}
