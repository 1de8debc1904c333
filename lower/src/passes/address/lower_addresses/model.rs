//! The choice of a kernel's binding model: descriptors, addresses or windows.
//!
//! The table lists the choice of [`BindingChoice::Auto`]. The first row that holds decides.
//! Addresses need a device that has them and a module with 64-bit pointers.
//!
//! | condition | model |
//! |---|---|
//! | the device has no addresses, and pointers need them or descriptors are too few | packed |
//! | a pointer needs an address | address, or a refusal if the device has none |
//! | addresses escape the kernel, or a pointer may be to several buffers | address |
//! | storage buffers are more than the device's descriptors, or than those that images leave | address |
//! | descriptors are not faster on the device (CPUs, AMD's GPUs before GFX9) | address |
//! | else | descriptor |

use super::{block, names, roots};
use crate::error::LowerError;
use crate::ir::{Function, KernelData};
use crate::kernel_info::{BindingModel, BlockLocation};
use crate::target::Target;
use crate::{BindingChoice, LowerOptions};

const ADDRESSES: &str = "device addresses (bufferDeviceAddress with shaderInt64, or with Vulkan 1.2)";

/// Chooses the binding model. The caller's wish comes first, then the table above.
pub(super) fn choose(
    (kernel, f): (&KernelData, &Function),
    analysis: &roots::Analysis,
    address_bits: u32,
    target: &Target,
    options: &LowerOptions,
) -> Result<BindingModel, LowerError> {
    let name = &kernel.name;
    let unsupported =
        |needs: String| LowerError::Unsupported { kernel: name.clone(), device: target.name.clone(), needs };
    // The runtime gives buffers packed offsets if kernels have no addresses.
    let packs = !target.has_address_model();
    let images = block::images(kernel);
    // A device's addresses do not fit into the pointers of a module with 32 bits.
    let has = target.has_address_model() && address_bits == 64;
    // A buffer that is numbered inside the kernel must have an address for other kernels, too.
    let both = analysis.tags_buffers(address_bits) && (analysis.escapes || analysis.relocated);
    let bindable = !(analysis.needs_addresses || both);
    let binds_all = || fits((kernel, f), images, analysis, target);
    let binding = match options.binding {
        BindingChoice::Prefer(BindingModel::Address) if has => return Ok(BindingModel::Address),
        BindingChoice::Prefer(BindingModel::Descriptor) if bindable && binds_all() => {
            return Ok(BindingModel::Descriptor);
        }
        BindingChoice::Prefer(BindingModel::Packed) if packs => return Ok(BindingModel::Packed),
        BindingChoice::Prefer(_) => BindingChoice::Auto,
        other => other,
    };
    match binding {
        BindingChoice::Fixed(BindingModel::Address) if !has => {
            Err(unsupported(if target.has_address_model() {
                "the address model is for modules with 64-bit pointers (Physical64)".to_owned()
            } else {
                format!("--binding address needs {ADDRESSES}")
            }))
        }
        BindingChoice::Fixed(BindingModel::Descriptor) if !bindable => Err(LowerError::NotYet {
            kernel: name.clone(),
            what:
                "a global pointer that comes from memory or from an integer cannot be a descriptor: use the \
                   address model"
                    .to_owned(),
        }),
        BindingChoice::Fixed(BindingModel::Packed) if !packs => {
            Err(unsupported("--binding packed is for devices without device addresses".to_owned()))
        }
        BindingChoice::Fixed(model) | BindingChoice::Prefer(model) => Ok(model),
        BindingChoice::Auto if packs && (!bindable || !binds_all()) => Ok(BindingModel::Packed),
        BindingChoice::Auto if !bindable && !has => Err(unsupported(format!(
            "a global pointer that comes from memory or from an integer needs {ADDRESSES}"
        ))),
        BindingChoice::Auto if !bindable => Ok(BindingModel::Address),
        BindingChoice::Auto if has && (analysis.escapes || analysis.several_buffers) => {
            Ok(BindingModel::Address)
        }
        // One descriptor for each buffer, and one for an argument block that exceeds the push constants.
        BindingChoice::Auto
            if has
                && block::address_sources(analysis).len()
                    >= target.limits.max_per_stage_descriptor_storage_buffers as usize =>
        {
            Ok(BindingModel::Address)
        }
        BindingChoice::Auto
            if has
                && images > 0
                && block::address_sources(analysis).len() + images
                    >= target.limits.max_per_stage_resources as usize =>
        {
            Ok(BindingModel::Address)
        }
        BindingChoice::Auto if has && !target.prefers_descriptors() => Ok(BindingModel::Address),
        BindingChoice::Auto => Ok(BindingModel::Descriptor),
    }
}

/// Returns whether the device binds the kernel's storage buffers, with one for an argument block that exceeds the push constants.
fn fits(
    (kernel, f): (&KernelData, &Function),
    images: usize,
    analysis: &roots::Analysis,
    target: &Target,
) -> bool {
    let model = BindingModel::Descriptor;
    let names = names::find(f, analysis, model);
    let plan = block::plan(kernel, f, (analysis, &names.addresses), (model, false, false), target);
    let in_buffer = plan.block.location != BlockLocation::PushConstants;
    let buffers = block::address_sources(analysis).len() + usize::from(in_buffer);
    buffers <= target.limits.max_per_stage_descriptor_storage_buffers as usize
        && (images == 0 || buffers + images <= target.limits.max_per_stage_resources as usize)
}
