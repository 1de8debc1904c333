//! Images in host memory, read as OpenCL C says ("Image Addressing and Filtering"): what kernels are compared with.

use host::image::ImageFormat;
use host::image::names::*;
use lower::kernel_info::TexelClass;

/// The channels of a texel: integers and floats alike.
pub type Texel = [f64; 4];

/// Addressing modes, as in a sampler's bits.
pub const CLAMP: u32 = 2;
pub const REPEAT: u32 = 3;
pub const MIRRORED: u32 = 4;

/// An image.
pub struct Model {
    pub format: ImageFormat,
    /// Coordinates that address texels of one layer.
    pub dimensions: usize,
    pub arrayed: bool,
    /// By coordinate: layers are the last that counts.
    pub size: [usize; 3],
    pub texels: Vec<Texel>,
}

impl Model {
    pub fn new(
        format: ImageFormat,
        dimensions: usize,
        arrayed: bool,
        size: [usize; 3],
        bytes: &[u8],
    ) -> Self {
        let texels = bytes.chunks_exact(format.texel as usize).map(|b| decode(&format, b)).collect();
        Model { format, dimensions, arrayed, size, texels }
    }

    pub fn coordinates(&self) -> usize {
        self.dimensions + usize::from(self.arrayed)
    }

    /// A texel that exists.
    pub fn texel(&self, at: [usize; 3]) -> Texel {
        self.texels[(at[2] * self.size[1] + at[1]) * self.size[0] + at[0]]
    }

    /// The border's colour ("Determining the Border Color or Value").
    pub fn border(&self) -> Texel {
        let opaque = matches!(self.format.order, R | RG | RGB | LUMINANCE);
        [0.0, 0.0, 0.0, f64::from(u8::from(opaque))]
    }

    /// A texel, or the border where a coordinate is outside.
    fn texel_or_border(&self, at: [i64; 3]) -> Texel {
        let inside = (0..3).all(|d| (0..self.size[d] as i64).contains(&at[d]));
        if inside { self.texel(at.map(|i| i as usize)) } else { self.border() }
    }

    fn layer(&self, c: f32) -> i64 {
        let last = self.size[self.dimensions] as i64 - 1;
        (f64::from(c).round_ties_even() as i64).clamp(0, last)
    }

    /// The nearest texel, by a float coordinate; `None` where nothing is said.
    pub fn nearest(&self, at: [f32; 3], bits: u32) -> Option<Texel> {
        let mut place = [0i64; 3];
        for d in 0..self.dimensions {
            place[d] = nearest(at[d], self.size[d], bits)?;
        }
        if self.arrayed {
            if !at[self.dimensions].is_finite() {
                return None;
            }
            place[self.dimensions] = self.layer(at[self.dimensions]);
        }
        Some(self.texel_or_border(place))
    }

    /// The texel of an integer coordinate.
    pub fn fetch(&self, at: [i32; 3], bits: u32) -> Option<Texel> {
        let mut place = [0i64; 3];
        for d in 0..self.coordinates() {
            let (i, n) = (i64::from(at[d]), self.size[d] as i64);
            place[d] = match bits >> 1 & 7 {
                _ if d >= self.dimensions => i.clamp(0, n - 1),
                0 if !(0..n).contains(&i) => return None,
                0 => i,
                1 => i.clamp(0, n - 1),
                CLAMP => i.clamp(-1, n),
                _ => return None,
            };
        }
        Some(self.texel_or_border(place))
    }

    /// The linear filter.
    pub fn linear(&self, at: [f32; 3], bits: u32) -> Option<Texel> {
        let mut axes = [[(0i64, 1.0f64), (0, 0.0)]; 3];
        for d in 0..self.dimensions {
            axes[d] = linear(at[d], self.size[d], bits)?;
        }
        if self.arrayed {
            if !at[self.dimensions].is_finite() {
                return None;
            }
            axes[self.dimensions][0].0 = self.layer(at[self.dimensions]);
        }
        let mut sum = [0.0; 4];
        for corner in 0..1usize << 3 {
            let [x, y, z] = [0, 1, 2].map(|d| axes[d][corner >> d & 1]);
            let weight = x.1 * y.1 * z.1;
            if weight == 0.0 {
                continue;
            }
            let texel = self.texel_or_border([x.0, y.0, z.0]);
            for channel in 0..4 {
                sum[channel] += weight * texel[channel];
            }
        }
        Some(sum)
    }
}

fn nearest(c: f32, size: usize, bits: u32) -> Option<i64> {
    let n = size as i64;
    let w = size as f32;
    if !c.is_finite() {
        return None;
    }
    let normalized = bits & 1 != 0;
    let u = if normalized { c * w } else { c };
    let whole = |u: f32| u.floor() as i64;
    match bits >> 1 & 7 {
        0 => Some(whole(u)).filter(|i| (0..n).contains(i)),
        1 => Some(whole(u).clamp(0, n - 1)),
        CLAMP => Some(whole(u).clamp(-1, n)),
        _ if !normalized => None,
        REPEAT => {
            let i = whole((c - c.floor()) * w);
            Some(if i > n - 1 { i - n } else { i })
        }
        MIRRORED => {
            let mirrored = (c - 2.0 * (0.5 * c).round_ties_even()).abs();
            Some(whole(mirrored * w).min(n - 1))
        }
        _ => None,
    }
}

/// Two texels and their weights.
fn linear(c: f32, size: usize, bits: u32) -> Option<[(i64, f64); 2]> {
    let n = size as i64;
    let w = size as f64;
    let normalized = bits & 1 != 0;
    if !(if normalized { c * size as f32 } else { c }).is_finite() {
        return None;
    }
    let c = f64::from(c);
    let u = if normalized { c * w } else { c };
    let u = u.clamp(-1e9, 1e9);
    let pair = |u: f64| ((u - 0.5).floor() as i64, (u - 0.5) - (u - 0.5).floor());
    let (i0, i1, a) = match bits >> 1 & 7 {
        mode @ (0..=2) => {
            let (i, a) = pair(u);
            let (low, high) = if mode == CLAMP { (-1, n) } else { (0, n - 1) };
            if mode == 0 && !(0..n).contains(&(u.floor() as i64)) {
                return None;
            }
            (i.clamp(low, high), (i + 1).clamp(low, high), a)
        }
        _ if !normalized => return None,
        REPEAT => {
            let (i, a) = pair((c - c.floor()) * w);
            (i.rem_euclid(n), (i + 1).rem_euclid(n), a)
        }
        MIRRORED => {
            let (i, a) = pair((c - 2.0 * (0.5 * c).round_ties_even()).abs() * w);
            (i.max(0), (i + 1).min(n - 1), a)
        }
        _ => return None,
    };
    Some([(i0, 1.0 - a), (i1, a)])
}

fn half(bits: u16) -> f64 {
    let (sign, exponent, fraction) = (bits >> 15, bits >> 10 & 31, f64::from(bits & 1023));
    let value = match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        e => (1024.0 + fraction) * 2f64.powi(i32::from(e) - 25),
    };
    if sign == 1 { -value } else { value }
}

/// The channels of a texel (OpenCL API §5.3.1; OpenCL C "Conversion Rules").
pub fn decode(format: &ImageFormat, bytes: &[u8]) -> Texel {
    let short = |i: usize| u16::from_le_bytes([bytes[2 * i], bytes[2 * i + 1]]);
    let word =
        |i: usize| u32::from_le_bytes([bytes[4 * i], bytes[4 * i + 1], bytes[4 * i + 2], bytes[4 * i + 3]]);
    let part = |from: u32, count: u32| {
        let all = if bytes.len() == 2 { u32::from(short(0)) } else { word(0) };
        f64::from(all >> from & ((1 << count) - 1)) / f64::from((1u32 << count) - 1)
    };
    let count = match format.data_type {
        UNORM_SHORT_565 => return [part(11, 5), part(5, 6), part(0, 5), 1.0],
        UNORM_SHORT_555 => return [part(10, 5), part(5, 5), part(0, 5), 1.0],
        UNORM_INT_101010 => return [part(20, 10), part(10, 10), part(0, 10), 1.0],
        SNORM_INT8 | UNORM_INT8 | SIGNED_INT8 | UNSIGNED_INT8 => bytes.len(),
        SNORM_INT16 | UNORM_INT16 | SIGNED_INT16 | UNSIGNED_INT16 | HALF_FLOAT => bytes.len() / 2,
        _ => bytes.len() / 4,
    };
    let channel = |i: usize| match format.data_type {
        SNORM_INT8 => (f64::from(bytes[i] as i8) / 127.0).max(-1.0),
        UNORM_INT8 => f64::from(bytes[i]) / 255.0,
        SIGNED_INT8 => f64::from(bytes[i] as i8),
        UNSIGNED_INT8 => f64::from(bytes[i]),
        SNORM_INT16 => (f64::from(short(i) as i16) / 32767.0).max(-1.0),
        UNORM_INT16 => f64::from(short(i)) / 65535.0,
        SIGNED_INT16 => f64::from(short(i) as i16),
        UNSIGNED_INT16 => f64::from(short(i)),
        HALF_FLOAT => half(short(i)),
        SIGNED_INT32 => f64::from(word(i) as i32),
        UNSIGNED_INT32 => f64::from(word(i)),
        _ => f64::from(f32::from_bits(word(i))),
    };
    let mut memory = [0.0; 4];
    for (i, place) in memory.iter_mut().enumerate().take(count) {
        *place = channel(i);
    }
    order(format.order, memory)
}

/// The linear value of an sRGB channel.
fn decoded(c: f64) -> f64 {
    if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
}

/// The sRGB channel of a linear value.
fn encoded(c: f64) -> f64 {
    if c <= 0.003_130_8 { c * 12.92 } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 }
}

/// Channels from their order in memory.
fn order(order: u32, [x, y, z, w]: Texel) -> Texel {
    match order {
        A => [0.0, 0.0, 0.0, x],
        INTENSITY => [x; 4],
        LUMINANCE => [x, x, x, 1.0],
        RG => [x, y, 0.0, 1.0],
        RA => [x, 0.0, 0.0, y],
        RGBA => [x, y, z, w],
        BGRA => [z, y, x, w],
        ARGB => [y, z, w, x],
        ABGR => [w, z, y, x],
        SRGBX => [decoded(x), decoded(y), decoded(z), 1.0],
        SRGBA => [decoded(x), decoded(y), decoded(z), w],
        SBGRA => [decoded(z), decoded(y), decoded(x), w],
        // R and depth.
        _ => [x, 0.0, 0.0, 1.0],
    }
}

/// How far a channel that is read may be off.
pub fn precision(format: &ImageFormat, value: f64) -> f64 {
    if format.class != TexelClass::Float {
        return 0.0;
    }
    match format.data_type {
        HALF_FLOAT | FLOAT => 0.0,
        // What comes back, encoded again, is within half a step of the channel (OpenCL C, "Conversion Rules for sRGBA and sBGRA Images").
        _ if format.is_srgb() => decoded(encoded(value) + 0.5 / 255.0) - value,
        _ => 1.5 * f64::from(f32::EPSILON) * value.abs(),
    }
}

/// How far a channel that was written may be off: half a step and a little.
pub fn step(format: &ImageFormat, value: f64) -> f64 {
    match format.data_type {
        SNORM_INT8 => 0.6 / 127.0,
        UNORM_INT8 if format.is_srgb() => 1.2 / 255.0,
        UNORM_INT8 => 0.6 / 255.0,
        SNORM_INT16 => 0.6 / 32767.0,
        UNORM_INT16 => 0.6 / 65535.0,
        // Vulkan leaves the rounding open.
        HALF_FLOAT => value.abs() / 1024.0,
        _ => 0.0,
    }
}
