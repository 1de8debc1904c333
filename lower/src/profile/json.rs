//! JSON, read for the few members that are asked for.
//!
//! A profile holds some thousand facts, most of them about image formats; a Target takes a hundred. So one walk checks the
//! text, eight bytes at a time where strings are long, and files the members of the outermost objects; of all else
//! nothing is made before it is asked for. Texts that serde_json would refuse are refused (the tests compare both).

use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::cell::OnceCell;

/// So deep may values stand in each other, and one less; serde_json's limit, too.
const MAX_DEPTH: u32 = 128;
/// So many objects in each other are indexed by the first walk: the file, `capabilities`, a block, and its parts, whose
/// members are structures.
const INDEXED: u32 = 4;
/// The member of a block that is most of a profile and that no Target looks into: it is not indexed.
const NOT_INDEXED: &str = "formats";

/// A value in a text that was checked.
#[derive(Debug, Clone, Copy)]
pub(super) struct Value<'a> {
    /// The value without what stands around it.
    text: &'a str,
}

impl<'a> Value<'a> {
    /// The values of a list, in order.
    pub fn elements(self) -> Option<Elements<'a>> {
        let inside = self.text.strip_prefix('[')?;
        Some(Elements(Scanner { text: inside, at: 0 }))
    }

    /// The text of a string.
    pub fn str(self) -> Option<Cow<'a, str>> {
        let inside = self.text.strip_prefix('"')?.strip_suffix('"')?;
        if inside.contains('\\') {
            return serde_json::from_str(self.text).ok().map(Cow::Owned);
        }
        Some(Cow::Borrowed(inside))
    }

    /// A truth value.
    pub fn bool(self) -> Option<bool> {
        match self.text {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    /// Whether it is a number.
    pub fn is_number(self) -> bool {
        self.text.starts_with(|c: char| c == '-' || c.is_ascii_digit())
    }

    /// A whole number that is not negative and was not written as a float.
    pub fn u64(self) -> Option<u64> {
        self.text.parse().ok()
    }

    /// A number, as a float.
    pub fn f64(self) -> Option<f64> {
        if self.is_number() { self.text.parse().ok() } else { None }
    }

    /// Whether it is a whole number below zero, and not written as a float.
    pub fn is_negative_integer(self) -> bool {
        self.text.parse::<i64>().is_ok_and(|n| n < 0)
    }
}

/// The values of a list.
pub(super) struct Elements<'a>(Scanner<'a>);

impl<'a> Iterator for Elements<'a> {
    type Item = Value<'a>;

    fn next(&mut self) -> Option<Value<'a>> {
        self.0.accept(b',');
        match self.0.peek()? {
            b']' => None,
            _ => self.0.value(0),
        }
    }
}

/// An object whose members can be found by name; of two with one name the last counts.
#[derive(Debug)]
pub(super) struct Object<'a> {
    members: FxHashMap<Cow<'a, str>, Member<'a>>,
}

#[derive(Debug)]
struct Member<'a> {
    value: Value<'a>,
    /// The value as an object, once it was asked for.
    object: OnceCell<Option<Box<Object<'a>>>>,
}

/// What a text is.
pub(super) enum Text<'a> {
    Object(Object<'a>),
    /// JSON, but no object.
    Other,
    Wrong,
}

impl<'a> Text<'a> {
    /// Checks and indexes a text.
    pub fn read(text: &'a str) -> Text<'a> {
        let mut scanner = Scanner { text, at: 0 };
        let found = match scanner.peek() {
            Some(b'{') => scanner.object(0, INDEXED).map(Text::Object),
            _ => scanner.value(0).map(|_| Text::Other),
        };
        let ended = scanner.peek().is_none() && scanner.at == text.len();
        found.filter(|_| ended).unwrap_or(Text::Wrong)
    }
}

impl<'a> Object<'a> {
    /// A member.
    pub fn get(&self, name: &str) -> Option<Value<'a>> {
        self.members.get(name).map(|m| m.value)
    }

    /// A member that is an object.
    pub fn object(&self, name: &str) -> Option<&Object<'a>> {
        let member = self.members.get(name)?;
        let read = || {
            let mut scanner = Scanner { text: member.value.text, at: 0 };
            if scanner.peek() == Some(b'{') { scanner.object(0, 1).map(Box::new) } else { None }
        };
        member.object.get_or_init(read).as_deref()
    }

    /// The names of the members, in no order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.members.keys().map(AsRef::as_ref)
    }
}

/// A place in a text.
struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    /// The next byte that is not white space.
    #[inline]
    fn peek(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        loop {
            let byte = *bytes.get(self.at)?;
            if byte > b' ' || !matches!(byte, b' ' | b'\n' | b'\t' | b'\r') {
                return Some(byte);
            }
            self.at += 1;
        }
    }

    /// Goes past a byte if it comes next.
    #[inline]
    fn accept(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Goes past an object, from its brace on, and indexes it; `outer` objects are around it, and objects in it are
    /// indexed as well while `levels` is more than one.
    fn object(&mut self, outer: u32, levels: u32) -> Option<Object<'a>> {
        self.at += 1;
        let mut list = Vec::new();
        if self.peek()? == b'}' {
            self.at += 1;
            return Some(Object { members: FxHashMap::default() });
        }
        loop {
            let start = self.at;
            self.key()?;
            let key = Value { text: self.text.get(start..self.at)? }.str()?;
            if !self.accept(b':') {
                return None;
            }
            let next = self.peek()?;
            let start = self.at;
            let object = OnceCell::new();
            if next == b'{' && levels > 1 && key != NOT_INDEXED {
                let inner = self.object(outer + 1, levels - 1)?;
                object.get_or_init(|| Some(Box::new(inner)));
            } else {
                self.value(outer + 1)?;
            }
            list.push((key, Member { value: Value { text: self.text.get(start..self.at)? }, object }));
            match self.peek()? {
                b',' => self.at += 1,
                b'}' => break,
                _ => return None,
            }
            self.peek()?;
        }
        self.at += 1;
        Some(Object { members: list.into_iter().collect() })
    }

    /// Goes past one value and all that it holds, checking it; `outer` values are around it.
    fn value(&mut self, outer: u32) -> Option<Value<'a>> {
        self.peek()?;
        let start = self.at;
        // What is open: whether an object, the innermost in the lowest bit.
        let (mut objects, mut depth) = (0u128, 0);
        loop {
            let first = self.peek()?;
            match first {
                b'"' => {
                    self.string()?;
                    // Most of a profile are lists of flags.
                    if objects & 1 == 0 && depth > 0 {
                        let bytes = self.text.as_bytes();
                        let mut at = self.at;
                        while bytes.get(at) == Some(&b',')
                            && bytes.get(at + 1) == Some(&b'"')
                            && let Some(end) = plain_end(bytes, at + 2)
                        {
                            at = end;
                        }
                        self.at = at;
                    }
                }
                open @ (b'{' | b'[') => {
                    self.at += 1;
                    let object = open == b'{';
                    depth += 1;
                    if outer + depth >= MAX_DEPTH {
                        return None;
                    }
                    objects = objects << 1 | u128::from(object);
                    let empty = self.peek()? == if object { b'}' } else { b']' };
                    if !empty {
                        if object {
                            self.member()?;
                        }
                        continue;
                    }
                }
                b't' => self.word("true")?,
                b'f' => self.word("false")?,
                b'n' => self.word("null")?,
                _ => self.number()?,
            }
            // After a value: what is open goes on or ends.
            loop {
                if depth == 0 {
                    return Some(Value { text: self.text.get(start..self.at)? });
                }
                let object = objects & 1 != 0;
                match (self.peek()?, object) {
                    (b',', _) => {
                        self.at += 1;
                        if object {
                            self.member()?;
                        }
                        break;
                    }
                    (b'}', true) | (b']', false) => {
                        self.at += 1;
                        objects >>= 1;
                        depth -= 1;
                    }
                    _ => return None,
                }
            }
        }
    }

    /// A member's name and the colon.
    #[inline]
    fn member(&mut self) -> Option<()> {
        self.key()?;
        self.accept(b':').then_some(())
    }

    /// A member's name.
    #[inline]
    fn key(&mut self) -> Option<()> {
        if self.peek()? != b'"' {
            return None;
        }
        self.string()
    }

    /// A string, from its quotation mark on.
    #[inline]
    fn string(&mut self) -> Option<()> {
        match plain_end(self.text.as_bytes(), self.at + 1) {
            Some(end) => {
                self.at = end;
                Some(())
            }
            None => self.slow_string(),
        }
    }

    /// A string in which something is special, or that stands at the end of the text.
    #[cold]
    fn slow_string(&mut self) -> Option<()> {
        self.at += 1;
        loop {
            let byte = *self.text.as_bytes().get(self.at)?;
            self.at += 1;
            match byte {
                b'"' => return Some(()),
                b'\\' => self.escape()?,
                0..0x20 => return None,
                _ => {}
            }
        }
    }

    /// What follows a backslash.
    #[cold]
    fn escape(&mut self) -> Option<()> {
        let byte = *self.text.as_bytes().get(self.at)?;
        self.at += 1;
        match byte {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(()),
            b'u' => match self.hex()? {
                // The first half of a character: the second must follow.
                0xd800..0xdc00 => {
                    let rest = self.text.as_bytes().get(self.at..)?;
                    self.at += 2;
                    (rest.starts_with(b"\\u") && (0xdc00..0xe000).contains(&self.hex()?)).then_some(())
                }
                0xdc00..0xe000 => None,
                _ => Some(()),
            },
            _ => None,
        }
    }

    /// Four hexadecimal digits.
    fn hex(&mut self) -> Option<u32> {
        let digits = self.text.as_bytes().get(self.at..self.at + 4)?;
        self.at += 4;
        digits.iter().try_fold(0, |n, d| Some(n << 4 | char::from(*d).to_digit(16)?))
    }

    fn word(&mut self, word: &str) -> Option<()> {
        let found = self.text.as_bytes().get(self.at..)?.starts_with(word.as_bytes());
        self.at += word.len();
        found.then_some(())
    }

    /// A number, which a float must be able to hold.
    fn number(&mut self) -> Option<()> {
        let start = self.at;
        self.next_is(b"-");
        if !self.next_is(b"0") && self.digits() == 0 {
            return None;
        }
        if self.next_is(b".") && self.digits() == 0 {
            return None;
        }
        let mut large = self.at - start > 300;
        if self.next_is(b"eE") {
            self.next_is(b"+-");
            if self.digits() == 0 {
                return None;
            }
            large = true;
        }
        let finite = !large || self.text.get(start..self.at)?.parse::<f64>().is_ok_and(f64::is_finite);
        finite.then_some(())
    }

    /// Goes past a byte if it is one of these.
    fn next_is(&mut self, any: &[u8]) -> bool {
        let found = self.text.as_bytes().get(self.at).is_some_and(|b| any.contains(b));
        self.at += usize::from(found);
        found
    }

    /// Goes past digits; how many they were.
    fn digits(&mut self) -> usize {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let count = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        self.at += count;
        count
    }
}

/// Where a string ends whose inside begins at `at`, one past its quotation mark, if nothing in it is special and it does not
/// stand at the end of the text.
#[inline]
fn plain_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    while let Some((chunk, _)) = bytes.get(at..).and_then(|rest| rest.split_first_chunk::<16>()) {
        let words = u128::from_le_bytes(*chunk);
        let (low, high) = (special(words as u64), special((words >> 64) as u64));
        if low | high != 0 {
            let n = if low != 0 { low.trailing_zeros() / 8 } else { 8 + high.trailing_zeros() / 8 } as usize;
            return (chunk[n] == b'"').then_some(at + n + 1);
        }
        at += 16;
    }
    None
}

/// The top bit of each of eight bytes that may not simply stand in a string: a quotation mark, a backslash, and all below
/// the first. A borrow can mark a byte wrongly, but only one after another that is marked rightly.
#[inline]
fn special(bytes: u64) -> u64 {
    const ONES: u64 = u64::MAX / 255;
    let low = bytes.wrapping_sub(ONES * (b'"' as u64 + 1));
    let backslash = (bytes ^ (ONES * b'\\' as u64)).wrapping_sub(ONES);
    (low | backslash) & !bytes & (ONES << 7)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(text: &str) {
        let ours = !matches!(Text::read(text), Text::Wrong);
        let theirs = serde_json::from_str::<serde_json::Value>(text);
        assert_eq!(ours, theirs.is_ok(), "{text:?}: {theirs:?}");
    }

    #[test]
    fn what_is_json_is_what_serde_json_takes() {
        let values = [
            "",
            " ",
            "1",
            "-1",
            "01",
            "-",
            "1.",
            ".5",
            "1.5",
            "1e5",
            "1e",
            "1E+5",
            "1e-5",
            "1e400",
            "-1e400",
            "1e-400",
            "0",
            "-0",
            "+1",
            "00",
            "0.0",
            "true",
            "tru",
            "truex",
            "null",
            "nul",
            "false",
            "\"",
            "\"a\"",
            "\"a",
            "\"\\",
            "\"\\\"",
            "\"\\n\\u0041\"",
            "\"\\x\"",
            "\"\\u12\"",
            "\"\\ud800\"",
            "\"\\ud800\\udc00\"",
            "\"\\udc00\"",
            "\"\\ud800\\ud800\"",
            "\"\\ud800x\"",
            "\"\t\"",
            "\"12345678\"",
            "\"1234567\u{1f}\"",
            "\"\u{7f}é\u{80}\"",
            "[]",
            "[1]",
            "[1,]",
            "[,]",
            "[1 2]",
            "[1,2]",
            "{}",
            "{\"a\":1}",
            "{\"a\"}",
            "{\"a\":}",
            "{a:1}",
            "{\"a\":1,}",
            "{,}",
            "{\"a\":1 \"b\":2}",
            "[}",
            "{]",
            "[",
            "{",
            "]",
            "1 2",
            " [ 1 , { \"a\" : [ ] } ] ",
            "[1]x",
            "\u{feff}1",
            "nulll",
            "[-]",
            "\u{c}1",
            "{\"a\":1,2}",
            "{1:1}",
        ];
        for text in values {
            same(text);
            same(&format!("[{text}]"));
            same(&format!("{{\"key of some length\": {text} }}"));
        }
        let digits = "9".repeat(400);
        same(&digits);
        same(&digits[..309]);
        same(&digits[..308]);
        for depth in [126, 127, 128, 129, 500] {
            same(&format!("{}{}", "[".repeat(depth), "]".repeat(depth)));
            same(&format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth)));
        }
    }

    #[test]
    fn a_text_cut_or_changed_anywhere() {
        let text =
            r#"{"a": [1, -2.5e3, true, null, "x\u00e9\n"], "b": {"c": {}, "long name of a member": []}}"#;
        for at in 0..text.len() {
            same(&text[..at]);
            for byte in "\"\\{}[],:0-e. \u{1}n".chars() {
                same(&format!("{}{byte}{}", &text[..at], &text[at..]));
                same(&format!("{}{byte}{}", &text[..at], &text[at + 1..]));
            }
        }
    }

    #[test]
    fn members_are_found() {
        let text = r#" {"a" : {"x": 1}, "b": [1, "zwei", []], "\u0061": {"x": -7, "y": 1.5}, "e":{}} "#;
        let Text::Object(object) = Text::read(text) else { panic!("an object") };
        let a = object.object("a").expect("an object");
        assert!(a.get("x").is_some_and(|x| x.u64().is_none() && x.is_negative_integer() && x.is_number()));
        assert_eq!(a.get("y").and_then(Value::f64), Some(1.5));
        let b: Vec<_> = object.get("b").and_then(Value::elements).expect("a list").collect();
        assert_eq!((b.len(), b[0].u64(), b[1].str().as_deref()), (3, Some(1), Some("zwei")));
        assert!(b[2].elements().is_some_and(|mut e| e.next().is_none()) && object.object("b").is_none());
        assert_eq!(object.object("e").map(|e| e.names().count()), Some(0));
        assert_eq!(object.names().count(), 3);
    }
}
