//! The colour that gives all texels of an image certain bytes, for vkCmdClearColorImage, which drivers do faster than copies.
//!
//! Only where the driver's conversion of it gives these bytes whatever its precision: not for denormals and NaN, nor for
//! the second form of -1 in normalized formats.

use ash::vk;

use crate::image::resource::Format;

/// The kind of a format's channels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Channels {
    Unorm,
    Snorm,
    Uint,
    Sint,
    Float,
}

/// Channels and bytes of one.
fn channels(format: Format) -> Option<(Channels, usize)> {
    use Channels::{Float, Sint, Snorm, Uint, Unorm};
    Some(match format {
        Format::R8_UNORM | Format::R8G8_UNORM | Format::R8G8B8A8_UNORM => (Unorm, 1),
        Format::R16_UNORM | Format::R16G16_UNORM | Format::R16G16B16A16_UNORM => (Unorm, 2),
        Format::R8_SNORM | Format::R8G8_SNORM | Format::R8G8B8A8_SNORM => (Snorm, 1),
        Format::R16_SNORM | Format::R16G16_SNORM | Format::R16G16B16A16_SNORM => (Snorm, 2),
        Format::R8_UINT | Format::R8G8_UINT | Format::R8G8B8A8_UINT => (Uint, 1),
        Format::R16_UINT | Format::R16G16_UINT | Format::R16G16B16A16_UINT => (Uint, 2),
        Format::R32_UINT | Format::R32G32_UINT | Format::R32G32B32A32_UINT => (Uint, 4),
        Format::R8_SINT | Format::R8G8_SINT | Format::R8G8B8A8_SINT => (Sint, 1),
        Format::R16_SINT | Format::R16G16_SINT | Format::R16G16B16A16_SINT => (Sint, 2),
        Format::R32_SINT | Format::R32G32_SINT | Format::R32G32B32A32_SINT => (Sint, 4),
        Format::R16_SFLOAT | Format::R16G16_SFLOAT | Format::R16G16B16A16_SFLOAT => (Float, 2),
        Format::R32_SFLOAT | Format::R32G32_SFLOAT | Format::R32G32B32A32_SFLOAT => (Float, 4),
        _ => return None,
    })
}

/// The colour of a texel with these bytes; `None` where no colour surely gives them.
pub(crate) fn clear_value(format: Format, texel: &[u8]) -> Option<vk::ClearColorValue> {
    let (kind, bytes) = channels(format)?;
    let mut words = [0u32; 4];
    for (word, channel) in words.iter_mut().zip(texel.chunks(bytes)) {
        let mut raw = [0; 4];
        raw.get_mut(..channel.len())?.copy_from_slice(channel);
        *word = word_of(kind, bytes, u32::from_le_bytes(raw))?;
    }
    // The three forms of the value are one place in memory (Vulkan specification, VkClearColorValue).
    Some(vk::ClearColorValue { uint32: words })
}

/// A channel of a colour, as the bits of a float or an integer.
fn word_of(kind: Channels, bytes: usize, raw: u32) -> Option<u32> {
    let unused = 32 - 8 * bytes as u32;
    let signed = (raw << unused).cast_signed() >> unused;
    let most = u32::MAX >> unused;
    Some(match kind {
        Channels::Uint => raw,
        Channels::Sint => signed.cast_unsigned(),
        Channels::Unorm => ((f64::from(raw) / f64::from(most)) as f32).to_bits(),
        Channels::Snorm => {
            let most = (most >> 1).cast_signed();
            if signed < -most {
                return None;
            }
            ((f64::from(signed) / f64::from(most)) as f32).to_bits()
        }
        Channels::Float if bytes == 2 => half(raw)?,
        Channels::Float => {
            let exponent = raw >> 23 & 0xff;
            if exponent == 0xff || (exponent == 0 && raw << 1 != 0) {
                return None;
            }
            raw
        }
    })
}

/// A half as the bits of a float.
fn half(raw: u32) -> Option<u32> {
    let (sign, exponent, fraction) = (raw >> 15 & 1, raw >> 10 & 0x1f, raw & 0x3ff);
    match exponent {
        0 if fraction == 0 => Some(sign << 31),
        0 | 0x1f => None,
        _ => Some(sign << 31 | (exponent + 112) << 23 | fraction << 13),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(format: Format, texel: &[u8]) -> Option<[f32; 4]> {
        // SAFETY: every form of the value is four words.
        clear_value(format, texel).map(|v| unsafe { v.float32 })
    }

    #[test]
    fn colours_of_texels() {
        assert_eq!(value(Format::R8G8B8A8_UNORM, &[0, 255, 51, 102]), Some([0.0, 1.0, 0.2, 0.4]));
        assert_eq!(value(Format::R8G8_SNORM, &[127, 0x81]), Some([1.0, -1.0, 0.0, 0.0]));
        assert_eq!(value(Format::R8_SNORM, &[0x80]), None);
        assert_eq!(value(Format::R16_SFLOAT, &[0, 0xc0]), Some([-2.0, 0.0, 0.0, 0.0]));
        assert_eq!(value(Format::R16_SFLOAT, &[1, 0]), None);
        assert_eq!(value(Format::R16_SFLOAT, &[0, 0x7c]), None);
        assert_eq!(value(Format::R32_SFLOAT, &1.5f32.to_le_bytes()), Some([1.5, 0.0, 0.0, 0.0]));
        assert_eq!(value(Format::R32_SFLOAT, &f32::NAN.to_le_bytes()), None);
        assert_eq!(value(Format::R32_SFLOAT, &1e-40f32.to_le_bytes()), None);
        assert!(value(Format::R5G6B5_UNORM_PACK16, &[0, 0]).is_none());
        // SAFETY: as above.
        let signed = clear_value(Format::R16_SINT, &[0xfe, 0xff]).map(|v| unsafe { v.int32 });
        assert_eq!(signed, Some([-2, 0, 0, 0]));
    }

    /// Each byte comes back from its fraction, with a wide margin.
    #[test]
    fn fractions_come_back() {
        for byte in 0..=255u8 {
            let [fraction, ..] = value(Format::R8_UNORM, &[byte]).expect("a colour");
            assert!((fraction * 255.0 - f32::from(byte)).abs() < 1e-4);
        }
        for word in 0..=u16::MAX {
            let [fraction, ..] = value(Format::R16_UNORM, &word.to_le_bytes()).expect("a colour");
            assert!((fraction * 65535.0 - f32::from(word)).abs() < 0.02);
        }
    }
}
