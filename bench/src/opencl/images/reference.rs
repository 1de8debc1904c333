//! The reference of kernels that read images.

/// The weights of the convolution: not symmetric, so that a mirrored one is found; their sum is 1.
pub(super) fn weights() -> [f32; 25] {
    std::array::from_fn(|i| (i + 1) as f32 / 325.0)
}

/// A channel of a texel of an RGBA8 image, its place clamped to the image; from 0 to 255.
fn channel(data: &[u8], [w, h]: [usize; 2], x: i64, y: i64, n: usize) -> f64 {
    let inside = |i: i64, n: usize| i.clamp(0, n as i64 - 1) as usize;
    f64::from(data[(inside(y, h) * w + inside(x, w)) * 4 + n])
}

/// A channel of the convolution, from 0 to 255.
pub(super) fn convolved(data: &[u8], size: [usize; 2], x: usize, y: usize, n: usize) -> f64 {
    let weights = weights();
    let term = |i: usize| {
        let (dx, dy) = (i as i64 % 5 - 2, i as i64 / 5 - 2);
        f64::from(weights[i]) * channel(data, size, x as i64 + dx, y as i64 + dy, n)
    };
    (0..25).map(term).sum()
}

/// The first texel and the share of the second, along a dimension of so many texels.
fn linear(coordinate: f64, size: usize) -> (i64, f64) {
    let u = coordinate * size as f64 - 0.5;
    (u.floor() as i64, u - u.floor())
}

/// A channel of the image resized by a linear filter, from 0 to 255.
pub(super) fn resized(data: &[u8], size: [usize; 2], to: [usize; 2], x: usize, y: usize, n: usize) -> f64 {
    let (i, a) = linear((x as f64 + 0.5) / to[0] as f64, size[0]);
    let (j, b) = linear((y as f64 + 0.5) / to[1] as f64, size[1]);
    let row = |j| (1.0 - a) * channel(data, size, i, j, n) + a * channel(data, size, i + 1, j, n);
    (1.0 - b) * row(j) + b * row(j + 1)
}

/// A sample of a volume of floats by a linear filter, its edges repeated.
fn sampled(data: &[f32], [w, h, d]: [usize; 3], place: [f64; 3]) -> f64 {
    let [(x, a), (y, b), (z, c)] = [linear(place[0], w), linear(place[1], h), linear(place[2], d)];
    let inside = |i: i64, n: usize| i.clamp(0, n as i64 - 1) as usize;
    let mut sum = 0.0;
    for corner in 0..8 {
        let [dx, dy, dz] = [corner & 1, corner >> 1 & 1, corner >> 2];
        let share = |end: i64, s: f64| if end == 1 { s } else { 1.0 - s };
        let at = (inside(z + dz, d) * h + inside(y + dy, h)) * w + inside(x + dx, w);
        sum += share(dx, a) * share(dy, b) * share(dz, c) * f64::from(data[at]);
    }
    sum
}

/// The mean of the samples along a ray.
pub(super) fn ray(data: &[f32], size: [usize; 3], start: [f64; 2], steps: usize) -> f64 {
    let sample = |i: usize| {
        let t = (i as f64 + 0.5) / steps as f64;
        sampled(data, size, [start[0] + 0.25 * t, start[1] - 0.375 * t, t])
    };
    (0..steps).map(sample).sum::<f64>() / steps as f64
}
