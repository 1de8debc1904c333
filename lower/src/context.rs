//! The context of a pass.

use crate::target::Target;
use crate::{BindingChoice, LowerOptions};

/// The inputs of a pass besides the module.
#[derive(Debug, Clone, Copy)]
pub struct PassContext<'a> {
    /// The device.
    pub target: &'a Target,
    /// The caller's wishes.
    pub options: &'a LowerOptions,
}

impl PassContext<'_> {
    /// Which binding model the caller wants.
    pub fn binding(&self) -> BindingChoice {
        self.options.binding
    }
}
