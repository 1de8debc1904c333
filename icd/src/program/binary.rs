//! Program binaries (§5.8.1, §5.8.8).
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `PUMICEPB` |
//! | 4 | the format's version |
//! | 32 | SHA-256 of all that follows |
//! | 32 | what the module depends on: [`identity`] |
//! | 4 | the kind, CL_PROGRAM_BINARY_TYPE |
//! | 4 | traits: bit 0 -cl-kernel-arg-info, bit 1 non-uniform work-groups |
//! | … | the options, the OpenCL SPIR-V: each with its length before it |
//!
//! A bundle of `pumice compile` ([`bundle`]) is a binary, too.
//!
//! A binary of another build of Pumice, for another device, cut short or changed is refused as a whole.

use host::cache::{Hash, hash};
use host::cxx::Tools;

use crate::device::Device;
use crate::program::compile;
use crate::program::compile::build;
use crate::program::module::{Kind, Module, Traits};
use bundle::wire::{Reader, Writer};

const MAGIC: &[u8; 8] = b"PUMICEPB";
const FORMAT: u32 = 2;

/// Returns what a device's binaries depend on: the build of Pumice, the Target, the front end's options by the device and by settings, and the
/// clang that compiles C++. A binary records it, and one with another is refused. CL_DRIVER_VERSION shows a digest of it, so that
/// programs that keep binaries under that string find none that would be refused.
pub(crate) fn identity(device: &Device) -> Hash {
    // Both are plain data without maps: their debug forms are the same each time.
    let options = compile::options(device, "").map(|options| format!("{options:?}")).unwrap_or_default();
    let target = format!("{:?}", device.target);
    let tools = Tools::find().map(Tools::identity).unwrap_or_default();
    // Which variant of a bundle fits depends on how pointers are shared.
    let sharing = host::settings::get("PUMICE_SVM").unwrap_or_default();
    // Programs keep what they know of a kernel, such as its speed.
    let checks = host::check::checks().names();
    let device = [target.as_bytes(), options.as_bytes(), tools.as_bytes(), sharing.as_bytes()];
    hash([build()].into_iter().chain(device).chain((!checks.is_empty()).then_some(checks.as_bytes())))
}

/// A module as a binary: the same bytes for the same module and identity; a bundle's are its own.
pub(crate) fn write(module: &Module, identity: &Hash) -> Vec<u8> {
    if let Some(ready) = &module.ready {
        return ready.bytes.clone();
    }
    let mut body = Writer::default();
    body.0.extend_from_slice(identity);
    body.u32(module.kind.code());
    body.u32(u32::from(module.traits.arg_info) | u32::from(module.traits.non_uniform) << 1);
    body.bytes(module.options.as_bytes());
    body.words(&module.spirv);
    let mut out = Writer(MAGIC.to_vec());
    out.u32(FORMAT);
    out.0.extend_from_slice(&hash([body.0.as_slice()]));
    out.0.append(&mut body.0);
    out.0
}

/// The module in a binary; `None` for anything but a whole binary with this identity.
pub(crate) fn read(bytes: &[u8], identity: &Hash) -> Option<Module> {
    let mut reader = Reader(bytes);
    if reader.take(8)? != MAGIC || reader.u32()? != FORMAT {
        return None;
    }
    let sum = reader.take(32)?;
    if sum != hash([reader.0]) || reader.take(32)? != identity {
        return None;
    }
    let kind = Kind::from_code(reader.u32()?)?;
    let traits = reader.u32()?;
    let traits = Traits { arg_info: traits & 1 != 0, non_uniform: traits & 2 != 0 };
    let options = reader.string()?;
    let spirv = reader.words()?;
    reader.0.is_empty().then_some(Module { spirv, kind, options, traits, ready: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_binaries_for_the_device_are_read() {
        let module = Module {
            spirv: vec![spirv_io::MAGIC, 1, 2, 3],
            kind: Kind::Library,
            options: "-D X=1".to_owned(),
            traits: Traits { arg_info: true, non_uniform: false },
            ready: None,
        };
        let (here, there) = ([1; 32], [2; 32]);
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
