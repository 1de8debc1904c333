//! Features of OpenCL SPIR-V that no Vulkan device has, whatever its [`Target`] says, or that this device lacks, and sub-groups of another size than the
//! device's. They are refused by name before the module is read.

use crate::error::LowerError;
use crate::target::Target;
use spirv_io::Reader;
use spirv_io::spirv::{Capability, ExecutionMode, Op};

/// The feature of a capability (OpenCL SPIR-V Environment specification, "Required Capabilities").
fn feature(capability: u32, target: &Target) -> Option<&'static str> {
    match Capability::from_u32(capability)? {
        Capability::PipeStorage => Some("pipes at program scope (PipeStorage)"),
        Capability::DeviceEnqueue if !target.can_enqueue() => {
            Some("device-side enqueue (__opencl_c_device_enqueue)")
        }
        _ => None,
    }
}

/// Refuses a module that declares such a capability; the message names its first kernel.
///
/// # Errors
/// [`LowerError::Unsupported`], and [`LowerError::InvalidModule`] for a damaged module.
pub(crate) fn check(module: &[u32], target: &Target) -> Result<(), LowerError> {
    let (_, reader) = Reader::new(module)?;
    let (mut needs, mut kernel) = (None, None);
    for inst in reader {
        let inst = inst?;
        match inst.op {
            Op::Capability => needs = needs.or(feature(inst.word(0)?, target).map(str::to_owned)),
            Op::ExecutionMode if inst.word(1)? == ExecutionMode::SubgroupSize as u32 => {
                let (asked, has) = (inst.word(2)?, target.limits.subgroup_size);
                needs = needs.or((asked != has)
                    .then(|| format!("sub-groups of {asked} work-items (the device's have {has})")));
            }
            Op::EntryPoint if kernel.is_none() => kernel = Some(inst.string(2)?.0),
            Op::Function => break,
            _ => {}
        }
    }
    let Some(needs) = needs else { return Ok(()) };
    let kernel = kernel.unwrap_or_else(|| "the program".to_owned());
    Err(LowerError::Unsupported { kernel, device: target.name.clone(), needs })
}

#[cfg(test)]
mod tests {
    use crate::{LowerError, LowerOptions, Target, inspect, lower};

    /// Header, a capability, the memory model, and an entry point "k" of a function that is not looked for.
    fn module(capability: u32) -> Vec<u32> {
        let mut words = vec![0x0723_0203, 0x1_0000, 0, 9, 0, 2 << 16 | 17, capability, 3 << 16 | 14, 2, 2];
        words.extend([4 << 16 | 15, 6, 1, u32::from(b'k')]);
        words
    }

    #[test]
    fn program_scope_pipes_and_device_side_enqueue_are_refused_by_name() {
        let target = Target { name: "a device".to_owned(), ..Target::minimum() };
        for (capability, feature) in [
            (60, "pipes at program scope (PipeStorage)"),
            (19, "device-side enqueue (__opencl_c_device_enqueue)"),
        ] {
            let words = module(capability);
            let expected = LowerError::Unsupported {
                kernel: "k".to_owned(),
                device: "a device".to_owned(),
                needs: feature.to_owned(),
            };
            let options = LowerOptions::default();
            assert_eq!(lower(&words, &target, &options).err(), Some(expected.clone()));
            assert_eq!(inspect(&words, &target, &options).err(), Some(expected));
        }
    }
}
