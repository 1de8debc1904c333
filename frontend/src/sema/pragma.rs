//! The pragmas that syntax trees have (§6.12.11 of OpenCL C): `unroll`, `OPENCL EXTENSION`,
//! `OPENCL FP_CONTRACT`.

use super::attribute::unroll_hint;
use super::context::Sema;
use crate::diag::{Diagnostic, edit_distance};
use crate::hir::UnrollHint;
use crate::options::Optional;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::syntax::statement::Tokens;
use crate::token::TokenKind;

impl Sema<'_> {
    /// Does what pragmas say; gives the unroll hint for the loop that follows, if one was among them.
    pub(super) fn pragmas(&mut self, (start, end): Tokens) -> Option<(UnrollHint, Span)> {
        let mut unroll = None;
        for index in start..end {
            let token = self.token(index);
            let TokenKind::Pragma(text) = token.kind else { continue };
            if let Some(hint) = self.pragma(text, token.span) {
                unroll = Some((hint, token.span));
            }
        }
        unroll
    }

    fn pragma(&mut self, text: Symbol, span: Span) -> Option<UnrollHint> {
        let text = self.symbols.shared(text);
        let words = split_words(&text);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words.as_slice() {
            ["unroll"] => Some(UnrollHint::Full),
            ["nounroll"] => Some(UnrollHint::Disable),
            ["unroll", count @ ..] => self.pragma_unroll(count, span),
            ["OPENCL" | "STDC", "FP_CONTRACT", switch] => {
                self.pragma_fp_contract(switch, span);
                None
            }
            ["clang", "fp", "contract", "(", switch, ")"] => {
                match *switch {
                    "on" | "fast" => self.set_contraction(true),
                    "off" => self.set_contraction(false),
                    _ => {
                        let message = "'contract' is on, off or fast; this pragma is ignored";
                        self.warning("unknown-pragma", span, message);
                    }
                }
                None
            }
            ["OPENCL", "EXTENSION", rest @ ..] => {
                self.pragma_extension(rest, span);
                None
            }
            ["once", ..] | ["clang" | "GCC", "diagnostic", ..] | ["STDC", ..] => None,
            ["clang", "loop", rest @ ..] => clang_loop(rest),
            ["pack", rest @ ..] => {
                self.pragma_pack(rest, span);
                None
            }
            _ => {
                self.warning("unknown-pragma", span, "unknown pragma is ignored");
                None
            }
        }
    }

    fn pragma_unroll(&mut self, count: &[&str], span: Span) -> Option<UnrollHint> {
        let digits = match count {
            ["(", n, ")"] | [n] => *n,
            _ => "",
        };
        let number = digits.trim_end_matches(['u', 'U', 'l', 'L']);
        match number.parse::<u32>() {
            Ok(n) => Some(unroll_hint(n)),
            Err(_) => {
                self.warning(
                    "unknown-pragma",
                    span,
                    "'#pragma unroll' takes a positive integer constant; the count is ignored",
                );
                Some(UnrollHint::Full)
            }
        }
    }

    /// `pack(n)`, `pack()`, `pack(push)`, `pack(push, n)`, `pack(pop)`; a name after `push` or `pop` is a label
    /// that nothing here needs.
    fn pragma_pack(&mut self, rest: &[&str], span: Span) {
        let inside: Vec<&str> = match rest {
            ["(", inside @ .., ")"] => inside.iter().copied().filter(|w| *w != ",").collect(),
            _ => {
                self.warning(
                    "unknown-pragma",
                    span,
                    "'#pragma pack' takes its arguments in parentheses; it is ignored",
                );
                return;
            }
        };
        let number = inside.iter().find_map(|w| w.parse::<u32>().ok());
        if number.is_some_and(|n| n > 128 || (n != 0 && !n.is_power_of_two())) {
            self.warning(
                "unknown-pragma",
                span,
                "'#pragma pack' takes a power of two of at most 128; it is ignored",
            );
            return;
        }
        match inside.first() {
            None => self.pack = None,
            Some(&"show") => {}
            Some(&"push") => self.pack_stack.push(self.pack),
            Some(&"pop") => match self.pack_stack.pop() {
                Some(before) => self.pack = before,
                None => {
                    self.warning("unknown-pragma", span, "'#pragma pack(pop)' without a push before it");
                }
            },
            Some(_) if number.is_some() => {}
            Some(_) => {
                self.warning(
                    "unknown-pragma",
                    span,
                    "'#pragma pack' takes a number, 'push' or 'pop'; it is ignored",
                );
                return;
            }
        }
        if let Some(number) = number {
            self.pack = (number != 0).then_some(number);
        }
    }

    /// Switches contraction for the rest of the block or the file.
    fn set_contraction(&mut self, on: bool) {
        self.fp_contract = on;
        if let Some(function) = &mut self.function {
            function.contraction_off |= !on;
        }
    }

    fn pragma_fp_contract(&mut self, switch: &str, span: Span) {
        match switch {
            "ON" | "DEFAULT" => self.set_contraction(true),
            "OFF" => self.set_contraction(false),
            _ => {
                self.warning(
                    "unknown-pragma",
                    span,
                    "FP_CONTRACT is ON, OFF or DEFAULT; this pragma is ignored",
                );
            }
        }
    }

    /// Whether a device has an extension is known beforehand; enabling and disabling therefore
    /// change nothing, but the form is checked.
    fn pragma_extension(&mut self, rest: &[&str], span: Span) {
        let [name, ":", behaviour] = rest else {
            let message = "expected '#pragma OPENCL EXTENSION name : behavior'; this pragma is ignored";
            let colon = match rest {
                [name, behaviour @ ("enable" | "disable")] => Some(extension_pragma(name, behaviour)),
                _ => None,
            };
            let diagnostic = self.warning("unknown-pragma", span, message);
            propose_pragma(diagnostic, span, colon);
            return;
        };
        if !matches!(*behaviour, "enable" | "disable" | "begin" | "end") {
            let message = format!("extension behavior '{behaviour}' is neither 'enable' nor 'disable'");
            let near = ["enable", "disable"].into_iter().find(|b| edit_distance(behaviour, b).is_some());
            let diagnostic = self.warning("unknown-pragma", span, message);
            propose_pragma(diagnostic, span, near.map(|b| extension_pragma(name, b)));
        } else if *name == "all" && *behaviour == "enable" {
            self.warning("unknown-pragma", span, "'all' can only be disabled");
        } else if *behaviour == "enable" && self.known_extension(name) == Some(false) {
            let message = format!("extension '{name}' is not supported by this device");
            self.warning("unsupported-extension", span, message);
        } else if *name != "all" && self.known_extension(name).is_none() {
            let message = format!("unknown OpenCL extension '{name}' is ignored");
            let near = Optional::similar_extension(name, edit_distance);
            let diagnostic = self.warning("unknown-extension", span, message);
            if let Some(near) = near {
                diagnostic.remark(format!("did you mean '{near}'?"));
            }
            propose_pragma(diagnostic, span, near.map(|near| extension_pragma(near, behaviour)));
        }
    }

    /// Returns whether the device has an extension; `None` for a name that nothing here knows.
    fn known_extension(&self, name: &str) -> Option<bool> {
        let found = Optional::find(name).filter(|o| !o.is_feature())?;
        Some(found.is_in(self.options.features))
    }
}

/// `#pragma clang loop unroll(full|disable|enable)` and `unroll_count(n)`.
fn clang_loop(words: &[&str]) -> Option<UnrollHint> {
    match words {
        ["unroll", "(", "full" | "enable", ")", ..] => Some(UnrollHint::Full),
        ["unroll", "(", "disable", ")", ..] => Some(UnrollHint::Disable),
        ["unroll_count", "(", n, ")", ..] => n.parse().ok().map(unroll_hint),
        _ => None,
    }
}

/// Words and single punctuation characters.
fn split_words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut in_word = false;
    for c in text.chars() {
        let is_word = c.is_alphanumeric() || c == '_';
        if c.is_whitespace() {
            in_word = false;
        } else if is_word && in_word {
            if let Some(last) = words.last_mut() {
                last.push(c);
            }
        } else {
            words.push(c.to_string());
            in_word = is_word;
        }
    }
    words
}

fn extension_pragma(name: &str, behaviour: &str) -> String {
    format!("OPENCL EXTENSION {name} : {behaviour}")
}

/// Proposes what to write behind `#pragma`. The text of a `_Pragma` is no text of the source: `span` is that word's.
fn propose_pragma(diagnostic: &mut Diagnostic, span: Span, text: Option<String>) {
    const OPERATOR: usize = "_Pragma".len();
    if let Some(text) = text.filter(|_| (span.hi.saturating_sub(span.lo)) as usize > OPERATOR) {
        diagnostic.replace(span, text);
    }
}
