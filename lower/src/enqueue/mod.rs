//! Device-side enqueue: in OpenCL SPIR-V, blocks become kernels and the instructions calls of a library (OpenCL C §6.15.17).
//!
//! ```text
//! %q = OpTypeQueue                               %q = OpTypeInt 64 0
//! %e = OpTypeDeviceEvent                         %e = OpTypeInt 64 0
//! %f = OpFunction %void None %t                  %f = OpFunction %void None %t2     ; and a pointer to the launch's record
//! %r = OpEnqueueKernel %uint %queue …        →   %r = OpFunctionCall %uint %enqueue_n %record %queue …
//! %d = OpGetDefaultQueue %q                      %d = OpFunctionCall %q %pumice_enqueue_default_queue %record
//! ```
//!
//! Each block that is enqueued becomes a hidden kernel (`pumice.block.N`), which takes a record with what the block captured, and the local
//! arguments. Functions that enqueue take the record of their launch as one more parameter; kernels do so, too, as their last argument
//! ([`ArgInfo::is_record`](crate::kernel_info::ArgInfo::is_record)). The library (`lower/mathlib/enqueue.cl`) writes packets to memory, which
//! the host reads ([`layout`]). Everything behind sees plain memory and functions.
//!
//! The library ships as SPIR-V. A test compiles the source with our own front end and compares the result.
//! After a change of the source this command writes the file: `PUMICE_TEST_BLESS=1 cargo test -p pumice-lower --lib enqueue`.

mod functions;
mod instructions;
pub mod layout;
mod rewrite;
mod scan;

use crate::error::LowerError;
use crate::kernel_info::BindingModel;
use crate::library_calls::{declares, library_for, link_library};
use crate::options::{BindingChoice, LowerOptions};
use spirv_io::spirv::Capability;
use std::borrow::Cow;

/// The library as SPIR-V.
static LIBRARY: &[u8] = include_bytes!("../../mathlib/enqueue.spv");

/// The key of the strings that say which arguments of a kernel are queues and records.
pub(crate) const QUALIFIERS: &str = "pumice.enqueue";
/// The names of hidden kernels begin so. OpenCL C has no such names.
const HIDDEN: &str = "pumice.";
/// The names of hidden kernels that give objects of the program their values begin so (`frontend/src/sema/cxx/program_objects.rs`).
pub const INITIALIZER: &str = "pumice.init.";
/// The hidden kernel that writes times that a kernel asked for.
pub const TIMES_KERNEL: &str = "pumice.times";

/// The hidden kernel that launches enqueued kernels without the host: it writes the numbers of work-groups of their dispatches.
pub const SCHEDULER: &str = "pumice.schedule";

/// The hidden kernel of a block, by its number.
#[must_use]
pub fn block_kernel(block: u32) -> String {
    format!("{HIDDEN}block.{block}")
}

/// Returns whether a kernel is hidden: programs do not name it.
#[must_use]
pub fn is_hidden(kernel: &str) -> bool {
    kernel.starts_with(HIDDEN)
}

/// Lowers the device-side enqueue of a module. A module without it is returned as it is.
///
/// # Errors
/// [`LowerError::InvalidModule`] for a damaged module and for operands of other types than the library's, and for 32-bit addresses.
pub fn lower_enqueue(module: &[u32]) -> Result<Cow<'_, [u32]>, LowerError> {
    if !declares(module, Capability::DeviceEnqueue)? {
        return Ok(Cow::Borrowed(module));
    }
    let (words, model) = rewrite::rewrite(module)?;
    let library = library_for(LIBRARY, model)?;
    link_library(&words, &library).map(Cow::Owned)
}

/// The options for a module that does without device-side enqueue, or not. Blocks reach memory by the pointers that they captured.
pub(crate) fn options(options: &LowerOptions, enqueues: bool) -> Cow<'_, LowerOptions> {
    match enqueues {
        false => Cow::Borrowed(options),
        true => {
            let binding = BindingChoice::Fixed(BindingModel::Address);
            Cow::Owned(LowerOptions { binding, ..options.clone() })
        }
    }
}

#[cfg(test)]
mod tests;
