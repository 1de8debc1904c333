//! Program binaries (§5.8.1, §5.8.8).
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `PUMICEPB` |
//! | 4 | the format's version |
//! | 32 | SHA-256 of all that follows |
//! | 32 | what the module was compiled for: [`target_hash`] |
//! | 4 | the kind, CL_PROGRAM_BINARY_TYPE |
//! | 4 | traits: bit 0 -cl-kernel-arg-info, bit 1 non-uniform work-groups |
//! | … | Pumice's version, the options, the OpenCL SPIR-V: each with its length before it |
//!
//! A bundle of `pumice compile` ([`bundle`]) is a binary, too.
//!
//! A binary of another Pumice, for another device, cut short or changed is refused as a whole.

use host::cache::{Hash, hash};
use lower::Target;

use super::module::{Kind, Module, Traits};
use bundle::wire::{Reader, Writer};

const MAGIC: &[u8; 8] = b"PUMICEPB";
const FORMAT: u32 = 1;
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Tells Targets apart: what a module was compiled for.
pub(crate) fn target_hash(target: &Target) -> Hash {
    // The Target is plain data without maps: its debug form is the same each time.
    hash([VERSION.as_bytes(), format!("{target:?}").as_bytes()])
}

/// A module as a binary: the same bytes for the same module and Target; a bundle's are its own.
pub(crate) fn write(module: &Module, target: &Target) -> Vec<u8> {
    if let Some(ready) = &module.ready {
        return ready.bytes.clone();
    }
    let mut body = Writer::default();
    body.0.extend_from_slice(&target_hash(target));
    body.u32(module.kind.code());
    body.u32(u32::from(module.traits.arg_info) | u32::from(module.traits.non_uniform) << 1);
    body.bytes(VERSION.as_bytes());
    body.bytes(module.options.as_bytes());
    body.words(&module.spirv);
    let mut out = Writer(MAGIC.to_vec());
    out.u32(FORMAT);
    out.0.extend_from_slice(&hash([body.0.as_slice()]));
    out.0.append(&mut body.0);
    out.0
}

/// The module in a binary; `None` for anything but a whole binary of this Pumice for this Target.
pub(crate) fn read(bytes: &[u8], target: &Target) -> Option<Module> {
    let mut reader = Reader(bytes);
    if reader.take(8)? != MAGIC || reader.u32()? != FORMAT {
        return None;
    }
    let sum = reader.take(32)?;
    if sum != hash([reader.0]) || reader.take(32)? != target_hash(target) {
        return None;
    }
    let kind = Kind::from_code(reader.u32()?)?;
    let traits = reader.u32()?;
    let traits = Traits { arg_info: traits & 1 != 0, non_uniform: traits & 2 != 0 };
    if reader.string()? != VERSION {
        return None;
    }
    let options = reader.string()?;
    let spirv = reader.words()?;
    reader.0.is_empty().then_some(Module { spirv, kind, options, traits, ready: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(name: &str) -> Target {
        Target {
            name: name.to_owned(),
            api_version: (1, 2),
            features: lower::target::TargetFeatures::default(),
            limits: lower::target::TargetLimits::default(),
            quirks: lower::Quirks::default(),
        }
    }

    #[test]
    fn only_whole_binaries_for_the_device_are_read() {
        let module = Module {
            spirv: vec![spirv_io::MAGIC, 1, 2, 3],
            kind: Kind::Library,
            options: "-D X=1".to_owned(),
            traits: Traits { arg_info: true, non_uniform: false },
            ready: None,
        };
        let (here, there) = (target("a"), target("b"));
        let bytes = write(&module, &here);
        assert_eq!(bytes, write(&module, &here));
        assert_eq!(read(&bytes, &here), Some(module));
        assert_eq!(read(&bytes, &there), None, "another device");
        for length in 0..bytes.len() {
            assert_eq!(read(&bytes[..length], &here), None, "cut at {length}");
        }
        for at in 0..bytes.len() {
            let mut bad = bytes.clone();
            bad[at] ^= 0x10;
            assert_eq!(read(&bad, &here), None, "changed at {at}");
        }
        let mut long = bytes;
        long.push(0);
        assert_eq!(read(&long, &here), None, "longer");
    }
}
