//! Diagnostics: many per run, each with a stable id, rendered with the source line ([`render`]); some know the change
//! of the source that would mend it ([`Replacement`], [`fix`]).

pub mod fix;
pub mod ids;
mod render;
mod similar;

pub use render::{Style, render, render_one};
pub(crate) use similar::edit_distance;

use crate::options::Options;
use crate::source::Span;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Severity {
    Warning,
    Error,
}

/// A further place or remark that belongs to a diagnostic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Where; `None` for a remark without a place.
    pub span: Option<Span>,
    /// What it says.
    pub message: String,
}

/// A change of the source text that would mend what a diagnostic is about: `span` gives way to `text`. An empty span is
/// a place to insert at, an empty text removes.
///
/// The front end may propose changes of text that came out of a macro; [`fix`] leaves those out, as they would hold for
/// every use of the macro.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// What goes.
    pub span: Span,
    /// What comes.
    pub text: String,
}

/// One error or warning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// A stable id in kebab-case (`undeclared-identifier`), what tests and `-W` options name.
    pub id: &'static str,
    /// Error or warning.
    pub severity: Severity,
    /// Where.
    pub span: Span,
    /// The message: lower case, no full stop, names in `‘’`-free plain quotes: 'x'.
    pub message: String,
    /// Notes, in the order that explains best.
    pub notes: Vec<Note>,
    /// The changes that mend it, all of them together.
    pub replacements: Vec<Replacement>,
}

/// The diagnostics of one run.
#[derive(Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    errors: usize,
    no_warnings: bool,
    warnings_are_errors: bool,
    error_limit: usize,
    parseable_fixits: bool,
}

impl Diagnostics {
    /// None yet. `-w`, `-Werror` and the error limit come from the options.
    pub fn new(options: &Options) -> Self {
        Diagnostics {
            no_warnings: options.no_warnings,
            warnings_are_errors: options.warnings_are_errors,
            error_limit: options.error_limit,
            parseable_fixits: options.parseable_fixits,
            ..Self::default()
        }
    }

    /// Reports an error; more notes can be added to what it returns.
    pub fn error(&mut self, id: &'static str, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        self.errors += 1;
        self.push(id, Severity::Error, span, message.into())
    }

    /// Reports a warning (an error under `-Werror`; kept out of the list under `-w`).
    pub fn warning(&mut self, id: &'static str, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        if self.warnings_are_errors && !self.no_warnings {
            return self.error(id, span, message);
        }
        self.push(id, Severity::Warning, span, message.into())
    }

    fn push(&mut self, id: &'static str, severity: Severity, span: Span, message: String) -> &mut Diagnostic {
        debug_assert!(cfg!(test) || ids::IDS.binary_search(&id).is_ok(), "'{id}' is not in the table of ids");
        self.list.push(Diagnostic {
            id,
            severity,
            span,
            message,
            notes: Vec::new(),
            replacements: Vec::new(),
        });
        self.list.last_mut().expect("just pushed")
    }

    /// Returns whether any error was reported.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// Returns how many errors and warnings there are to show, as a closing line: `2 errors and 1 warning`.
    /// `None` when there are none.
    pub fn summary(&self) -> Option<String> {
        let count = |severity, name: &str| {
            let n = self.iter().filter(|d| d.severity == severity).count();
            (n > 0).then(|| format!("{n} {name}{}", if n == 1 { "" } else { "s" }))
        };
        match (count(Severity::Error, "error"), count(Severity::Warning, "warning")) {
            (Some(errors), Some(warnings)) => Some(format!("{errors} and {warnings}")),
            (errors, warnings) => errors.or(warnings),
        }
    }

    /// The place in the list, for [`Diagnostics::rollback`].
    pub(crate) fn mark(&self) -> (usize, usize) {
        (self.list.len(), self.errors)
    }

    /// Returns whether errors were reported since.
    pub(crate) fn changed_since(&self, (_, errors): (usize, usize)) -> bool {
        self.errors != errors
    }

    /// Takes back what was reported since.
    pub(crate) fn rollback(&mut self, (len, errors): (usize, usize)) {
        self.list.truncate(len);
        self.errors = errors;
    }

    /// The latest error, to add to.
    pub(crate) fn last_error(&mut self) -> Option<&mut Diagnostic> {
        self.list.iter_mut().rev().find(|d| d.severity == Severity::Error)
    }

    /// The latest diagnostic with this id, to add to.
    pub fn latest(&mut self, id: &str) -> Option<&mut Diagnostic> {
        self.list.iter_mut().rev().find(|d| d.id == id)
    }

    /// Returns how many errors were reported so far.
    pub fn error_count(&self) -> usize {
        self.errors
    }

    /// Returns whether the error limit is reached: the stages stop early then.
    pub fn is_full(&self) -> bool {
        self.errors >= self.error_limit
    }

    /// Returns what there is to show, in order; warnings are left out under `-w`.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter().filter(|d| !(self.no_warnings && d.severity == Severity::Warning))
    }
}

impl Diagnostic {
    /// Adds a note with a place.
    pub fn note(&mut self, span: Span, message: impl Into<String>) -> &mut Self {
        self.notes.push(Note { span: Some(span), message: message.into() });
        self
    }

    /// Adds a remark without a place.
    pub fn remark(&mut self, message: impl Into<String>) -> &mut Self {
        self.notes.push(Note { span: None, message: message.into() });
        self
    }

    /// Proposes to write `text` in place of what stands at `span`.
    pub fn replace(&mut self, span: Span, text: impl Into<String>) -> &mut Self {
        self.replacements.push(Replacement { span, text: text.into() });
        self
    }

    /// Proposes to insert `text` right before `span`.
    pub fn insert_before(&mut self, span: Span, text: impl Into<String>) -> &mut Self {
        self.replace(Span { hi: span.lo, ..span }, text)
    }

    /// Proposes to insert `text` right behind `span`.
    pub fn insert_after(&mut self, span: Span, text: impl Into<String>) -> &mut Self {
        self.replace(Span { lo: span.hi, ..span }, text)
    }

    /// Asks whether `text` was meant by what stands at `span`, and proposes it. `declared` is where the source declares
    /// it; names that OpenCL C declares have no such place.
    pub fn did_you_mean(&mut self, span: Span, text: &str, declared: Option<Span>) -> &mut Self {
        match declared {
            Some(at) => self.note(at, format!("did you mean '{text}', declared here?")),
            None => self.remark(format!("did you mean '{text}'?")),
        };
        self.replace(span, text)
    }
}
