//! The language that a Target has: what the front end is told of a device's features.
//!
//! The crate knows neither Vulkan's library nor a live device, so that it can be compiled for a browser, too.
#![forbid(unsafe_code)]

use frontend::options::{AddressWidth, Features, Options};
use lower::Target;
use lower::kernel_info::{ImageAccess, ImageDim};

/// Gives the front end the facts of a Target.
pub fn apply(target: &Target, options: &mut Options) {
    let features = &target.features;
    options.address_width =
        if target.address_bits() == 64 { AddressWidth::Bits64 } else { AddressWidth::Bits32 };
    let mut on = Features::empty();
    on.set(Features::FP64, features.shader_float64);
    on.set(Features::FP16, features.shader_float16);
    // Made of words where the device has none.
    on |= Features::INT64;
    on.set(
        Features::INT64_ATOMICS,
        features.shader_buffer_int64_atomics && features.shader_shared_int64_atomics,
    );
    // Generic pointers, and pointers in program-scope variables, may be read back from any memory: by address, or by place.
    on |= Features::GENERIC_ADDRESS_SPACE | Features::PROGRAM_SCOPE_GLOBALS;
    // What seq_cst is made of: docs/explanation/memory-model.md.
    let orders = Features::ATOMIC_ORDER_ACQ_REL | Features::ATOMIC_ORDER_SEQ_CST;
    let scopes = Features::ATOMIC_SCOPE_DEVICE | Features::ATOMIC_SCOPE_ALL_DEVICES;
    on.set(orders | scopes, target.orders_memory());
    if features.wgsl {
        // Atomics without an order are the device's (WGSL, "Scoped Operations").
        on |= Features::ATOMIC_SCOPE_DEVICE;
    }
    // Pipes are buffers with atomic positions.
    on.set(Features::PIPES, target.orders_memory());
    on.set(Features::DEVICE_ENQUEUE, target.can_enqueue());
    // Copies of a work-group are loops, and waiting for them a barrier.
    on |= Features::EXTENDED_ASYNC_COPIES | Features::ASYNC_COPY_FENCE;
    // Products of bytes and fields of bits are made of other operations where the device has none.
    on |= Features::DOT_4X8 | Features::DOT_4X8_PACKED | Features::BIT_OPS;
    on |= images(target) | groups(target) | float_atomics(target, on);
    options.features = on;
}

/// Functions of all work-items of a group: work-group functions by `__local` memory at the least; everything of
/// sub-groups where there are any.
fn groups(target: &Target) -> Features {
    let mut on = Features::WORK_GROUP_COLLECTIVES | Features::WORK_GROUP_ARITHMETIC;
    if target.has_subgroups() {
        on |= Features::SUBGROUPS
            | Features::SUBGROUP_TYPES
            | Features::SUBGROUP_VOTE
            | Features::SUBGROUP_BALLOT
            | Features::SUBGROUP_ARITHMETIC
            | Features::SUBGROUP_SHUFFLE
            | Features::SUBGROUP_SHUFFLE_RELATIVE
            | Features::SUBGROUP_CLUSTERED
            | Features::SUBGROUP_ROTATE
            | Features::INTEL_SUBGROUPS;
    }
    // A work-group's clock is the device's; a sub-group has either.
    on.set(Features::CLOCK_DEVICE | Features::CLOCK_WORK_GROUP, target.features.shader_device_clock);
    on.set(
        Features::CLOCK_SUB_GROUP,
        target.has_subgroups()
            && (target.features.shader_subgroup_clock || target.features.shader_device_clock),
    );
    on.set(Features::INTEL_REQUIRED_SIZE, target.has_certain_subgroup_size());
    on
}

/// Atomics of floats (cl_ext_float_atomics): all of those types that there are; what the device lacks is made of compare-exchange.
fn float_atomics(target: &Target, language: Features) -> Features {
    let mut on = Features::FLOAT_ATOMICS
        | Features::FP32_GLOBAL_ADD
        | Features::FP32_LOCAL_ADD
        | Features::FP32_GLOBAL_MIN_MAX
        | Features::FP32_LOCAL_MIN_MAX;
    if target.features.shader_float16 {
        on |= Features::FP16_GLOBAL_LOAD_STORE
            | Features::FP16_LOCAL_LOAD_STORE
            | Features::FP16_GLOBAL_ADD
            | Features::FP16_LOCAL_ADD
            | Features::FP16_GLOBAL_MIN_MAX
            | Features::FP16_LOCAL_MIN_MAX;
    }
    if language.contains(Features::FP64 | Features::INT64_ATOMICS) {
        on |= Features::FP64_GLOBAL_ADD
            | Features::FP64_LOCAL_ADD
            | Features::FP64_GLOBAL_MIN_MAX
            | Features::FP64_LOCAL_MIN_MAX;
    }
    on
}

/// The features of images for kernels. One kernel takes images of all formats: it reads and writes them without a format, or the bits of their
/// texels.
#[must_use]
pub fn images(target: &Target) -> Features {
    let features = &target.features;
    let mut on = Features::empty();
    let bits = features.texels_as_bits(ImageAccess::ReadWrite, ImageDim::Two);
    if features.shader_storage_image_write_without_format || bits {
        on |= Features::IMAGES | Features::IMAGE_3D_WRITES | Features::DEPTH_IMAGES | Features::MIPMAPS;
        on.set(Features::READ_WRITE_IMAGES, features.shader_storage_image_read_without_format || bits);
        // Levels are written by a view each.
        let views = target.limits.max_per_stage_descriptor_storage_images;
        on.set(Features::MIPMAP_WRITES, views >= lower::ir::MAX_LEVELS.into());
    }
    on
}

/// A device with everything that the front end has code for: what its own output is made for when no device is named,
/// so that any source compiles and the output does not depend on the machine.
pub fn apply_everything(options: &mut Options) {
    options.address_width = AddressWidth::Bits64;
    options.device_version = 310;
    options.features = Features::EXPRESSED;
}

/// A device without images, sub-groups and all else that is rare, with every arithmetic type.
pub fn apply_generic(options: &mut Options) {
    options.address_width = AddressWidth::Bits64;
    options.device_version = 310;
    options.features = Features::FP64 | Features::FP16 | Features::INT64 | Features::INT64_ATOMICS;
}
