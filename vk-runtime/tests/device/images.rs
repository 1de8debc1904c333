//! Images against a model in host memory: every transfer, at odd sizes, origins and pitches, for texels of all sizes.

use crate::common::Fixture;
use pumice_vk_runtime::*;

/// Formats of every texel size that all devices copy.
const FORMATS: [(Format, u32); 5] = [
    (Format::R8_UINT, 1),
    (Format::R16_UINT, 2),
    (Format::R8G8B8A8_UINT, 4),
    (Format::R32G32_UINT, 8),
    (Format::R32G32B32A32_UINT, 16),
];

/// Shapes: dimensions, whether an array, size, layers.
const SHAPES: [(ImageDim, bool, [u32; 3], u32); 7] = [
    (ImageDim::One, false, [13, 1, 1], 1),
    (ImageDim::One, true, [7, 1, 1], 5),
    (ImageDim::Two, false, [11, 9, 1], 1),
    (ImageDim::Two, false, [1, 1, 1], 1),
    (ImageDim::Two, true, [5, 7, 1], 3),
    (ImageDim::Two, true, [3, 2, 1], 1),
    (ImageDim::Three, false, [5, 3, 7], 1),
];

/// An image and what it should hold.
struct Pair {
    image: Image,
    model: Vec<u8>,
}

fn desc(format: (Format, u32), shape: (ImageDim, bool, [u32; 3], u32)) -> ImageDesc {
    let (dim, arrayed, size, layers) = shape;
    ImageDesc { dim, arrayed, size, layers, levels: 1, format: format.0, texel: format.1, mutable: false }
}

impl Pair {
    fn new(f: &Fixture, desc: &ImageDesc, seed: u8) -> Pair {
        let image = f.device.create_image(desc).expect("image");
        let whole = desc.whole(0);
        let model: Vec<u8> = (0..whole.bytes(desc.texel).expect("small") as usize)
            .map(|i| (i * 7 + i / 251) as u8 ^ seed)
            .collect();
        f.queue.write_image(&image, &whole, &model, Pitches::default()).expect("write");
        Pair { image, model }
    }

    fn texel(&self) -> usize {
        self.image.desc().texel as usize
    }

    /// Returns where a texel begins in the model.
    fn at(&self, [x, y, z]: [u32; 3]) -> usize {
        let [w, h, _] = self.image.desc().level_size(0).map(|n| n as usize);
        ((z as usize * h + y as usize) * w + x as usize) * self.texel()
    }

    /// The rows of a box, packed.
    fn rows(&self, part: &ImageBox) -> Vec<u8> {
        let mut out = Vec::new();
        for [y, z] in rows(part) {
            let at = self.at([part.origin[0], part.origin[1] + y, part.origin[2] + z]);
            out.extend_from_slice(&self.model[at..at + part.size[0] as usize * self.texel()]);
        }
        out
    }

    fn put(&mut self, part: &ImageBox, packed: &[u8]) {
        let row = part.size[0] as usize * self.texel();
        for ([y, z], bytes) in rows(part).zip(packed.chunks(row)) {
            let at = self.at([part.origin[0], part.origin[1] + y, part.origin[2] + z]);
            self.model[at..at + row].copy_from_slice(bytes);
        }
    }

    fn check(&self, f: &Fixture, what: &str) {
        let mut found = vec![0xee; self.model.len()];
        let whole = self.image.desc().whole(0);
        f.queue.read_image(&self.image, &whole, &mut found, Pitches::default()).expect("read");
        assert!(found == self.model, "{what}: {:?}", self.image.desc());
    }
}

fn rows(part: &ImageBox) -> impl Iterator<Item = [u32; 2]> {
    let [_, height, depth] = part.size;
    (0..depth).flat_map(move |z| (0..height).map(move |y| [y, z]))
}

/// A box off the edges, where the image has room for that.
fn middle(size: [u32; 3]) -> ImageBox {
    let origin = size.map(|n| if n > 2 { 1 } else { 0 });
    ImageBox { level: 0, origin, size: std::array::from_fn(|i| (size[i] - origin[i]).div_ceil(2)) }
}

fn all(test: impl Fn(&Fixture, &ImageDesc)) {
    for always_stage in [false, true] {
        let Some(f) = Fixture::with(|_| {}, always_stage) else { return };
        for format in FORMATS {
            for shape in SHAPES {
                test(&f, &desc(format, shape));
            }
        }
    }
}

#[test]
fn host_transfers_with_pitches() {
    all(|f, desc| {
        let mut pair = Pair::new(f, desc, 0);
        pair.check(f, "whole");
        let part = middle(desc.level_size(0));
        let row = u64::from(part.size[0] * desc.texel) + 3;
        let slice = row * u64::from(part.size[1]) + 5;
        let pitches = Pitches { row, slice };
        let length = (slice * u64::from(part.size[2])) as usize;
        let data: Vec<u8> = (0..length).map(|i| (i * 13) as u8 ^ 0x5a).collect();
        f.queue.write_image(&pair.image, &part, &data, pitches).expect("write");
        let mut packed = Vec::new();
        for [y, z] in rows(&part) {
            let at = (u64::from(z) * slice + u64::from(y) * row) as usize;
            packed.extend_from_slice(&data[at..at + (part.size[0] * desc.texel) as usize]);
        }
        pair.put(&part, &packed);
        pair.check(f, "a box");
        let mut out = vec![0xee; length];
        let pending = f.queue.begin_read_image(&pair.image, &part, pitches).expect("read");
        pending.finish(&mut out).expect("finish");
        let mut expected = vec![0xee; length];
        for ([y, z], bytes) in rows(&part).zip(packed.chunks((part.size[0] * desc.texel) as usize)) {
            let at = (u64::from(z) * slice + u64::from(y) * row) as usize;
            expected[at..at + bytes.len()].copy_from_slice(bytes);
        }
        assert!(out == expected, "bytes between rows are left alone: {desc:?}");
    });
}

#[test]
fn copies_between_images_and_buffers() {
    all(|f, desc| {
        let mut pair = Pair::new(f, desc, 1);
        let part = middle(desc.level_size(0));
        let size = part.bytes(desc.texel).expect("small") as usize;
        // At a texel's alignment, and at none.
        for offset in [0, 16, 21] {
            let buffer = f.buffer(&vec![0xcc; size + 40]);
            f.queue.copy_image_to_buffer(&pair.image, &part, &buffer, offset).expect("copy");
            let mut expected = vec![0xcc; size + 40];
            expected[offset as usize..offset as usize + size].copy_from_slice(&pair.rows(&part));
            assert!(f.bytes(&buffer) == expected, "to a buffer: {desc:?}");
            let data: Vec<u8> = (0..size + 40).map(|i| (i * 3) as u8 ^ offset as u8).collect();
            let source = f.buffer(&data);
            f.queue.copy_buffer_to_image(&source, offset, &pair.image, &part).expect("copy");
            pair.put(&part, &data[offset as usize..offset as usize + size]);
            pair.check(f, "from a buffer");
        }
    });
}

#[test]
fn copies_between_images_and_fills() {
    all(|f, desc| {
        let source = Pair::new(f, desc, 2);
        let mut target = Pair::new(f, desc, 3);
        let part = middle(desc.level_size(0));
        f.queue.copy_image(&source.image, &part, &target.image, 0, [0; 3]).expect("copy");
        let to = ImageBox { origin: [0; 3], ..part };
        target.put(&to, &source.rows(&part));
        target.check(f, "copied");
        let texel: Vec<u8> = (0..desc.texel as u8).map(|i| 0xa0 + i).collect();
        f.queue.fill_image(&target.image, &part, &texel).expect("fill");
        let count = part.size.iter().product::<u32>() as usize;
        target.put(&part, &texel.repeat(count));
        target.check(f, "filled");
    });
}

/// All of an image, and a layer of an array: by a colour of the driver's.
#[test]
fn fills_of_whole_layers() {
    const MORE: [(Format, u32); 5] = [
        (Format::R8G8B8A8_UNORM, 4),
        (Format::R16G16_SNORM, 4),
        (Format::R16G16B16A16_SFLOAT, 8),
        (Format::R32G32_SFLOAT, 8),
        (Format::R16_SINT, 2),
    ];
    let Some(f) = Fixture::new(|_| {}) else { return };
    for format in FORMATS.into_iter().chain(MORE) {
        for shape in SHAPES {
            let mut pair = Pair::new(&f, &desc(format, shape), 4);
            let whole = pair.image.desc().whole(0);
            let parts = match shape {
                (_, true, ..) => {
                    vec![whole, ImageBox { origin: [0; 3], size: [whole.size[0], whole.size[1], 1], ..whole }]
                }
                _ => vec![whole],
            };
            // The first bytes are of NaN and denormals in places, which no colour gives.
            for (n, part) in parts.iter().flat_map(|part| (0..16).map(move |n| (n, part))) {
                let texel: Vec<u8> =
                    (0..format.1).map(|i| (n * 47 + (i + n) * 113 + i * 0x35) as u8).collect();
                f.queue.fill_image(&pair.image, part, &texel).expect("fill");
                let count = part.size.iter().product::<u32>() as usize;
                pair.put(part, &texel.repeat(count));
                pair.check(&f, "filled by a colour");
            }
        }
    }
}

/// Layers of an array and slices of a volume.
#[test]
fn copies_between_shapes() {
    let Some(f) = Fixture::new(|_| {}) else { return };
    for format in FORMATS {
        let flat = desc(format, (ImageDim::Two, true, [6, 5, 1], 4));
        let solid = desc(format, (ImageDim::Three, false, [5, 6, 7], 1));
        for (a, b) in [(flat, solid), (solid, flat)] {
            let source = Pair::new(&f, &a, 4);
            let mut target = Pair::new(&f, &b, 5);
            let part = ImageBox { level: 0, origin: [1, 1, 1], size: [4, 3, 3] };
            f.queue.copy_image(&source.image, &part, &target.image, 0, [1, 2, 0]).expect("copy");
            target.put(&ImageBox { origin: [1, 2, 0], ..part }, &source.rows(&part));
            target.check(&f, "another shape");
        }
        // Rows to a one-dimensional image.
        let line = desc(format, (ImageDim::One, true, [9, 1, 1], 4));
        let source = Pair::new(&f, &flat, 6);
        let mut target = Pair::new(&f, &line, 7);
        let part = ImageBox { level: 0, origin: [1, 2, 1], size: [4, 1, 2] };
        f.queue.copy_image(&source.image, &part, &target.image, 0, [3, 0, 1]).expect("copy");
        target.put(&ImageBox { origin: [3, 0, 1], ..part }, &source.rows(&part));
        target.check(&f, "rows");
    }
}

/// More than a piece of staging memory has.
#[test]
fn large_images_go_in_pieces() {
    for always_stage in [false, true] {
        let Some(f) = Fixture::with(|_| {}, always_stage) else { return };
        for shape in [(ImageDim::Two, false, [1500, 1100, 1], 1), (ImageDim::Three, false, [300, 200, 40], 1)]
        {
            let desc = desc(FORMATS[2], shape);
            let mut pair = Pair::new(&f, &desc, 8);
            pair.check(&f, "large");
            let part = middle(desc.level_size(0));
            f.queue.fill_image(&pair.image, &part, &[1, 2, 3, 4]).expect("fill");
            pair.put(&part, &[1, 2, 3, 4].repeat(part.size.iter().product::<u32>() as usize));
            pair.check(&f, "filled");
        }
    }
}

#[test]
fn commands_of_a_stream_are_in_order() {
    let Some(f) = Fixture::new(|_| {}) else { return };
    let desc = desc(FORMATS[2], (ImageDim::Two, true, [8, 8, 1], 4));
    let mut pair = Pair::new(&f, &desc, 9);
    // Reads see what was written before them, whatever is written afterwards.
    let whole = desc.whole(0);
    let mut reads = Vec::new();
    for round in 0..20u8 {
        let part = ImageBox { level: 0, origin: [0, 0, u32::from(round) % 4], size: [8, 8, 1] };
        f.queue.fill_image(&pair.image, &part, &[round; 4]).expect("fill");
        pair.put(&part, &[round; 256]);
        let pending = f.queue.begin_read_image(&pair.image, &whole, Pitches::default()).expect("read");
        reads.push((pending, pair.model.clone()));
    }
    for (pending, expected) in reads {
        let mut out = vec![0; expected.len()];
        pending.finish(&mut out).expect("finish");
        assert!(out == expected);
    }
}

#[test]
fn what_is_wrong_is_refused() {
    let Some(f) = Fixture::new(|_| {}) else { return };
    let desc = desc(FORMATS[2], (ImageDim::Two, false, [8, 8, 1], 1));
    let image = f.device.create_image(&desc).expect("image");
    let user = |what| move |e: RuntimeError| matches!(e, RuntimeError::User { what: w, .. } if w == what);
    let mut data = [0u8; 64];
    for (origin, size) in [([0; 3], [9, 1, 1]), ([8, 0, 0], [1; 3]), ([0; 3], [1, 1, 2]), ([0; 3], [0, 1, 1])]
    {
        let part = ImageBox { level: 0, origin, size };
        let read = f.queue.read_image(&image, &part, &mut data, Pitches::default());
        assert!(read.is_err_and(user(UserError::InvalidValue)), "{part:?}");
        let write = f.queue.write_image(&image, &part, &data, Pitches::default());
        assert!(write.is_err_and(user(UserError::InvalidValue)), "{part:?}");
        assert!(f.queue.fill_image(&image, &part, &[0; 4]).is_err_and(user(UserError::InvalidValue)));
    }
    let part = ImageBox { level: 0, origin: [0; 3], size: [8, 8, 1] };
    assert!(f.queue.write_image(&image, &part, &data, Pitches::default()).is_err(), "too little data");
    let half = ImageBox { size: [4, 4, 1], ..part };
    let copy = f.queue.copy_image(&image, &half, &image, 0, [3, 3, 0]);
    assert!(copy.is_err_and(user(UserError::MemCopyOverlap)));
    f.queue.copy_image(&image, &half, &image, 0, [4, 0, 0]).expect("beside it");
    let most = f.device.physical().image_limits().size_2d;
    let wide = ImageDesc { size: [most + 1, 1, 1], ..desc };
    assert!(f.device.create_image(&wide).is_err_and(user(UserError::InvalidImageSize)));
}

/// Images of all streams, made in one and used in the others at once.
#[test]
fn several_streams() {
    let Some(f) = Fixture::options(|_| {}, |o| o.streams = Some(3)) else { return };
    let desc = desc(FORMATS[2], (ImageDim::Two, false, [33, 17, 1], 1));
    let whole = desc.whole(0);
    for round in 0..12u8 {
        let queue = f.queue.sibling(u32::from(round) % f.device.streams()).expect("stream");
        let image = f.device.create_image(&desc).expect("image");
        let data = vec![round; whole.bytes(4).expect("small") as usize];
        queue.write_image(&image, &whole, &data, Pitches::default()).expect("write");
        let mut out = vec![0; data.len()];
        queue.read_image(&image, &whole, &mut out, Pitches::default()).expect("read");
        assert!(out == data);
    }
}
