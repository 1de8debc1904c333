//! Colours as the bytes of a texel: what clEnqueueFillImage writes, with the conversions of OpenCL C §8.3 to nearest even.

use vk_runtime::Channel;

use super::ImageFormat;
use super::names::*;

/// The bytes of a texel with a colour: four floats for normalized and float formats, four integers for the others, each as its bits.
/// A depth format has one float, the first.
#[must_use]
pub fn texel(format: &ImageFormat, colour: [u32; 4]) -> Vec<u8> {
    let floats = colour.map(f32::from_bits);
    let [r, g, b, _] = floats;
    match format.data_type {
        UNORM_SHORT_565 => {
            let word = unorm(r, 31) << 11 | unorm(g, 63) << 5 | unorm(b, 31);
            return (word as u16).to_le_bytes().to_vec();
        }
        UNORM_SHORT_555 => {
            let word = unorm(r, 31) << 10 | unorm(g, 31) << 5 | unorm(b, 31);
            return (word as u16).to_le_bytes().to_vec();
        }
        UNORM_INT_101010 => {
            let word = unorm(r, 1023) << 20 | unorm(g, 1023) << 10 | unorm(b, 1023);
            return word.to_le_bytes().to_vec();
        }
        _ => {}
    }
    let mut out = Vec::with_capacity(16);
    for place in [Channel::R, Channel::G, Channel::B, Channel::A] {
        // Which of OpenCL's channels lies there; the fourth byte of orders with an x is of no account.
        let Some(channel) = format.channels.iter().position(|c| *c == place) else { continue };
        let srgb = format.is_srgb() && channel < 3;
        let float = if srgb { encode(floats[channel]) } else { floats[channel] };
        put(&mut out, format.data_type, float, colour[channel]);
    }
    out.resize(format.texel as usize, 0);
    out
}

fn put(out: &mut Vec<u8>, data_type: u32, float: f32, bits: u32) {
    let signed = bits.cast_signed();
    match data_type {
        SNORM_INT8 => out.push(snorm(float, 127) as u8),
        SNORM_INT16 => out.extend((snorm(float, 32767) as u16).to_le_bytes()),
        UNORM_INT8 => out.push(unorm(float, 255) as u8),
        UNORM_INT16 => out.extend((unorm(float, 65535) as u16).to_le_bytes()),
        SIGNED_INT8 => out.push(signed.clamp(-128, 127) as u8),
        SIGNED_INT16 => out.extend((signed.clamp(-32768, 32767) as u16).to_le_bytes()),
        UNSIGNED_INT8 => out.push(bits.min(255) as u8),
        UNSIGNED_INT16 => out.extend((bits.min(65535) as u16).to_le_bytes()),
        HALF_FLOAT => out.extend(half(float).to_le_bytes()),
        _ => out.extend(bits.to_le_bytes()),
    }
}

/// A fraction of a largest value, to nearest even; NaN is 0.
fn unorm(value: f32, most: u32) -> u32 {
    (f64::from(value).clamp(0.0, 1.0) * f64::from(most)).round_ties_even() as u32
}

fn snorm(value: f32, most: i32) -> i32 {
    (f64::from(value).clamp(-1.0, 1.0) * f64::from(most)).round_ties_even() as i32
}

/// A linear intensity as sRGB's (OpenCL C §8.3.1.3).
fn encode(linear: f32) -> f32 {
    let c = f64::from(linear);
    let encoded = match c {
        _ if c.is_nan() || c < 0.0 => 0.0,
        _ if c > 1.0 => 1.0,
        _ if c < 0.003_130_8 => 12.92 * c,
        _ => 1.055 * c.powf(1.0 / 2.4) - 0.055,
    };
    encoded as f32
}

/// The nearest half, even ones where two are.
#[must_use]
pub fn half(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = (bits >> 16) as u16 & 0x8000;
    let exponent = (bits >> 23 & 0xff).cast_signed() - 127;
    let fraction = bits & 0x7f_ffff;
    match exponent {
        128 if fraction != 0 => sign | 0x7e00,
        16.. => sign | 0x7c00,
        -14..=15 => {
            let whole = ((exponent + 15).cast_unsigned() << 10) | fraction >> 13;
            // What rounds up to the next exponent, or to infinity, is what the sum says.
            sign | rounded(whole, fraction & 0x1fff, 13) as u16
        }
        -25..=-15 => {
            let shift = (-1 - exponent).cast_unsigned();
            let fraction = fraction | 0x80_0000;
            sign | rounded(fraction >> shift, fraction & ((1 << shift) - 1), shift) as u16
        }
        _ => sign,
    }
}

/// A number whose part behind the point has so many bits, rounded to nearest even.
fn rounded(whole: u32, rest: u32, bits: u32) -> u32 {
    let middle = 1 << (bits - 1);
    whole + u32::from(rest > middle || (rest == middle && whole & 1 == 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(order: u32, data_type: u32, colour: [f32; 4]) -> Vec<u8> {
        texel(&ImageFormat::find(order, data_type).expect("a format"), colour.map(f32::to_bits))
    }

    #[test]
    fn channels_lie_as_their_orders_say() {
        let c = [1.0, 0.2, 0.4, 0.6];
        assert_eq!(bytes(RGBA, UNORM_INT8, c), [255, 51, 102, 153]);
        assert_eq!(bytes(BGRA, UNORM_INT8, c), [102, 51, 255, 153]);
        assert_eq!(bytes(ARGB, UNORM_INT8, c), [153, 255, 51, 102]);
        assert_eq!(bytes(ABGR, UNORM_INT8, c), [153, 102, 51, 255]);
        assert_eq!(bytes(A, UNORM_INT8, c), [153]);
        assert_eq!(bytes(RA, UNORM_INT8, c), [255, 153]);
        assert_eq!(bytes(LUMINANCE, UNORM_INT8, c), [255]);
        assert_eq!(bytes(INTENSITY, UNORM_INT8, c), [255]);
        assert_eq!(bytes(DEPTH, FLOAT, [0.5; 4]), 0.5f32.to_le_bytes());
        assert_eq!(bytes(RGB, UNORM_SHORT_565, [1.0, 0.0, 1.0, 0.0]), 0xf81fu16.to_le_bytes());
        assert_eq!(bytes(RGB, UNORM_SHORT_555, [1.0, 0.0, 1.0, 0.0]), 0x7c1fu16.to_le_bytes());
        assert_eq!(bytes(RGB, UNORM_INT_101010, [1.0, 0.0, 1.0, 0.0]), 0x3ff0_03ffu32.to_le_bytes());
        assert_eq!(bytes(SRGBA, UNORM_INT8, [0.5, 0.0, 1.0, 0.5]), [188, 0, 255, 128]);
        assert_eq!(bytes(SBGRA, UNORM_INT8, [0.5, 0.0, 1.0, 0.5]), [255, 0, 188, 128]);
    }

    #[test]
    fn values_are_clamped_and_rounded() {
        assert_eq!(bytes(RG, SNORM_INT8, [-2.0, 0.5, 0.0, 0.0]), [0x81, 64]);
        assert_eq!(bytes(R, UNORM_INT8, [f32::NAN, 0.0, 0.0, 0.0]), [0]);
        let ints = |data_type, v: i32| {
            texel(&ImageFormat::find(R, data_type).expect("a format"), [v.cast_unsigned(); 4])
        };
        assert_eq!(ints(SIGNED_INT8, -300), [0x80]);
        assert_eq!(ints(UNSIGNED_INT16, 70000), [255, 255]);
        assert_eq!(ints(SIGNED_INT32, -2), (-2i32).to_le_bytes());
    }

    #[test]
    fn halves() {
        for (float, expected) in [
            (0.0, 0),
            (-0.0, 0x8000),
            (1.0, 0x3c00),
            (65504.0, 0x7bff),
            (65520.0, 0x7c00),
            (65519.9, 0x7bff),
            (f32::INFINITY, 0x7c00),
            (5.960_464_5e-8, 1),
            (2.980_232_2e-8, 0),
            (2.980_233e-8, 1),
            (6.103_515_6e-5, 0x400),
            (1.0 + 1.0 / 2048.0, 0x3c00),
            (1.0 + 3.0 / 2048.0, 0x3c02),
        ] {
            assert_eq!(half(float), expected, "{float}");
        }
        assert_eq!(half(f32::NAN) & 0x7e00, 0x7e00);
    }
}
