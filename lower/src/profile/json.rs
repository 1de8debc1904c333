//! JSON, read for the few members that are asked for.
//!
//! A profile holds some thousand facts, most of them about image formats; a Target takes a hundred. So the text is
//! checked once, eight bytes at a time where strings are long, and nothing is made of it. What is then asked for is
//! found by walking over the rest in the same way. Texts that serde_json would refuse are refused (the tests compare
//! both).

use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::cell::OnceCell;

/// So deep may values stand in each other, and one less; serde_json's limit, too.
const MAX_DEPTH: u32 = 128;

/// A value in a text that was checked.
#[derive(Debug, Clone, Copy)]
pub(super) struct Value<'a> {
    /// The value without what stands around it.
    text: &'a str,
}

impl<'a> Value<'a> {
    /// The value that a text consists of; `None` where it is no JSON.
    pub fn check(text: &'a str) -> Option<Value<'a>> {
        let mut scanner = Scanner { text, at: 0 };
        let value = scanner.value()?;
        (scanner.peek().is_none() && scanner.at == text.len()).then_some(value)
    }

    /// The members of an object, in order.
    pub fn members(self) -> Option<Members<'a>> {
        let inside = self.text.strip_prefix('{')?;
        Some(Members(Scanner { text: inside, at: 0 }))
    }

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

/// The members of an object.
pub(super) struct Members<'a>(Scanner<'a>);

impl<'a> Iterator for Members<'a> {
    type Item = (Cow<'a, str>, Value<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.accept(b',');
        let key = match self.0.peek()? {
            b'"' => self.0.value()?.str()?,
            _ => return None,
        };
        self.0.accept(b':');
        Some((key, self.0.value()?))
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
            _ => self.0.value(),
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

impl<'a> Object<'a> {
    /// The object that a value is.
    pub fn new(value: Value<'a>) -> Option<Object<'a>> {
        let members = value.members()?.map(|(key, value)| (key, Member { value, object: OnceCell::new() }));
        Some(Object { members: members.collect() })
    }

    /// A member.
    pub fn get(&self, name: &str) -> Option<Value<'a>> {
        self.members.get(name).map(|m| m.value)
    }

    /// A member that is an object.
    pub fn object(&self, name: &str) -> Option<&Object<'a>> {
        let member = self.members.get(name)?;
        member.object.get_or_init(|| Object::new(member.value).map(Box::new)).as_deref()
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
            if !matches!(byte, b' ' | b'\n' | b'\t' | b'\r') {
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

    /// Goes past one value and all that it holds, checking it.
    fn value(&mut self) -> Option<Value<'a>> {
        self.peek()?;
        let start = self.at;
        // What is open: whether an object, the innermost in the lowest bit.
        let (mut objects, mut depth) = (0u128, 0);
        loop {
            match self.peek()? {
                open @ (b'{' | b'[') => {
                    self.at += 1;
                    let object = open == b'{';
                    depth += 1;
                    if depth >= MAX_DEPTH {
                        return None;
                    }
                    objects = objects << 1 | u128::from(object);
                    let empty = self.peek()? == if object { b'}' } else { b']' };
                    if !empty {
                        if object {
                            self.key()?;
                        }
                        continue;
                    }
                }
                b'"' => self.string()?,
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
                            self.key()?;
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
    fn key(&mut self) -> Option<()> {
        if self.peek()? != b'"' {
            return None;
        }
        self.string()?;
        self.accept(b':').then_some(())
    }

    /// A string, from its quotation mark on.
    #[inline]
    fn string(&mut self) -> Option<()> {
        let bytes = self.text.as_bytes();
        self.at += 1;
        loop {
            while let Some(chunk) = bytes.get(self.at..).and_then(<[u8]>::first_chunk::<8>) {
                match special(u64::from_le_bytes(*chunk)) {
                    None => self.at += 8,
                    Some(n) => {
                        self.at += n;
                        break;
                    }
                }
            }
            let byte = *bytes.get(self.at)?;
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

/// Which of eight bytes is the first that does not simply stand in a string: a quotation mark, a backslash or a control
/// character. A borrow can mark a byte wrongly, but only one after another that is marked rightly.
#[inline]
fn special(bytes: u64) -> Option<usize> {
    const ONES: u64 = u64::MAX / 255;
    let zeros = |x: u64| x.wrapping_sub(ONES) & !x;
    let control = bytes.wrapping_sub(ONES * 0x20) & !bytes;
    let found = (zeros(bytes ^ (ONES * 0x22)) | zeros(bytes ^ (ONES * 0x5c)) | control) & (ONES << 7);
    (found != 0).then_some(found.trailing_zeros() as usize / 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(text: &str) {
        let ours = Value::check(text).is_some();
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
        let object = Object::new(Value::check(text).expect("JSON")).expect("an object");
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
