//! Calls of `printf` (§6.15.14).

use super::context::Sema;
use super::convert::{error_expr, is_error};
use super::printf_format::Format;
use crate::hir::{Constant, Expr, ExprKind};
use crate::options::{Features, LangVersion};
use crate::source::Span;
use crate::types::{AddressSpace, Scalar, Type, Types};

impl Sema<'_> {
    /// `printf(format, …)` (§6.15.14): the format is a string literal.
    pub(super) fn call_printf(&mut self, args: Vec<Expr>, at: Span, span: Span) -> Expr {
        let mut args = args.into_iter();
        let format = match args.next() {
            // The literal of the format alone: no call of printf is void.
            Some(Expr { kind: ExprKind::Printf { format, .. }, ty, .. }) if ty.ty == Types::VOID => {
                Some(Format::Text(format))
            }
            Some(first) if is_error(&first) => return error_expr(span),
            Some(first) => self.formats(&first),
            None => None,
        };
        let Some(format) = format else {
            self.error("printf-format", at, "the format of printf must be a string literal")
                .remark("or a constant of program scope, or chosen by '?:' of such");
            return error_expr(span);
        };
        let mut promoted = Vec::with_capacity(args.len());
        for arg in args {
            let arg = self.to_rvalue(arg);
            promoted.push(self.promote_variadic(arg));
        }
        if promoted.iter().any(is_error) || !promoted.iter().all(|arg| self.is_printable(arg)) {
            return error_expr(span);
        }
        let mut texts = Vec::new();
        format.texts(&mut texts);
        for text in texts {
            self.check_printf(text, &promoted, at);
        }
        self.printf_calls(format, &promoted, span)
    }

    /// The text of a string in `__constant` memory.
    pub(super) fn string_of(&self, e: &Expr) -> Option<Vec<u8>> {
        let (ExprKind::Global(id), Type::Array(element, _)) = (&e.kind, self.types.get(e.ty.ty)) else {
            return None;
        };
        let global = self.globals.get(id.0 as usize)?;
        let Some(Constant::Array(chars)) = &global.init else { return None };
        if global.ty.space != AddressSpace::Constant || element.ty != Types::scalar(Scalar::Char) {
            return None;
        }
        let bytes = chars.iter().map(|c| if let Constant::Int(i) = c { *i as u8 } else { 0 });
        Some(bytes.take_while(|b| *b != 0).collect())
    }

    /// The default argument promotions: float to double where the device has double (§6.15.14.2).
    fn promote_variadic(&mut self, e: Expr) -> Expr {
        let to = match self.types.scalar_and_lanes(e.ty.ty) {
            Some((Scalar::Half | Scalar::Float, 1)) if self.options.features.contains(Features::FP64) => {
                Scalar::Double
            }
            Some((Scalar::Half, 1)) => Scalar::Float,
            _ => return self.promote(e),
        };
        self.cast_arithmetic(e, Types::scalar(to))
    }

    /// Returns whether a value can be an argument: scalars, vectors and pointers can.
    fn is_printable(&mut self, arg: &Expr) -> bool {
        let printable =
            self.types.scalar_and_lanes(arg.ty.ty).is_some() || self.types.pointee(arg.ty.ty).is_some();
        if !printable {
            let message = format!("a value of type '{}' cannot be printed", self.type_id_text(arg.ty.ty));
            self.error("printf-format", arg.span, message);
        }
        printable
    }

    /// Warns of what the format and the arguments leave undefined.
    fn check_printf(&mut self, format: &[u8], args: &[Expr], at: Span) {
        let conversions = conversions(format);
        if conversions.len() != args.len() {
            let (wanted, found) = (conversions.len(), args.len());
            let message = format!("the format has {wanted} conversions, {found} arguments are given");
            self.warning("printf-format", at, message);
            return;
        }
        for (conversion, arg) in conversions.iter().zip(args) {
            let problem = match conversion.unsupported(self.options.std) {
                Some(problem) => problem,
                None => match self.wanted(conversion, arg) {
                    Some(wanted) => {
                        format!("takes {wanted}, the argument is of type '{}'", self.type_id_text(arg.ty.ty))
                    }
                    None => continue,
                },
            };
            self.warning(
                "printf-format",
                arg.span,
                format!("the conversion '{}' {problem}", conversion.text),
            );
        }
    }

    /// Returns what a conversion takes, when the argument is something else.
    fn wanted(&self, conversion: &Conversion, arg: &Expr) -> Option<String> {
        match conversion.letter {
            b's' => return (!self.is_string(arg)).then(|| "a string literal".to_owned()),
            b'p' => return self.types.pointee(arg.ty.ty).is_none().then(|| "a pointer".to_owned()),
            _ => {}
        }
        let float = matches!(conversion.letter.to_ascii_lowercase(), b'f' | b'e' | b'g' | b'a');
        let kind = if float { "a floating-point number" } else { "an integer" };
        let Some((scalar, lanes)) = self.types.scalar_and_lanes(arg.ty.ty) else {
            return Some(kind.to_owned());
        };
        let bytes = match (conversion.length.as_str(), lanes) {
            ("hh" | "h", 1) => 4,
            ("hh", _) => 1,
            ("h", _) => 2,
            ("hl", _) => 4,
            ("l", _) => 8,
            ("z" | "t", _) => self.options.address_width.bytes(),
            // A promoted number: a double, or a float where there are none.
            _ if float => scalar.size(),
            _ => 4,
        };
        if conversion.lanes != lanes {
            return Some(match conversion.lanes {
                1 => kind.to_owned(),
                lanes => format!("a vector of {lanes} components"),
            });
        }
        let fits = scalar.is_float() == float && (scalar.size() == bytes || (float && lanes == 1));
        (!fits).then(|| {
            format!("{kind} of {} bits{}", 8 * bytes, if lanes > 1 { " in each component" } else { "" })
        })
    }

    /// Returns whether an expression points to characters in constant memory: a literal (§6.15.14.2), or one that a table has.
    fn is_string(&self, e: &Expr) -> bool {
        self.types.pointee(e.ty.ty).is_some_and(|to| {
            to.space == AddressSpace::Constant && matches!(self.types.get(to.ty), Type::Scalar(Scalar::Char))
        })
    }
}

/// A conversion specification.
struct Conversion {
    /// As written.
    text: String,
    /// The vector specifier's number, or 1.
    lanes: u8,
    length: String,
    letter: u8,
}

impl Conversion {
    /// Why a conversion is not OpenCL C's (§6.15.14.3).
    fn unsupported(&self, lang: LangVersion) -> Option<String> {
        if self.letter == b'*' {
            return Some(
                "takes its width or precision from an argument, which OpenCL C does not know".to_owned(),
            );
        }
        let length = self.length.as_str();
        match length {
            "ll" | "j" | "L" => Some(format!("has the length modifier '{length}', which OpenCL C reserves")),
            "z" | "t" if lang.number() < 310 => {
                Some(format!("has the length modifier '{length}', which OpenCL C reserves before 3.1"))
            }
            "hl" if self.lanes == 1 => Some("has the length modifier 'hl', which is for vectors".to_owned()),
            "" if self.lanes > 1 => Some("has a vector specifier without a length modifier".to_owned()),
            _ => None,
        }
    }
}

/// The arguments that a format asks for: one for each conversion, and one for each `*` before it.
fn conversions(format: &[u8]) -> Vec<Conversion> {
    let mut list = Vec::new();
    let mut rest = format;
    while let Some(start) = rest.iter().position(|b| *b == b'%') {
        let source = &rest[start..];
        let (mut at, mut stars, mut lanes) = (1, 0, 1);
        let skip = |at: &mut usize, set: &[u8]| {
            let from = *at;
            *at += source[from..].iter().take_while(|b| set.contains(b)).count();
            &source[from..*at]
        };
        skip(&mut at, b"-+ #0");
        let numbers = skip(&mut at, b"0123456789.*");
        stars += numbers.iter().filter(|b| **b == b'*').count();
        if source.get(at) == Some(&b'v') {
            at += 1;
            let number = String::from_utf8_lossy(skip(&mut at, b"0123456789"));
            lanes = number.parse().unwrap_or(0);
        }
        let length = String::from_utf8_lossy(skip(&mut at, b"hljztL")).into_owned();
        let letter = source.get(at).copied().unwrap_or(0);
        rest = &source[(at + 1).min(source.len())..];
        if letter == b'%' || !b"dioucxXfFeEgGaAsp".contains(&letter) {
            continue;
        }
        let text = String::from_utf8_lossy(&source[..=at]).into_owned();
        for _ in 0..stars {
            list.push(Conversion { text: text.clone(), lanes: 1, length: String::new(), letter: b'*' });
        }
        list.push(Conversion { text, lanes, length, letter });
    }
    list
}

#[cfg(test)]
mod tests {
    use super::conversions;

    #[test]
    fn conversions_of_a_format_are_found() {
        let texts = |format: &[u8]| conversions(format).iter().map(|c| c.text.clone()).collect::<Vec<_>>();
        assert_eq!(texts(b"%d %v4hlf %% %s\n"), ["%d", "%v4hlf", "%s"]);
        assert_eq!(texts(b"%*.*f"), ["%*.*f"; 3]);
        assert!(texts(b"plain %").is_empty());
        assert!(texts(b"%y%").is_empty());
    }
}
