//! Images with small texels on devices that have no storage images of them
//! ([`TargetFeatures::widens_texels`](lower::target::TargetFeatures::widens_texels)): they are made with four channels in place of one or
//! two, so that a texel has at least four bytes. Whoever reads, writes and copies texels sees them as they were asked for.
//!
//! The channels that are added are never looked at. Kernels know what they are
//! ([`ImageView::bits`](lower::kernel_info::ImageView)); the views for samplers have zeros and ones in their place.

use ash::vk::Format;

/// Returns what a small texel is made as: Vulkan's format and its bytes. `None` for texels of four bytes and more, and for those that are
/// no channels side by side.
#[must_use]
pub fn widened(format: Format) -> Option<(Format, u32)> {
    Some(match format {
        Format::R8_UNORM | Format::R8G8_UNORM => (Format::R8G8B8A8_UNORM, 4),
        Format::R8_SNORM | Format::R8G8_SNORM => (Format::R8G8B8A8_SNORM, 4),
        Format::R8_UINT | Format::R8G8_UINT => (Format::R8G8B8A8_UINT, 4),
        Format::R8_SINT | Format::R8G8_SINT => (Format::R8G8B8A8_SINT, 4),
        Format::R16_UNORM => (Format::R16G16B16A16_UNORM, 8),
        Format::R16_SNORM => (Format::R16G16B16A16_SNORM, 8),
        Format::R16_UINT => (Format::R16G16B16A16_UINT, 8),
        Format::R16_SINT => (Format::R16G16B16A16_SINT, 8),
        Format::R16_SFLOAT => (Format::R16G16B16A16_SFLOAT, 8),
        _ => return None,
    })
}

/// Texels of so many bytes in the form of a widened image: the added channels are zeros.
pub(crate) fn expand(texels: &[u8], texel: u32, wide: u32) -> Vec<u8> {
    let (texel, wide) = (texel as usize, wide as usize);
    let mut out = vec![0; texels.len() / texel.max(1) * wide];
    for (to, from) in out.chunks_exact_mut(wide).zip(texels.chunks_exact(texel)) {
        if let Some(to) = to.get_mut(..texel) {
            to.copy_from_slice(from);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texels_are_expanded() {
        assert_eq!(expand(&[1, 2, 3], 1, 4), [1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0]);
        assert_eq!(expand(&[1, 2, 3, 4], 2, 8), [1, 2, 0, 0, 0, 0, 0, 0, 3, 4, 0, 0, 0, 0, 0, 0]);
        assert_eq!(expand(&[], 2, 4), [0u8; 0]);
    }

    #[test]
    fn small_texels_alone_are_widened() {
        for format in [Format::R8_UNORM, Format::R8G8_SINT, Format::R16_SFLOAT] {
            let (wide, texel) = widened(format).expect("a small one");
            assert!(texel >= 4 && widened(wide).is_none());
        }
        for format in [Format::R16G16_UNORM, Format::R32_SFLOAT, Format::R5G6B5_UNORM_PACK16] {
            assert_eq!(widened(format), None);
        }
    }
}
