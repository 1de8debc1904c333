//! Format strings: text and conversion specifications (OpenCL C §6.15.14.2, C99 §7.19.6.1).
//!
//! ```text
//! % flags width .precision vN length letter
//! ```

/// The largest field width and precision; C99 asks for results of 4095 characters.
pub(super) const MAX: usize = 65535;

/// Part of a format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// Characters as they are; `%%` is one already, and what is no conversion is text.
    Text(Vec<u8>),
    /// Something that takes an argument.
    Conversion(Conversion),
}

/// Flags, width and precision.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Spec {
    /// `-`
    pub left: bool,
    /// `+`
    pub plus: bool,
    /// A space.
    pub space: bool,
    /// `#`
    pub alternative: bool,
    /// `0`
    pub zeros: bool,
    pub width: usize,
    pub precision: Option<usize>,
}

/// Length modifiers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Length {
    #[default]
    None,
    Char,
    Short,
    /// `hl`, of vectors: 32 bits.
    Int,
    Long,
    /// `z` and `t`: as wide as the argument is.
    Size,
}

impl Length {
    /// The size of an integer with this modifier. `own` is the argument's size.
    pub fn int_bytes(self, own: u8) -> u8 {
        match self {
            Length::Char => 1,
            Length::Short => 2,
            Length::None | Length::Int => 4,
            Length::Long => 8,
            Length::Size => own,
        }
    }
}

/// A conversion specification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Conversion {
    /// The source text, for a conversion without an argument.
    pub source: Vec<u8>,
    pub spec: Spec,
    /// `*` is not OpenCL C's, but C programmers write it.
    pub star_width: bool,
    pub star_precision: bool,
    pub length: Length,
    pub letter: u8,
}

/// Which arguments of a call are strings: those of `%s`.
pub(crate) fn text_arguments(format: &[u8]) -> Vec<bool> {
    let mut list = Vec::new();
    for piece in parse(format) {
        if let Piece::Conversion(c) = piece {
            list.extend([c.star_width, c.star_precision].into_iter().filter(|star| *star).map(|_| false));
            list.push(c.letter == b's');
        }
    }
    list
}

/// Cuts a format into its parts.
pub(super) fn parse(format: &[u8]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut text = Vec::new();
    let mut rest = format;
    while let Some((&byte, after)) = rest.split_first() {
        if byte != b'%' {
            text.push(byte);
            rest = after;
            continue;
        }
        if let Some((b'%', after)) = after.split_first() {
            text.push(b'%');
            rest = after;
            continue;
        }
        match conversion(rest) {
            Some((conversion, after)) => {
                if !text.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut text)));
                }
                pieces.push(Piece::Conversion(conversion));
                rest = after;
            }
            // Invalid, so undefined: shown as it is.
            None => {
                text.push(b'%');
                rest = after;
            }
        }
    }
    if !text.is_empty() {
        pieces.push(Piece::Text(text));
    }
    pieces
}

/// Characters still to read.
struct Cursor<'a> {
    rest: &'a [u8],
}

impl Cursor<'_> {
    fn accept(&mut self, text: &[u8]) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// A decimal number; 0 where there is none.
    fn number(&mut self) -> usize {
        let mut number = 0usize;
        while let Some((digit @ b'0'..=b'9', rest)) = self.rest.split_first() {
            number = (number * 10 + usize::from(digit - b'0')).min(MAX);
            self.rest = rest;
        }
        number
    }
}

/// The conversion specification at the start of `source`, and what follows it.
fn conversion(source: &[u8]) -> Option<(Conversion, &[u8])> {
    let mut at = Cursor { rest: source.get(1..)? };
    let mut spec = Spec::default();
    loop {
        match at.rest.first()? {
            b'-' => spec.left = true,
            b'+' => spec.plus = true,
            b' ' => spec.space = true,
            b'#' => spec.alternative = true,
            b'0' => spec.zeros = true,
            _ => break,
        }
        at.rest = &at.rest[1..];
    }
    let star_width = at.accept(b"*");
    if !star_width {
        spec.width = at.number();
    }
    let mut star_precision = false;
    if at.accept(b".") {
        star_precision = at.accept(b"*");
        if !star_precision {
            spec.precision = Some(at.number());
        }
    }
    let mut vector = false;
    if at.accept(b"v") {
        vector = matches!(at.number(), 2 | 3 | 4 | 8 | 16);
        if !vector {
            return None;
        }
    }
    let lengths: [(&[u8], Length); 7] = [
        (b"hh", Length::Char),
        (b"hl", Length::Int),
        (b"h", Length::Short),
        (b"ll", Length::Long),
        (b"l", Length::Long),
        (b"z", Length::Size),
        (b"t", Length::Size),
    ];
    let length = lengths.into_iter().find(|(text, _)| at.accept(text)).map_or(Length::None, |(_, l)| l);
    // A vector without a length modifier is undefined; its elements are shown as they are.
    let length = if vector && length == Length::None { Length::Size } else { length };
    let (&letter, rest) = at.rest.split_first()?;
    let known = match letter {
        b'd' | b'i' | b'o' | b'u' | b'x' | b'X' => true,
        b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => true,
        b'c' | b's' | b'p' => !vector,
        _ => false,
    };
    let source = source.get(..source.len() - rest.len())?.to_vec();
    known.then_some((Conversion { source, spec, star_width, star_precision, length, letter }, rest))
}
