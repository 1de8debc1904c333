//! Kernels compiled ahead of time, for devices that are not here: a **bundle** is a file with the Vulkan SPIR-V of one program for
//! several [`Target`]s, each with what a host must know to launch its kernels. docs/how-to/aot.md describes the format.
//!
//! | module | what it is |
//! |---|---|
//! | [`needs`] | what a module asks of a device, read from its words |
//! | [`fit`] | which variant a device gets, and why not the others |
//! | [`launch`] | the data of a launch: specialization constants, the argument block, how many work-groups |
//! | `check` | whether what a variant says of its kernels is what its module has |
//! | [`wire`] | bytes of files |
#![forbid(unsafe_code)]

mod check;
pub mod fit;
pub mod launch;
pub mod needs;
#[cfg(test)]
mod tests;
pub mod wire;

use lower::kernel_info::{DataBlock, ProgramData};
use lower::{KernelInfo, Lowered, Target};
use needs::Needs;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use spirv_io::spirv::Op;
use wire::{Reader, Writer};

/// The first bytes of every bundle.
pub const MAGIC: &[u8; 8] = b"PUMICEAB";
/// The version of the format. It goes up whenever a bundle would mean something else to a reader of before, be it by what a
/// member of [`KernelInfo`] means: a reader takes its own alone.
pub const FORMAT: u32 = 2;
/// More variants than this are no bundle.
const MAX_VARIANTS: u32 = 256;

/// A program, compiled for several devices.
#[derive(Debug, Clone, PartialEq)]
pub struct Bundle {
    /// In the order in which they were compiled.
    pub variants: Vec<Variant>,
}

/// A program as it was compiled for one device.
#[derive(Debug, Clone, PartialEq)]
pub struct Variant {
    /// The device.
    pub target: Target,
    /// See there.
    pub traits: Traits,
    /// The module, its kernels and its data. Without warnings.
    pub lowered: Lowered,
    /// The needs of the module; read from its words, not stored.
    pub needs: Needs,
}

/// The facts of a program's source beyond its kernels' reflection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traits {
    /// Work-groups need not divide the NDRange (OpenCL C 2.0 and later without -cl-uniform-work-group-size).
    pub non_uniform: bool,
    /// It has work-group functions: its work-groups have at most as many work-items as its Target's may have, since their memory has
    /// a place for each.
    pub group_functions: bool,
}

/// Why bytes are no bundle that can be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BundleError {
    /// They do not begin as a bundle does.
    #[error("not a bundle of Pumice's")]
    NotABundle,
    /// The format's version is another one.
    #[error("the bundle has version {0} of the format, this Pumice reads {FORMAT}; compile it again")]
    Version(u32),
    /// The sum over its bytes is another one.
    #[error("the bundle is damaged: its checksum does not fit")]
    Damaged,
    /// The sum fits, but the contents make no sense.
    #[error("the bundle is malformed: {0}")]
    Malformed(String),
}

fn malformed(what: impl Into<String>) -> BundleError {
    BundleError::Malformed(what.into())
}

impl Variant {
    /// A variant of what `lower` made.
    ///
    /// # Errors
    /// A module that asks for what no table here knows, or that its reflection does not fit.
    pub fn new(target: Target, traits: Traits, mut lowered: Lowered) -> Result<Self, BundleError> {
        lowered.warnings.clear();
        let needs = Needs::from_module(&lowered.spirv).map_err(|e| malformed(e.to_string()))?;
        check::check(&lowered).map_err(malformed)?;
        Ok(Variant { target, traits, lowered, needs })
    }

    /// A kernel's reflection.
    #[must_use]
    pub fn kernel(&self, name: &str) -> Option<&KernelInfo> {
        self.lowered.kernels.iter().find(|k| k.name == name)
    }
}

impl Bundle {
    /// Returns whether bytes begin as a bundle does.
    #[must_use]
    pub fn is_bundle(bytes: &[u8]) -> bool {
        bytes.starts_with(MAGIC)
    }

    /// The bytes of a bundle: the same for the same variants.
    ///
    /// # Errors
    /// None that is known: what a variant says of its kernels has a form in JSON.
    pub fn write(&self) -> Result<Vec<u8>, BundleError> {
        let json = |value: serde_json::Result<Vec<u8>>| value.map_err(|e| malformed(e.to_string()));
        let mut body = Writer::default();
        body.u32(u32::try_from(self.variants.len()).unwrap_or(u32::MAX));
        for variant in &self.variants {
            let Traits { non_uniform, group_functions } = variant.traits;
            body.bytes(&json(serde_json::to_vec(&variant.target))?);
            body.u32(u32::from(non_uniform) | u32::from(group_functions) << 1);
            body.bytes(&json(serde_json::to_vec(&variant.lowered.kernels))?);
            let data = &variant.lowered.program_data;
            for block in [&data.constants, &data.globals] {
                body.u32(block.align);
                body.bytes(&json(serde_json::to_vec(&block.relocations))?);
                body.bytes(&block.bytes);
            }
            body.words(&variant.lowered.spirv);
        }
        let mut out = Writer(MAGIC.to_vec());
        out.u32(FORMAT);
        out.0.extend_from_slice(&checksum(&body.0));
        out.0.append(&mut body.0);
        Ok(out.0)
    }

    /// The bundle in bytes, which may be anything.
    ///
    /// # Errors
    /// See [`BundleError`].
    pub fn read(bytes: &[u8]) -> Result<Self, BundleError> {
        let mut reader = Reader(bytes);
        if reader.take(MAGIC.len()) != Some(MAGIC) {
            return Err(BundleError::NotABundle);
        }
        match reader.u32() {
            Some(FORMAT) => {}
            Some(version) => return Err(BundleError::Version(version)),
            None => return Err(BundleError::Damaged),
        }
        if reader.take(32).is_none_or(|s| s != checksum(reader.0)) {
            return Err(BundleError::Damaged);
        }
        let count = reader.u32().filter(|n| *n <= MAX_VARIANTS).ok_or_else(short)?;
        let variants = (0..count).map(|_| variant(&mut reader)).collect::<Result<Vec<_>, _>>()?;
        if !reader.0.is_empty() {
            return Err(malformed("bytes are left over"));
        }
        Ok(Bundle { variants })
    }
}

fn short() -> BundleError {
    malformed("it ends too early")
}

fn variant(reader: &mut Reader<'_>) -> Result<Variant, BundleError> {
    let target = json(reader.bytes())?;
    let traits = reader.u32().ok_or_else(short)?;
    if traits > 3 {
        return Err(malformed("unknown traits"));
    }
    let traits = Traits { non_uniform: traits & 1 != 0, group_functions: traits & 2 != 0 };
    let kernels = json(reader.bytes())?;
    let mut block = || {
        let align = reader.u32().ok_or_else(short)?;
        let relocations = json(reader.bytes())?;
        let bytes = reader.bytes().ok_or_else(short)?.to_vec();
        Ok(DataBlock { bytes, align, relocations })
    };
    let program_data = ProgramData { constants: block()?, globals: block()? };
    let spirv = reader.words().ok_or_else(short)?;
    Variant::new(target, traits, Lowered { spirv, kernels, program_data, warnings: Vec::new() })
}

fn json<T: DeserializeOwned>(bytes: Option<&[u8]>) -> Result<T, BundleError> {
    serde_json::from_slice(bytes.ok_or_else(short)?).map_err(|e| malformed(e.to_string()))
}

/// The sum over what follows it in a bundle: SHA-256.
#[must_use]
pub fn checksum(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// A module without lines and the names of files, which differ with the folder that it is compiled in. Modules with debug
/// information (`-g`) stay as they are.
///
/// # Errors
/// Words that are no module.
pub fn without_lines(words: &[u32]) -> Result<Vec<u32>, spirv_io::ReadError> {
    const HEADER: usize = 5;
    let (_, reader) = spirv_io::Reader::new(words)?;
    let mut kept = words.get(..HEADER).unwrap_or_default().to_vec();
    for inst in reader {
        let inst = inst?;
        match inst.op {
            Op::ExtInstImport if inst.string(1)?.0.starts_with("NonSemantic.") => return Ok(words.to_vec()),
            Op::Line | Op::NoLine | Op::String | Op::Source | Op::SourceContinued | Op::SourceExtension => {}
            _ => kept.extend(words.get(inst.at..=inst.at + inst.operands.len()).unwrap_or_default()),
        }
    }
    Ok(kept)
}
