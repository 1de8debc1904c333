//! What is optional in the language: flags, the macros that tell of them, and what language versions have of themselves.

use super::LangVersion;
use bitflags::bitflags;

bitflags! {
    /// What the device can do that the language shows, as feature and extension macros, types and functions.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Features: u64 {
        /// double (`cl_khr_fp64`, `__opencl_c_fp64`).
        const FP64 = 1 << 0;
        /// half arithmetic (`cl_khr_fp16`).
        const FP16 = 1 << 1;
        /// long and ulong (`__opencl_c_int64`, `cles_khr_int64`).
        const INT64 = 1 << 2;
        /// 64-bit atomics (`cl_khr_int64_base_atomics`, `cl_khr_int64_extended_atomics`).
        const INT64_ATOMICS = 1 << 3;
        /// `__opencl_c_generic_address_space`.
        const GENERIC_ADDRESS_SPACE = 1 << 4;
        /// `__opencl_c_program_scope_global_variables`.
        const PROGRAM_SCOPE_GLOBALS = 1 << 5;
        /// `__opencl_c_subgroups`, `cl_khr_subgroups`.
        const SUBGROUPS = 1 << 6;
        /// `__opencl_c_images`.
        const IMAGES = 1 << 7;
        /// `__opencl_c_atomic_order_acq_rel`: acquire and release on atomic operations, not only on fences.
        const ATOMIC_ORDER_ACQ_REL = 1 << 8;
        /// `__opencl_c_atomic_order_seq_cst`.
        const ATOMIC_ORDER_SEQ_CST = 1 << 9;
        /// `__opencl_c_atomic_scope_device`.
        const ATOMIC_SCOPE_DEVICE = 1 << 10;
        /// `__opencl_c_atomic_scope_all_devices`.
        const ATOMIC_SCOPE_ALL_DEVICES = 1 << 11;
        /// `__opencl_c_3d_image_writes`, `cl_khr_3d_image_writes`.
        const IMAGE_3D_WRITES = 1 << 12;
        /// `__opencl_c_read_write_images`.
        const READ_WRITE_IMAGES = 1 << 13;
        /// `cl_khr_depth_images`.
        const DEPTH_IMAGES = 1 << 14;
        /// `cl_khr_gl_msaa_sharing`.
        const MSAA_IMAGES = 1 << 15;
        /// `cl_khr_mipmap_image`.
        const MIPMAPS = 1 << 16;
        /// `cl_khr_mipmap_image_writes`.
        const MIPMAP_WRITES = 1 << 17;
        /// `cl_khr_srgb_image_writes`.
        const SRGB_WRITES = 1 << 18;
        /// `__opencl_c_pipes`.
        const PIPES = 1 << 19;
        /// `__opencl_c_device_enqueue`.
        const DEVICE_ENQUEUE = 1 << 20;
        /// `__opencl_c_work_group_collective_functions`.
        const WORK_GROUP_COLLECTIVES = 1 << 21;
        /// `cl_khr_work_group_uniform_arithmetic`.
        const WORK_GROUP_ARITHMETIC = 1 << 22;
        /// `__opencl_c_integer_dot_product_input_4x8bit`.
        const DOT_4X8 = 1 << 23;
        /// `__opencl_c_integer_dot_product_input_4x8bit_packed`, `cl_khr_integer_dot_product`.
        const DOT_4X8_PACKED = 1 << 24;
        /// `cl_khr_extended_bit_ops`.
        const BIT_OPS = 1 << 25;
        /// `cl_khr_extended_async_copies`.
        const EXTENDED_ASYNC_COPIES = 1 << 26;
        /// `cl_khr_async_work_group_copy_fence`.
        const ASYNC_COPY_FENCE = 1 << 27;
        /// `__opencl_c_kernel_clock_scope_device`; each of the three: `cl_khr_kernel_clock`.
        const CLOCK_DEVICE = 1 << 28;
        /// `__opencl_c_kernel_clock_scope_work_group`.
        const CLOCK_WORK_GROUP = 1 << 29;
        /// `__opencl_c_kernel_clock_scope_sub_group`.
        const CLOCK_SUB_GROUP = 1 << 30;
        /// `cl_khr_subgroup_extended_types`.
        const SUBGROUP_TYPES = 1 << 31;
        /// `cl_khr_subgroup_non_uniform_vote`.
        const SUBGROUP_VOTE = 1 << 32;
        /// `cl_khr_subgroup_ballot`.
        const SUBGROUP_BALLOT = 1 << 33;
        /// `cl_khr_subgroup_non_uniform_arithmetic`.
        const SUBGROUP_ARITHMETIC = 1 << 34;
        /// `cl_khr_subgroup_shuffle`.
        const SUBGROUP_SHUFFLE = 1 << 35;
        /// `cl_khr_subgroup_shuffle_relative`.
        const SUBGROUP_SHUFFLE_RELATIVE = 1 << 36;
        /// `cl_khr_subgroup_clustered_reduce`.
        const SUBGROUP_CLUSTERED = 1 << 37;
        /// `cl_khr_subgroup_rotate`.
        const SUBGROUP_ROTATE = 1 << 38;
        /// `cl_ext_float_atomics`: the functions and types; what of them there is the following say.
        const FLOAT_ATOMICS = 1 << 39;
        /// `__opencl_c_ext_fp16_global_atomic_load_store`.
        const FP16_GLOBAL_LOAD_STORE = 1 << 40;
        /// `__opencl_c_ext_fp16_local_atomic_load_store`.
        const FP16_LOCAL_LOAD_STORE = 1 << 41;
        /// `__opencl_c_ext_fp16_global_atomic_add`.
        const FP16_GLOBAL_ADD = 1 << 42;
        /// `__opencl_c_ext_fp16_local_atomic_add`.
        const FP16_LOCAL_ADD = 1 << 43;
        /// `__opencl_c_ext_fp16_global_atomic_min_max`.
        const FP16_GLOBAL_MIN_MAX = 1 << 44;
        /// `__opencl_c_ext_fp16_local_atomic_min_max`.
        const FP16_LOCAL_MIN_MAX = 1 << 45;
        /// `__opencl_c_ext_fp32_global_atomic_add`.
        const FP32_GLOBAL_ADD = 1 << 46;
        /// `__opencl_c_ext_fp32_local_atomic_add`.
        const FP32_LOCAL_ADD = 1 << 47;
        /// `__opencl_c_ext_fp32_global_atomic_min_max`.
        const FP32_GLOBAL_MIN_MAX = 1 << 48;
        /// `__opencl_c_ext_fp32_local_atomic_min_max`.
        const FP32_LOCAL_MIN_MAX = 1 << 49;
        /// `__opencl_c_ext_fp64_global_atomic_add`.
        const FP64_GLOBAL_ADD = 1 << 50;
        /// `__opencl_c_ext_fp64_local_atomic_add`.
        const FP64_LOCAL_ADD = 1 << 51;
        /// `__opencl_c_ext_fp64_global_atomic_min_max`.
        const FP64_GLOBAL_MIN_MAX = 1 << 52;
        /// `__opencl_c_ext_fp64_local_atomic_min_max`.
        const FP64_LOCAL_MIN_MAX = 1 << 53;
        /// `__opencl_c_ext_image_unorm_int_2_101010`.
        const IMAGE_2_101010 = 1 << 54;
        /// `__opencl_c_ext_image_unsigned_10x6_12x4_14x2`.
        const IMAGE_10X6_12X4_14X2 = 1 << 55;
        /// `cl_intel_subgroups`, and its `_char`, `_short` and `_long`.
        const INTEL_SUBGROUPS = 1 << 56;
        /// `cl_intel_required_subgroup_size`.
        const INTEL_REQUIRED_SIZE = 1 << 57;
    }
}

impl Features {
    /// What OpenCL C 2.0 has of itself (§6.2.1: what 3.0 made optional).
    pub const OF_2_0: Features = Features::GENERIC_ADDRESS_SPACE
        .union(Features::PROGRAM_SCOPE_GLOBALS)
        .union(Features::ATOMIC_ORDER_ACQ_REL)
        .union(Features::ATOMIC_ORDER_SEQ_CST)
        .union(Features::ATOMIC_SCOPE_DEVICE)
        .union(Features::ATOMIC_SCOPE_ALL_DEVICES)
        .union(Features::IMAGE_3D_WRITES)
        .union(Features::READ_WRITE_IMAGES)
        .union(Features::PIPES)
        .union(Features::DEVICE_ENQUEUE)
        .union(Features::WORK_GROUP_COLLECTIVES);

    /// All that the front end has code for, which is everything: what it compiles for where no device is named.
    pub const EXPRESSED: Features = Features::all();

    /// What OpenCL C 3.1 has of itself.
    pub const OF_3_1: Features = Features::BIT_OPS;

    /// What OpenCL C 3.1 has of itself where there are sub-groups.
    pub const OF_3_1_SUBGROUPS: Features = Features::SUBGROUP_TYPES
        .union(Features::SUBGROUP_ROTATE)
        .union(Features::SUBGROUP_SHUFFLE)
        .union(Features::SUBGROUP_SHUFFLE_RELATIVE);

    /// With what the language version has of itself, and without what no version so early has.
    pub fn in_version(self, std: LangVersion) -> Features {
        let mut all = self;
        if std < LangVersion::Cl2_0 {
            all = all.difference(Features::OF_2_0.difference(Features::IMAGE_3D_WRITES));
        }
        if std == LangVersion::Cl2_0 {
            // Pipes and device-side enqueue are of 2.0 too, but only for devices that have them: no Vulkan device
            // has, and a program hears of it best from the compiler.
            all |= Features::OF_2_0.difference(Features::PIPES.union(Features::DEVICE_ENQUEUE));
        }
        if std >= LangVersion::Cl2_0 && self.contains(Features::IMAGES) {
            all |= Features::DEPTH_IMAGES;
        }
        if std >= LangVersion::Cl3_1 {
            all |= Features::OF_3_1;
            if self.contains(Features::SUBGROUPS) {
                all |= Features::OF_3_1_SUBGROUPS;
            }
        }
        all
    }
}

/// A macro that tells of something optional.
#[derive(Debug, Clone, Copy)]
pub struct Optional {
    /// The macro, which is the name of the feature or extension.
    pub name: &'static str,
    /// What must be there, any one of these.
    pub any_of: Features,
}

const fn optional(name: &'static str, any_of: Features) -> Optional {
    Optional { name, any_of }
}

const CLOCKS: Features =
    Features::CLOCK_DEVICE.union(Features::CLOCK_WORK_GROUP).union(Features::CLOCK_SUB_GROUP);
const DOT: Features = Features::DOT_4X8.union(Features::DOT_4X8_PACKED);

/// The feature macros (§6.2.1), which OpenCL C 3.0 brought, and the extension macros; sorted by name. A name that all
/// devices have needs no flag.
#[rustfmt::skip]
pub const OPTIONAL: &[Optional] = &[
    optional("__opencl_c_3d_image_writes", Features::IMAGE_3D_WRITES),
    optional("__opencl_c_atomic_order_acq_rel", Features::ATOMIC_ORDER_ACQ_REL),
    optional("__opencl_c_atomic_order_seq_cst", Features::ATOMIC_ORDER_SEQ_CST),
    optional("__opencl_c_atomic_scope_all_devices", Features::ATOMIC_SCOPE_ALL_DEVICES),
    optional("__opencl_c_atomic_scope_device", Features::ATOMIC_SCOPE_DEVICE),
    optional("__opencl_c_device_enqueue", Features::DEVICE_ENQUEUE),
    optional("__opencl_c_ext_fp16_global_atomic_add", Features::FP16_GLOBAL_ADD),
    optional("__opencl_c_ext_fp16_global_atomic_load_store", Features::FP16_GLOBAL_LOAD_STORE),
    optional("__opencl_c_ext_fp16_global_atomic_min_max", Features::FP16_GLOBAL_MIN_MAX),
    optional("__opencl_c_ext_fp16_local_atomic_add", Features::FP16_LOCAL_ADD),
    optional("__opencl_c_ext_fp16_local_atomic_load_store", Features::FP16_LOCAL_LOAD_STORE),
    optional("__opencl_c_ext_fp16_local_atomic_min_max", Features::FP16_LOCAL_MIN_MAX),
    optional("__opencl_c_ext_fp32_global_atomic_add", Features::FP32_GLOBAL_ADD),
    optional("__opencl_c_ext_fp32_global_atomic_min_max", Features::FP32_GLOBAL_MIN_MAX),
    optional("__opencl_c_ext_fp32_local_atomic_add", Features::FP32_LOCAL_ADD),
    optional("__opencl_c_ext_fp32_local_atomic_min_max", Features::FP32_LOCAL_MIN_MAX),
    optional("__opencl_c_ext_fp64_global_atomic_add", Features::FP64_GLOBAL_ADD),
    optional("__opencl_c_ext_fp64_global_atomic_min_max", Features::FP64_GLOBAL_MIN_MAX),
    optional("__opencl_c_ext_fp64_local_atomic_add", Features::FP64_LOCAL_ADD),
    optional("__opencl_c_ext_fp64_local_atomic_min_max", Features::FP64_LOCAL_MIN_MAX),
    optional("__opencl_c_ext_image_unorm_int_2_101010", Features::IMAGE_2_101010),
    optional("__opencl_c_ext_image_unsigned_10x6_12x4_14x2", Features::IMAGE_10X6_12X4_14X2),
    optional("__opencl_c_fp64", Features::FP64),
    optional("__opencl_c_generic_address_space", Features::GENERIC_ADDRESS_SPACE),
    optional("__opencl_c_images", Features::IMAGES),
    optional("__opencl_c_int64", Features::INT64),
    optional("__opencl_c_integer_dot_product_input_4x8bit", Features::DOT_4X8),
    optional("__opencl_c_integer_dot_product_input_4x8bit_packed", Features::DOT_4X8_PACKED),
    optional("__opencl_c_kernel_clock_scope_device", Features::CLOCK_DEVICE),
    optional("__opencl_c_kernel_clock_scope_sub_group", Features::CLOCK_SUB_GROUP),
    optional("__opencl_c_kernel_clock_scope_work_group", Features::CLOCK_WORK_GROUP),
    optional("__opencl_c_pipes", Features::PIPES),
    optional("__opencl_c_program_scope_global_variables", Features::PROGRAM_SCOPE_GLOBALS),
    optional("__opencl_c_read_write_images", Features::READ_WRITE_IMAGES),
    optional("__opencl_c_subgroups", Features::SUBGROUPS),
    optional("__opencl_c_work_group_collective_functions", Features::WORK_GROUP_COLLECTIVES),
    optional("cl_ext_float_atomics", Features::FLOAT_ATOMICS),
    optional("cl_ext_image_unorm_int_2_101010", Features::IMAGE_2_101010),
    optional("cl_ext_image_unsigned_10x6_12x4_14x2", Features::IMAGE_10X6_12X4_14X2),
    optional("cl_intel_required_subgroup_size", Features::INTEL_REQUIRED_SIZE),
    optional("cl_intel_subgroups", Features::INTEL_SUBGROUPS),
    optional("cl_intel_subgroups_char", Features::INTEL_SUBGROUPS),
    optional("cl_intel_subgroups_long", Features::INTEL_SUBGROUPS),
    optional("cl_intel_subgroups_short", Features::INTEL_SUBGROUPS),
    optional("cl_khr_3d_image_writes", Features::IMAGE_3D_WRITES),
    optional("cl_khr_async_work_group_copy_fence", Features::ASYNC_COPY_FENCE),
    optional("cl_khr_byte_addressable_store", Features::empty()),
    optional("cl_khr_depth_images", Features::DEPTH_IMAGES),
    optional("cl_khr_extended_async_copies", Features::EXTENDED_ASYNC_COPIES),
    optional("cl_khr_extended_bit_ops", Features::BIT_OPS),
    optional("cl_khr_fp16", Features::FP16),
    optional("cl_khr_fp64", Features::FP64),
    optional("cl_khr_gl_msaa_sharing", Features::MSAA_IMAGES),
    optional("cl_khr_global_int32_base_atomics", Features::empty()),
    optional("cl_khr_global_int32_extended_atomics", Features::empty()),
    optional("cl_khr_int64_base_atomics", Features::INT64_ATOMICS),
    optional("cl_khr_int64_extended_atomics", Features::INT64_ATOMICS),
    optional("cl_khr_integer_dot_product", DOT),
    optional("cl_khr_kernel_clock", CLOCKS),
    optional("cl_khr_local_int32_base_atomics", Features::empty()),
    optional("cl_khr_local_int32_extended_atomics", Features::empty()),
    optional("cl_khr_mipmap_image", Features::MIPMAPS),
    optional("cl_khr_mipmap_image_writes", Features::MIPMAP_WRITES),
    optional("cl_khr_srgb_image_writes", Features::SRGB_WRITES),
    optional("cl_khr_subgroup_ballot", Features::SUBGROUP_BALLOT),
    optional("cl_khr_subgroup_clustered_reduce", Features::SUBGROUP_CLUSTERED),
    optional("cl_khr_subgroup_extended_types", Features::SUBGROUP_TYPES),
    optional("cl_khr_subgroup_non_uniform_arithmetic", Features::SUBGROUP_ARITHMETIC),
    optional("cl_khr_subgroup_non_uniform_vote", Features::SUBGROUP_VOTE),
    optional("cl_khr_subgroup_rotate", Features::SUBGROUP_ROTATE),
    optional("cl_khr_subgroup_shuffle", Features::SUBGROUP_SHUFFLE),
    optional("cl_khr_subgroup_shuffle_relative", Features::SUBGROUP_SHUFFLE_RELATIVE),
    optional("cl_khr_subgroups", Features::SUBGROUPS),
    optional("cl_khr_work_group_uniform_arithmetic", Features::WORK_GROUP_ARITHMETIC),
    optional("cles_khr_int64", Features::INT64),
];

impl Optional {
    /// The entry of a name.
    pub fn find(name: &str) -> Option<&'static Optional> {
        let at = OPTIONAL.binary_search_by(|o| o.name.cmp(name)).ok()?;
        OPTIONAL.get(at)
    }

    /// An extension spelt almost like `name`, by a measure of the distance of two names.
    pub fn similar_extension(
        name: &str,
        distance: impl Fn(&str, &str) -> Option<usize>,
    ) -> Option<&'static str> {
        let extensions = OPTIONAL.iter().filter(|o| !o.is_feature());
        extensions.filter_map(|o| Some((distance(name, o.name)?, o.name))).min().map(|(_, name)| name)
    }

    /// Returns whether it is a feature macro of OpenCL C 3.0 rather than an extension.
    pub fn is_feature(&self) -> bool {
        self.name.starts_with("__opencl_c_")
    }

    /// Returns whether a device with these features has it.
    pub fn is_in(&self, features: Features) -> bool {
        self.any_of.is_empty() || features.intersects(self.any_of)
    }

    /// Returns what tells of a feature to a program of that language version, for messages: the extension up to 2.0, the
    /// feature macro from 3.0 on, where there are both.
    pub fn name_of(features: Features, std: LangVersion) -> &'static str {
        let of = |feature: bool| {
            OPTIONAL.iter().find(|o| o.is_feature() == feature && o.any_of.intersects(features))
        };
        let found = if std >= LangVersion::Cl3_0 { of(true).or(of(false)) } else { of(false).or(of(true)) };
        found.map_or("an optional feature", |o| o.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_every_flag_has_one() {
        assert!(OPTIONAL.windows(2).all(|w| w[0].name < w[1].name));
        let named = OPTIONAL.iter().fold(Features::empty(), |all, o| all | o.any_of);
        assert_eq!(named, Features::all());
    }

    #[test]
    fn versions_have_features_of_their_own() {
        let globals = Features::PROGRAM_SCOPE_GLOBALS;
        assert!(Features::empty().in_version(LangVersion::Cl2_0).contains(globals));
        assert!(!Features::empty().in_version(LangVersion::Cl3_0).contains(globals));
        assert!(!Features::empty().in_version(LangVersion::Cl2_0).contains(Features::PIPES));
        assert!(Features::PIPES.in_version(LangVersion::Cl2_0).contains(Features::PIPES));
        assert!(!Features::PIPES.in_version(LangVersion::Cl1_2).contains(Features::PIPES));
        assert!(!Features::empty().in_version(LangVersion::Cl3_1).contains(Features::SUBGROUP_ROTATE));
        assert!(Features::SUBGROUPS.in_version(LangVersion::Cl3_1).contains(Features::SUBGROUP_ROTATE));
        assert_eq!(Optional::name_of(Features::FP64, LangVersion::Cl1_2), "cl_khr_fp64");
        assert_eq!(Optional::name_of(Features::FP64, LangVersion::Cl3_0), "__opencl_c_fp64");
    }
}
