//! Gates of passes and rewrite rules.

use crate::LowerOptions;
use crate::context::PassContext;
use crate::quirks::Quirks;
use crate::target::Target;

/// When a pass or a rule is applied.
#[derive(Debug, Clone, Copy)]
pub enum Gate {
    /// For every Target.
    Always,
    /// If the caller asks for it.
    Option(&'static str, fn(&LowerOptions) -> bool),
    /// If the Target's features or limits require it.
    Feature(&'static str, fn(&Target) -> bool),
    /// If the driver has a fault.
    Workaround(&'static str, fn(&Quirks) -> bool),
    /// If the driver's compiler profits.
    Tuning(&'static str, fn(&Quirks) -> bool),
}

impl Gate {
    /// Returns whether the pass or rule is applied for a Target, with the caller's options.
    #[must_use]
    pub fn is_open(self, context: &PassContext<'_>) -> bool {
        match self {
            Gate::Always => true,
            Gate::Option(_, wants) => wants(context.options),
            Gate::Feature(_, wants) => wants(context.target),
            Gate::Workaround(_, has) | Gate::Tuning(_, has) => has(&context.target.quirks),
        }
    }

    /// The condition in words, for the documentation.
    #[must_use]
    pub fn condition(self) -> String {
        match self {
            Gate::Always => "always".to_owned(),
            Gate::Option(what, _) => format!("option: `{what}`"),
            Gate::Feature(what, _) => format!("feature: {what}"),
            Gate::Workaround(what, _) => format!("workaround: `{what}`"),
            Gate::Tuning(what, _) => format!("tuning: `{what}`"),
        }
    }
}
