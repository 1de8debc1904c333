//! Pipe lowering: in OpenCL SPIR-V, pipes become pointers to buffers and their instructions calls of a library (OpenCL C §6.15.18).
//!
//! ```text
//! %p  = OpTypePipe ReadOnly                      %p  = OpTypePointer CrossWorkgroup %uint
//! %id = OpTypeReserveId                          %id = OpTypeVector %uint 2
//! %n  = OpGetNumPipePackets %uint %pipe …   →    %n  = OpFunctionCall %uint %pumice_pipe_num_packets %pipe
//! %ok = OpReadPipe %uint %pipe %to 8 4           %ok = OpFunctionCall %uint %read_8_4 %pipe %to
//! ```
//!
//! [`rewrite`] replaces types and instructions one by one. A function that copies a packet is made for each size and alignment. The
//! library (`lower/mathlib/pipe.cl`) is linked as any other module. Everything behind sees plain memory and functions.
//!
//! The library ships as SPIR-V. A test compiles the source with our own front end and compares the result.
//! After a change of the source this command writes the file: `PUMICE_TEST_BLESS=1 cargo test -p pumice-lower --lib pipes`.

mod layout;
mod rewrite;

use crate::error::LowerError;
use crate::library_calls::{declares, library_for, link_library};
use spirv_io::spirv::Capability;
use std::borrow::Cow;

pub use layout::PipeLayout;
pub(crate) use rewrite::QUALIFIERS;

/// The library as SPIR-V with 64-bit addresses, which nothing in it depends on.
static LIBRARY: &[u8] = include_bytes!("../../mathlib/pipe.spv");

/// Lowers the pipes of a module. A module without pipes is returned as it is.
///
/// # Errors
/// [`LowerError::InvalidModule`] for a damaged module and for operands of other types than the library's.
pub fn lower_pipes(module: &[u32]) -> Result<Cow<'_, [u32]>, LowerError> {
    if !declares(module, Capability::Pipes)? {
        return Ok(Cow::Borrowed(module));
    }
    let (words, model) = rewrite::rewrite(module)?;
    let library = library_for(LIBRARY, model)?;
    link_library(&words, &library).map(Cow::Owned)
}

#[cfg(test)]
mod tests;
