//! Gates of passes and rewrite rules.

use crate::quirks::Quirks;
use crate::target::Target;

/// When a pass or a rule is applied.
#[derive(Debug, Clone, Copy)]
pub enum Gate {
    /// For every Target.
    Always,
    /// If the Target's features or limits require it.
    Feature(&'static str, fn(&Target) -> bool),
    /// If the driver has a fault.
    Workaround(&'static str, fn(&Quirks) -> bool),
    /// If the driver's compiler profits.
    Tuning(&'static str, fn(&Quirks) -> bool),
}

impl Gate {
    /// Returns whether the pass or rule is applied for a Target.
    #[must_use]
    pub fn is_open(self, target: &Target) -> bool {
        match self {
            Gate::Always => true,
            Gate::Feature(_, wants) => wants(target),
            Gate::Workaround(_, has) | Gate::Tuning(_, has) => has(&target.quirks),
        }
    }

    /// The condition in words, for the documentation.
    #[must_use]
    pub fn condition(self) -> String {
        match self {
            Gate::Always => "always".to_owned(),
            Gate::Feature(what, _) => format!("feature: {what}"),
            Gate::Workaround(what, _) => format!("workaround: `{what}`"),
            Gate::Tuning(what, _) => format!("tuning: `{what}`"),
        }
    }
}
