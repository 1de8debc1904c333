//! Reading and writing SPIR-V binaries.
//!
//! Both halves of Pumice speak SPIR-V: the front end writes the OpenCL flavour, the lowering reads
//! that and writes the Vulkan flavour. This crate holds what they share and nothing else:
//!
//! - [`Reader`] walks the instructions of a binary without copying, and refuses truncated or
//!   malformed words with a [`ReadError`] (SPIR-V specification §2.3, "Physical Layout").
//! - [`Builder`] collects instructions into the sections of a module in the order that §2.4,
//!   "Logical Layout of a Module", demands, hands out ids, and keeps one id per type and constant.
//!
//! Enumerants come from the `spirv` crate, re-exported as [`spirv`].
#![deny(clippy::undocumented_unsafe_blocks)]
#![forbid(unsafe_code)]

mod builder;
mod reader;

pub use builder::{Builder, Id, Section, string_words};
pub use reader::{Header, Instruction, ReadError, Reader, decode_string};
pub use spirv;

/// The first word of every SPIR-V module, in the byte order of its writer.
pub const MAGIC: u32 = 0x0723_0203;

/// Words of a module as bytes, least significant byte first.
pub fn words_to_bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

/// Bytes of a module as words, with the byte order told by the magic number.
///
/// # Errors
/// [`ReadError::NotSpirv`] when the length is no multiple of four or the magic number is wrong.
pub fn bytes_to_words(bytes: &[u8]) -> Result<Vec<u32>, ReadError> {
    let (chunks, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() || chunks.is_empty() {
        return Err(ReadError::NotSpirv);
    }
    if u32::from_le_bytes(chunks[0]) == MAGIC {
        Ok(chunks.iter().map(|c| u32::from_le_bytes(*c)).collect())
    } else if u32::from_be_bytes(chunks[0]) == MAGIC {
        Ok(chunks.iter().map(|c| u32::from_be_bytes(*c)).collect())
    } else {
        Err(ReadError::NotSpirv)
    }
}
