//! GLSL helper kernels and their SPIR-V.
//!
//! The sources are `glsl/*.comp`; the SPIR-V beside them is shaderc's output for them with
//! [`TARGET`] and [`OPTIMIZATION`], and is committed so that a build needs no C++. A test in the crate
//! `tests` proves that the two agree.
#![forbid(unsafe_code)]

/// The environment that the helpers are compiled for: shaderc's `TargetEnv::Vulkan` with this
/// `EnvVersion` (SPIR-V 1.3).
pub const TARGET: &str = "vulkan1.1";

/// shaderc's `OptimizationLevel`: none, no debug information. The drivers optimise; unoptimised output is the same
/// for all versions of SPIRV-Tools.
pub const OPTIMIZATION: &str = "zero";

/// The name of every helper's entry point.
pub const ENTRY_POINT: &str = "main";

/// A helper kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Helper {
    /// Its file name without the extension.
    pub name: &'static str,
    /// Its source.
    pub glsl: &'static str,
    /// Its SPIR-V, little-endian words.
    pub spirv: &'static [u8],
}

impl Helper {
    /// The SPIR-V as words.
    #[must_use]
    pub fn words(&self) -> Vec<u32> {
        self.spirv.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect()
    }
}

/// Fills a byte range with a pattern of 1 to 128 bytes. Bindings: 0 the destination, 1 the pattern.
/// Push constants: `first, count, pattern_size, phase, group_base`.
pub const FILL: Helper = Helper {
    name: "fill",
    glsl: include_str!("../glsl/fill.comp"),
    spirv: include_bytes!("../glsl/fill.spv"),
};

/// Copies a box of bytes. Bindings: 0 the destination, 1 the source. Push constants: `dst_first, dst_row_pitch,
/// dst_slice_pitch, src_first, src_row_pitch, src_slice_pitch, width, height, depth, row_words, group_base`.
pub const COPY_RECT: Helper = Helper {
    name: "copy_rect",
    glsl: include_str!("../glsl/copy_rect.comp"),
    spirv: include_bytes!("../glsl/copy_rect.spv"),
};

/// Copies 16-byte units. Bindings: 0 the destination, 1 the source. Push constants: `dst_first, src_first, count, group_base`.
pub const COPY_WIDE: Helper = Helper {
    name: "copy_wide",
    glsl: include_str!("../glsl/copy_wide.comp"),
    spirv: include_bytes!("../glsl/copy_wide.spv"),
};

/// Copies 16-byte units between addresses, and writes a word when all are copied. No bindings. Push constants: the addresses `destination,
/// source, counter, word` of 64 bits, `count, groups`. Needs bufferDeviceAddress. See [`units_with_word`].
pub const COPY_WITH_WORD: Helper = Helper {
    name: "copy_with_word",
    glsl: include_str!("../glsl/copy_with_word.comp"),
    spirv: include_bytes!("../glsl/copy_with_word.spv"),
};

/// Counts its work-groups in a word. No bindings. Push constants: the address of the word, of 64 bits. Needs bufferDeviceAddress.
pub const PROBE: Helper = Helper {
    name: "probe",
    glsl: include_str!("../glsl/probe.comp"),
    spirv: include_bytes!("../glsl/probe.spv"),
};

/// Fills 16-byte units with a pattern of 1, 2, 4 or 8 of them. The work-group size is a multiple of 8. Bindings: 0 the
/// destination, 1 the pattern. Push constants: `first, pattern_mask, count, group_base`.
pub const FILL_WIDE: Helper = Helper {
    name: "fill_wide",
    glsl: include_str!("../glsl/fill_wide.comp"),
    spirv: include_bytes!("../glsl/fill_wide.spv"),
};

/// Copies rows of texels of 1, 2, 4, 8 or 16 bytes to a box of a two-dimensional image. Bindings: 0 the image, seen as unsigned integers of
/// that size, 1 the source. Push constants: `first, row_pitch, x, y, width, height, texel`. Needs shaderStorageImageWriteWithoutFormat.
pub const TEXELS_TO_IMAGE: Helper = Helper {
    name: "texels_to_image",
    glsl: include_str!("../glsl/texels_to_image.comp"),
    spirv: include_bytes!("../glsl/texels_to_image.spv"),
};

/// The other way, of texels of 4, 8 or 16 bytes. Bindings: 0 the image, 1 the destination. Push constants: the same.
pub const IMAGE_TO_TEXELS: Helper = Helper {
    name: "image_to_texels",
    glsl: include_str!("../glsl/image_to_texels.comp"),
    spirv: include_bytes!("../glsl/image_to_texels.spv"),
};

/// How many units an invocation of [`COPY_WIDE`] and [`FILL_WIDE`] takes.
pub const UNITS: u64 = 4;

/// How many units an invocation of [`COPY_WITH_WORD`] takes in work-groups of this size.
#[must_use]
pub const fn units_with_word(group: u32) -> u64 {
    if group >= 512 { 8 } else { 4 }
}

/// All helpers.
pub const HELPERS: &[Helper] =
    &[FILL, COPY_RECT, COPY_WIDE, COPY_WITH_WORD, PROBE, FILL_WIDE, TEXELS_TO_IMAGE, IMAGE_TO_TEXELS];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_helper_is_a_spirv_1_3_module() {
        for helper in HELPERS {
            let words = helper.words();
            assert_eq!(words.first(), Some(&0x0723_0203), "{}", helper.name);
            assert_eq!(words.get(1), Some(&0x0001_0300), "{}", helper.name);
        }
    }
}
