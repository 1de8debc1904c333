//! Functions by name, of which each module of entry points lists those of extensions.

use std::ffi::c_void;

/// The name of a function, and its address.
pub(crate) type Function = (&'static str, *const c_void);

/// A list of functions of the module. `NAME = FUNCTION`: under another name than its own.
macro_rules! functions {
    ($($name:ident $(= $function:ident)?),* $(,)?) => {
        &[$((stringify!($name), functions!(@address $name $($function)?))),*]
    };
    (@address $name:ident) => {
        $name as *const std::ffi::c_void
    };
    (@address $name:ident $function:ident) => {
        $function as *const std::ffi::c_void
    };
}
pub(crate) use functions;
