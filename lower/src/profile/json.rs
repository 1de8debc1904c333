//! A JSON reader for few members.
//!
//! A profile has some thousand facts, most of them about image formats; a Target needs a hundred. One walk checks the text, eight bytes
//! at a time in long strings, and records the members of the outermost objects. Everything else is parsed on request. Objects with the
//! same bytes, as for image formats, are checked once. Texts that serde_json refuses are refused (the tests compare both).

use std::borrow::Cow;

/// The largest nesting of values plus one, as in serde_json.
const MAX_DEPTH: u32 = 128;
/// The member of a block that is most of a profile and that no Target looks into: it is not indexed.
const NOT_INDEXED: &str = "formats";
/// The depth of the objects whose text repeats: a format is as others are.
const AROUND_REPEATED: u32 = 1;
/// The number of texts that are kept for comparison.
const REMEMBERED: usize = 32;
/// The depth of the objects that contain blocks: the file and its `capabilities`.
const AROUND_BLOCKS: u32 = 2;

/// A value in a text that was checked.
#[derive(Debug, Clone, Copy)]
pub(super) struct Value<'a> {
    /// The value without surrounding text.
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

    /// Returns whether the value is a number.
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

    /// Returns whether the value is an integer below zero, not written as a float.
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

/// The members of all recorded objects, in the order of the text. Those of an inner object follow the member whose value it is.
#[derive(Debug)]
pub(super) struct Index<'a> {
    text: &'a str,
    members: Vec<Member<'a>>,
}

#[derive(Debug)]
struct Member<'a> {
    name: Cow<'a, str>,
    /// The range of the value.
    start: u32,
    end: u32,
    /// The index of the object's next member, or of the entry after the object.
    next: u32,
    /// The value is an object, whose members come next.
    is_object: bool,
}

/// An object whose members can be found by name. The last of several with one name counts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Object<'o, 'a> {
    index: &'o Index<'a>,
    start: u32,
    end: u32,
}

/// The kind of a text.
pub(super) enum Text<'a> {
    Object(Index<'a>),
    /// JSON, but no object.
    Other,
    Wrong,
}

impl<'a> Text<'a> {
    /// Checks and indexes a text.
    pub fn read(text: &'a str) -> Text<'a> {
        let mut scanner = Scanner { text, at: 0 };
        let found = match scanner.peek() {
            Some(b'{') => {
                // A member of what is indexed takes some thirty bytes, and four fifths are formats.
                let mut members = Vec::with_capacity((text.len() / 128).min(1 << 16));
                scanner.object(0, &mut members).map(|()| Text::Object(Index { text, members }))
            }
            _ => scanner.value(0).map(|_| Text::Other),
        };
        let ended = scanner.peek().is_none() && scanner.at == text.len();
        found.filter(|_| ended).unwrap_or(Text::Wrong)
    }
}

impl<'a> Index<'a> {
    /// The outermost object.
    pub fn root(&self) -> Object<'_, 'a> {
        Object { index: self, start: 0, end: self.members.len() as u32 }
    }
}

impl<'o, 'a> Object<'o, 'a> {
    /// The places of the members and they themselves, in order.
    fn members(self) -> impl Iterator<Item = (u32, &'o Member<'a>)> {
        let mut at = self.start;
        std::iter::from_fn(move || {
            let member = self.index.members.get(at as usize).filter(|_| at < self.end)?;
            let place = std::mem::replace(&mut at, member.next);
            Some((place, member))
        })
    }

    fn find(self, name: &str) -> Option<(u32, &'o Member<'a>)> {
        self.members().filter(|(_, m)| m.name == name).last()
    }

    /// A member.
    pub fn get(self, name: &str) -> Option<Value<'a>> {
        let (_, member) = self.find(name)?;
        let text = self.index.text.get(member.start as usize..member.end as usize)?;
        Some(Value { text })
    }

    /// A member that is an object.
    pub fn object(self, name: &str) -> Option<Object<'o, 'a>> {
        let (place, member) = self.find(name).filter(|(_, m)| m.is_object)?;
        Some(Object { index: self.index, start: place + 1, end: member.next })
    }

    /// The names of the members, in order.
    pub fn names(self) -> impl Iterator<Item = &'o str> {
        self.members().map(|(_, m)| m.name.as_ref())
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

    /// Goes past an object, from its brace on, and lists its members and those of the objects in it; `outer` objects are around it.
    fn object(&mut self, outer: u32, members: &mut Vec<Member<'a>>) -> Option<()> {
        if outer + 1 >= MAX_DEPTH {
            return None;
        }
        self.at += 1;
        if self.peek()? == b'}' {
            self.at += 1;
            return Some(());
        }
        loop {
            let start = self.at;
            let plain = self.key()?;
            let name = match plain {
                true => Cow::Borrowed(self.text.get(start + 1..self.at - 1)?),
                false => Value { text: self.text.get(start..self.at)? }.str()?,
            };
            if !self.accept(b':') {
                return None;
            }
            let is_object = self.peek()? == b'{' && !(outer == AROUND_BLOCKS && name == NOT_INDEXED);
            let place = members.len();
            // A text beyond 4 GiB is no profile.
            let start = u32::try_from(self.at).ok()?;
            members.push(Member { name, start, end: 0, next: 0, is_object });
            if is_object {
                self.object(outer + 1, members)?;
            } else {
                self.value(outer + 1)?;
            }
            let next = members.len() as u32;
            let member = members.get_mut(place)?;
            (member.end, member.next) = (self.at as u32, next);
            match self.peek()? {
                b',' => self.at += 1,
                b'}' => break,
                _ => return None,
            }
            self.peek()?;
        }
        self.at += 1;
        Some(())
    }

    /// Goes past one value and all that it holds, checking it; `outer` values are around it.
    fn value(&mut self, outer: u32) -> Option<Value<'a>> {
        let first = self.peek()?;
        let start = self.at;
        match first {
            b'{' | b'[' => self.composite(outer)?,
            other => self.scalar(other)?,
        }
        Some(Value { text: self.text.get(start..self.at)? })
    }

    /// Goes past a string, a number or a word that begins with a byte.
    #[inline]
    fn scalar(&mut self, first: u8) -> Option<()> {
        match first {
            b'"' => self.string().map(|_| ()),
            b't' => self.word("true"),
            b'f' => self.word("false"),
            b'n' => self.word("null"),
            _ => self.number(),
        }
    }

    /// Goes past an object or a list, from its bracket on; `outer` values are around it. It is not inlined: most values are scalars, and would
    /// pay for its state.
    #[inline(never)]
    fn composite(&mut self, outer: u32) -> Option<()> {
        // The open values: one bit for each, set for an object, the innermost lowest.
        let (mut objects, mut depth) = (0u128, 0);
        // The texts of objects at one depth, the last first, and where the one begins that is open.
        let (mut known, mut opened) = (Vec::new(), 0);
        loop {
            let first = self.peek()?;
            match first {
                b'{' if depth == AROUND_REPEATED && self.repeated(&mut known) => {}
                open @ (b'{' | b'[') => {
                    if depth == AROUND_REPEATED {
                        opened = self.at;
                    }
                    self.at += 1;
                    let object = open == b'{';
                    depth += 1;
                    if outer + depth >= MAX_DEPTH {
                        return None;
                    }
                    objects = objects << 1 | u128::from(object);
                    let empty = self.peek()? == if object { b'}' } else { b']' };
                    // Most of a profile are lists of flags.
                    if !empty && (object || !self.plain_strings()) {
                        if object {
                            self.member()?;
                        }
                        continue;
                    }
                }
                other => self.scalar(other)?,
            }
            // After a value: what is open goes on or ends.
            loop {
                if depth == 0 {
                    return Some(());
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
                        if object && depth == AROUND_REPEATED {
                            known.truncate(REMEMBERED - 1);
                            known.insert(0, self.text.as_bytes().get(opened..self.at)?);
                        }
                    }
                    _ => return None,
                }
            }
        }
    }

    /// Skips an object whose text equals a known one, for which all checks were done.
    fn repeated(&mut self, known: &mut [&'a [u8]]) -> bool {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let Some(place) = known.iter().position(|text| rest.starts_with(text)) else { return false };
        self.at += known[place].len();
        known[..=place].rotate_right(1);
        true
    }

    /// Goes past what a list holds, to its end, if that is plain strings with no white space between.
    #[inline]
    fn plain_strings(&mut self) -> bool {
        let mut bytes = self.text.as_bytes().get(self.at..).unwrap_or_default();
        while let [b'"', inside @ ..] = bytes {
            match plain_end(inside) {
                Some([b',', rest @ ..]) => bytes = rest,
                Some(rest @ [b']', ..]) => {
                    self.at = self.text.len() - rest.len();
                    return true;
                }
                _ => return false,
            }
        }
        false
    }

    /// A member's name and the colon.
    #[inline]
    fn member(&mut self) -> Option<()> {
        self.key()?;
        self.accept(b':').then_some(())
    }

    /// A member's name, and whether it has no escapes.
    #[inline]
    fn key(&mut self) -> Option<bool> {
        if self.peek()? != b'"' {
            return None;
        }
        self.string()
    }

    /// A string, from its quotation mark on, and whether it certainly has no escapes.
    #[inline]
    fn string(&mut self) -> Option<bool> {
        match plain_end(self.text.as_bytes().get(self.at + 1..)?) {
            Some(rest) => {
                self.at = self.text.len() - rest.len();
                Some(true)
            }
            None => self.slow_string(),
        }
    }

    /// A string with escapes, or at the end of the text.
    #[cold]
    fn slow_string(&mut self) -> Option<bool> {
        self.at += 1;
        loop {
            let byte = *self.text.as_bytes().get(self.at)?;
            self.at += 1;
            match byte {
                b'"' => return Some(false),
                b'\\' => self.escape()?,
                0..0x20 => return None,
                _ => {}
            }
        }
    }

    /// The escape after a backslash.
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

/// The rest after a string whose contents the bytes begin with. `None` if the string has escapes or ends near the end of the text.
#[inline(always)]
fn plain_end(mut bytes: &[u8]) -> Option<&[u8]> {
    loop {
        let chunk = bytes.first_chunk::<32>()?;
        // In this form it is few tests of sixteen bytes.
        if chunk.iter().fold(false, |any, b| any | (*b <= b'"' || *b == b'\\')) {
            let mut words = chunk.as_chunks::<8>().0.iter().map(|word| special(u64::from_le_bytes(*word)));
            let (n, marks) = (0..).zip(&mut words).find(|(_, marks)| *marks != 0)?;
            let (b'"', rest) = bytes.get(8 * n + marks.trailing_zeros() as usize / 8..)?.split_first()?
            else {
                return None;
            };
            return Some(rest);
        }
        bytes = &bytes[32..];
    }
}

/// The top bit of each of eight bytes that may not occur plainly in a string: a quotation mark, a backslash, and control characters. A
/// borrow can mark a byte wrongly, but only after another that is marked rightly.
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
        let text = r#"{"a": [1, -2.5e3, true, null, "x\u00e9\n"], "b": {"c": {}, "f": ["A_BIT","B_BIT","C"], "long name of a member": []}}"#;
        // Objects with the same bytes, adjacent and not.
        let again =
            r#"[{"f":{"p":["A"]},"g":{"p":["A"]},"h":{}},[{"p":["A"]},{"q":{}},{"p":["A"]}, {},{"q":{} }]]"#;
        for (text, at) in [text, again].into_iter().flat_map(|t| (0..t.len()).map(move |at| (t, at))) {
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
        let Text::Object(index) = Text::read(text) else { panic!("an object") };
        let object = index.root();
        let a = object.object("a").expect("an object");
        assert!(a.get("x").is_some_and(|x| x.u64().is_none() && x.is_negative_integer() && x.is_number()));
        assert_eq!(a.get("y").and_then(Value::f64), Some(1.5));
        let b: Vec<_> = object.get("b").and_then(Value::elements).expect("a list").collect();
        assert_eq!((b.len(), b[0].u64(), b[1].str().as_deref()), (3, Some(1), Some("zwei")));
        assert!(b[2].elements().is_some_and(|mut e| e.next().is_none()) && object.object("b").is_none());
        assert_eq!(object.object("e").map(|e| e.names().count()), Some(0));
        assert_eq!(object.names().collect::<Vec<_>>(), ["a", "b", "a", "e"]);
    }
}
