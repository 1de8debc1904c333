//! Kernels that read and write images, on a Vulkan device, against a model on the host: every format that the device has, every
//! shape, access, addressing mode, filter and kind of coordinate, at odd sizes, with coordinates outside, infinite and not numbers.
//!
//! `PUMICE_TEST_IMAGE_TABLE=FILE cargo test -p pumice-host --release --test images` writes what was compared as a table;
//! `PUMICE_TEST_DEVICE` chooses the device.

mod kernels;
mod model;

use frontend::options::{Features, Options};
use host::image::ImageFormat;
use host::image::names::*;
use kernels::{CLASSES, SHAPES, Shape};
use lower::kernel_info::TexelClass;
use lower::{LowerOptions, Quirks, Target};
use model::{Model, Texel, precision, step};
use std::cell::RefCell;
use std::collections::BTreeMap;
use vk_runtime::{
    ArgValue, Buffer, BufferUse, Device, ImageBox, ImageDesc, ImageDim, ImageValue, Instance,
    InstanceOptions, Kernel, NdRange, Pitches, Program, Queue, Texels,
};

/// A device and its programs.
struct Fixture {
    instance: Instance,
    device: Device,
    queue: Queue,
    /// What the programs are for: the device, but for quirks that a test has it have.
    target: Target,
    program: Program,
    literals: Program,
    /// Those that were used: a kernel keeps its pipelines.
    kernels: RefCell<BTreeMap<String, Kernel>>,
}

/// What was compared: cells by format and by what was done, with comparisons and mismatches.
#[derive(Default)]
struct Table {
    cells: BTreeMap<(String, &'static str), (u64, u64)>,
    /// The first mismatches of each cell, as text.
    wrong: Vec<String>,
}

/// Numbers that look random, the same each time.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32
    }

    fn below(&mut self, n: u32) -> u32 {
        self.next() % n
    }
}

impl Fixture {
    fn new(quirks: impl FnOnce(&mut Quirks)) -> Option<Fixture> {
        let may_skip = std::env::var_os("PUMICE_TEST_SKIP_NO_DEVICE").is_some();
        let options = |validation| InstanceOptions { validation, ..InstanceOptions::default() };
        let instance = Instance::new(&options(true)).or_else(|_| Instance::new(&options(false)));
        let wanted = std::env::var("PUMICE_TEST_DEVICE").ok();
        let found = instance.and_then(|i| Ok((i.select(wanted.as_deref())?, i)));
        let (physical, instance) = match found {
            Ok(found) => found,
            Err(why) => {
                assert!(may_skip, "no Vulkan device ({why})");
                println!("SKIP: no Vulkan device ({why})");
                return None;
            }
        };
        let device = Device::new(&physical, None).expect("device");
        let queue = device.create_queue().expect("queue");
        let mut target = device.target().clone();
        quirks(&mut target.quirks);
        let of = |source: &str| program(&device, &target, source);
        let (program, literals) = (of(&kernels::source()), of(&kernels::literals(&samplers())));
        Some(Fixture { instance, device, queue, target, program, literals, kernels: RefCell::default() })
    }

    /// Whether kernels filter images of a format themselves.
    fn filters_in_kernel(&self, format: &ImageFormat) -> bool {
        let quirks = &self.target.quirks;
        quirks.coarse_linear_filters || (quirks.coarse_signed_filters && format.data_type == SNORM_INT8)
    }

    fn buffer(&self, words: &[[u32; 4]]) -> Buffer {
        let bytes: Vec<u8> = words.iter().flatten().flat_map(|w| w.to_le_bytes()).collect();
        let buffer = self.device.create_buffer(bytes.len() as u64, BufferUse::Device).expect("buffer");
        self.queue.write_buffer(&buffer, 0, &bytes).expect("write");
        buffer
    }

    fn run(&self, program: &Program, name: &str, args: &[ArgValue<'_>], count: usize) {
        let mut kernels = self.kernels.borrow_mut();
        let new = || program.kernel(name).unwrap_or_else(|e| panic!("{name}: {e}"));
        let kernel = kernels.entry(name.to_owned()).or_insert_with(new);
        let range = NdRange::new_1d(count as u64);
        self.queue.dispatch(kernel, args, &range).unwrap_or_else(|e| panic!("{name}: {e}"));
    }

    fn texels(&self, buffer: &Buffer, class: TexelClass) -> Vec<Texel> {
        let mut bytes = vec![0; buffer.size() as usize];
        self.queue.read_buffer(buffer, 0, &mut bytes).expect("read");
        let words = bytes.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b));
        let numbers: Vec<f64> = words.map(|w| number(w, class)).collect();
        numbers.as_chunks::<4>().0.to_vec()
    }
}

fn number(word: u32, class: TexelClass) -> f64 {
    match class {
        TexelClass::Float => f32::from_bits(word).into(),
        TexelClass::Sint => (word as i32).into(),
        TexelClass::Uint => word.into(),
    }
}

fn reads_and_writes(device: &Device) -> bool {
    host::target::images(device.target()).contains(Features::READ_WRITE_IMAGES)
}

fn program(device: &Device, target: &Target, source: &str) -> Program {
    let mut options = Options::default();
    host::target::apply(target, &mut options);
    options.features |=
        Features::IMAGES | Features::IMAGE_3D_WRITES | Features::READ_WRITE_IMAGES | Features::DEPTH_IMAGES;
    let both = reads_and_writes(device);
    let read_write = if both { "-cl-std=CL3.0 -D READ_WRITE" } else { "-cl-std=CL3.0" };
    options.parse_build_options(read_write).expect("options");
    let compiled = frontend::compile("images.cl", source, &options);
    let style = frontend::diag::Style::Line;
    let log = frontend::diag::render(&compiled.diagnostics, &compiled.sources, style);
    let module = compiled.spirv.unwrap_or_else(|| panic!("{log}"));
    let lowered = lower::lower(&module, target, &LowerOptions::default()).expect("lowered");
    device.create_program(&lowered).expect("program")
}

/// Bits of the samplers that OpenCL has: normalized ones of all modes, others of those without repetition.
fn samplers() -> Vec<u32> {
    let mut list = Vec::new();
    for filter in [1, 2] {
        for (normalized, modes) in [(1, 0..5), (0, 0..3)] {
            list.extend(modes.map(|mode| filter << 4 | mode << 1 | normalized));
        }
    }
    list
}

/// Contents: no NaN, no denormal number, no halves beyond all steps.
fn contents(format: &ImageFormat, texels: usize, random: &mut Random) -> Vec<u8> {
    let mut bytes = Vec::new();
    let size = texels * format.texel as usize;
    while bytes.len() < size {
        let small = (random.below(4001) as f32 - 2000.0) / 512.0;
        match format.data_type {
            FLOAT => bytes.extend(small.to_le_bytes()),
            HALF_FLOAT => bytes.extend(host::image::pack::half(small).to_le_bytes()),
            _ => bytes.push(random.next() as u8),
        }
    }
    bytes.truncate(size);
    bytes
}

/// Float coordinates in texels: everywhere near the image, on texels' borders and centres, and what is no place.
fn places(random: &mut Random, count: usize, size: [usize; 3], normalized: bool) -> Vec<[f32; 3]> {
    let mut list = Vec::new();
    for n in 0..count {
        let mut at = [0.0; 3];
        for d in 0..3 {
            let w = size[d] as f32;
            let range = (4.0 * w * 64.0) as u32 + 64;
            let mut c = random.below(range) as f32 / 64.0 - 1.5 * w;
            if n % 3 == 0 {
                c = c.floor() + if n % 2 == 0 { 0.5 } else { 0.0 };
            }
            at[d] = if normalized { c / w } else { c };
        }
        list.push(at);
    }
    for odd in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e30, -1e30, f32::MAX] {
        for d in 0..3 {
            let mut at = [0.25; 3];
            at[d] = odd;
            list.push(at);
        }
    }
    list
}

fn whole_places(size: [usize; 3]) -> Vec<[i32; 3]> {
    let reach = |n: usize| -2..n as i32 + 2;
    let mut list = Vec::new();
    for z in if size[2] == 1 { 0..1 } else { reach(size[2]) } {
        for y in if size[1] == 1 { 0..1 } else { reach(size[1]) } {
            list.extend(reach(size[0]).map(|x| [x, y, z]));
        }
    }
    // Along a coordinate that counts: others are ignored.
    for odd in [i32::MIN, i32::MAX, -1_000_000] {
        list.push([odd, 0, 0]);
    }
    list
}

impl Table {
    fn compare(
        &mut self,
        (format, what): (&ImageFormat, &'static str),
        found: &Texel,
        expected: &Texel,
        precision: impl Fn(f64) -> f64,
        context: impl Fn() -> String,
    ) {
        let cell = self.cells.entry((name(format), what)).or_default();
        cell.0 += 1;
        let right = (0..4).all(|c| (found[c] - expected[c]).abs() <= precision(expected[c]));
        if !right {
            cell.1 += 1;
            if cell.1 <= 4 && self.wrong.len() < 200 {
                self.wrong.push(format!(
                    "{} {what} {}: {found:?}, should be {expected:?}",
                    name(format),
                    context()
                ));
            }
        }
    }
}

/// The names of channel orders from CL_R on, and of channel types from CL_SNORM_INT8 on.
const ORDERS: [&str; 20] = [
    "R",
    "A",
    "RG",
    "RA",
    "RGB",
    "RGBA",
    "BGRA",
    "ARGB",
    "INTENSITY",
    "LUMINANCE",
    "Rx",
    "RGx",
    "RGBx",
    "DEPTH",
    "DEPTH_STENCIL",
    "sRGB",
    "sRGBx",
    "sRGBA",
    "sBGRA",
    "ABGR",
];
const TYPES: [&str; 17] = [
    "SNORM_INT8",
    "SNORM_INT16",
    "UNORM_INT8",
    "UNORM_INT16",
    "UNORM_SHORT_565",
    "UNORM_SHORT_555",
    "UNORM_INT_101010",
    "SIGNED_INT8",
    "SIGNED_INT16",
    "SIGNED_INT32",
    "UNSIGNED_INT8",
    "UNSIGNED_INT16",
    "UNSIGNED_INT32",
    "HALF_FLOAT",
    "FLOAT",
    "UNORM_INT24",
    "UNORM_INT_101010_2",
];

fn name(format: &ImageFormat) -> String {
    let name = |list: &[&'static str], n: u32| list.get(n as usize).copied().unwrap_or("?");
    format!("{} {}", name(&ORDERS, format.order - 0x10B0), name(&TYPES, format.data_type - 0x10D0))
}

/// What is compared: the columns of the table.
const WAYS: [&str; 8] =
    ["nearest", "linear", "undefined", "integer", "without a sampler", "written", "read_write", "buffer"];

/// Formats of the quick test: drivers that compile kernels for each format take long for all.
const QUICK: [(u32, u32); 9] = [
    (RGBA, UNORM_INT8),
    (BGRA, UNORM_INT8),
    (A, UNORM_INT16),
    (R, FLOAT),
    (RG, HALF_FLOAT),
    (RA, SNORM_INT8),
    (RGBA, SIGNED_INT16),
    (RGBA, UNSIGNED_INT32),
    (SRGBA, UNORM_INT8),
];

fn class_of(class: TexelClass) -> (&'static str, &'static str) {
    CLASSES[class as usize]
}

/// An image on the device and its model.
struct Subject {
    image: vk_runtime::Image,
    model: Model,
    bytes: Vec<u8>,
}

impl Subject {
    fn new(
        f: &Fixture,
        format: ImageFormat,
        shape: &Shape,
        size: [usize; 3],
        random: &mut Random,
    ) -> Subject {
        let texels = size.iter().product();
        let bytes = contents(&format, texels, random);
        let mut extent = size.map(|n| n as u32);
        let layers = if shape.arrayed { std::mem::replace(&mut extent[shape.dimensions], 1) } else { 1 };
        let desc = ImageDesc {
            dim: [ImageDim::One, ImageDim::Two, ImageDim::Three][shape.dimensions - 1],
            arrayed: shape.arrayed,
            size: extent,
            layers,
            levels: 1,
            format: format.format,
            texel: format.texel,
            mutable: format.has_other_looks(),
        };
        let image = f.device.create_image(&desc).unwrap_or_else(|e| panic!("{desc:?}: {e}"));
        f.queue.write_image(&image, &desc.whole(0), &bytes, Pitches::default()).expect("write");
        let model = Model::new(format, shape.dimensions, shape.arrayed, size, &bytes);
        Subject { image, model, bytes }
    }

    fn whole(&self) -> ImageBox {
        self.image.desc().whole(0)
    }
}

fn words(at: &[[i32; 3]]) -> Vec<[u32; 4]> {
    at.iter().map(|[x, y, z]| [*x as u32, *y as u32, *z as u32, 0]).collect()
}

/// Reads with samplers of all kinds.
fn sampled(f: &Fixture, shape: &Shape, subject: &Subject, random: &mut Random, table: &mut Table) {
    let Subject { image, model, .. } = subject;
    let format = &model.format;
    let look = format.look(model.size.map(|n| n as u32));
    let value = ArgValue::Image(ImageValue { texels: Texels::Image(image), look: &look });
    let suffix = class_of(format.class).0;
    let (low, high) =
        model.texels.iter().flatten().fold((0.0f64, 1.0f64), |(low, high), c| (low.min(*c), high.max(*c)));
    let largest = high.max(-low);
    for bits in samplers() {
        let linear = bits >> 4 == 2;
        if linear && format.class != TexelClass::Float {
            continue;
        }
        let places = places(random, 120, model.size, bits & 1 != 0);
        let at: Vec<[u32; 4]> =
            places.iter().map(|p| [p[0].to_bits(), p[1].to_bits(), p[2].to_bits(), 0]).collect();
        let (at, out) = (f.buffer(&at), f.buffer(&vec![[0; 4]; places.len()]));
        let args = [value, ArgValue::Sampler(bits), ArgValue::Buffer(&at), ArgValue::Buffer(&out)];
        f.run(&f.program, &format!("{}_{suffix}_float", shape.name), &args, places.len());
        let mut results = vec![f.texels(&out, format.class)];
        if shape.name == "image2d_t" && format.class == TexelClass::Float {
            let args = [value, ArgValue::Buffer(&at), ArgValue::Buffer(&out)];
            f.run(&f.literals, &format!("literal_{bits}"), &args, places.len());
            results.push(f.texels(&out, format.class));
        }
        for found in results {
            for (place, found) in places.iter().zip(&found) {
                let context = || format!("{} {:?} sampler {bits:#x} at {place:?}", shape.name, model.size);
                if linear {
                    let Some(expected) = model.linear(*place, bits) else { continue };
                    let in_kernel = f.filters_in_kernel(format);
                    let narrow = match format.data_type {
                        _ if format.is_srgb() => precision(format, largest),
                        // Some filter -128 as what it is, and make it -1 afterwards.
                        SNORM_INT8 if !in_kernel => 1.0 / 127.0,
                        _ => 0.0,
                    };
                    // Samplers have fractions of 8 bits, rounded, in each dimension; some round channels to 8 bits. Kernels
                    // have the coordinates' precision.
                    let (fraction, channel) = if in_kernel { (1e-5, 1e-6) } else { (1.0 / 512.0, 0.0025) };
                    let fractions = model.dimensions as f64 * (high - low) * fraction;
                    let error = |_: f64| fractions + channel * largest + narrow;
                    table.compare((format, "linear"), found, &expected, error, context);
                } else if let Some(expected) = model.nearest(*place, bits) {
                    let error = |value: f64| precision(format, value);
                    table.compare((format, "nearest"), found, &expected, error, context);
                } else {
                    // Whatever it is, it is of the image.
                    let fits =
                        |t: &&Texel| (0..4).all(|c| (found[c] - t[c]).abs() <= precision(format, t[c]));
                    let border = model.border();
                    let any = model.texels.iter().chain([&border]).find(fits).unwrap_or(&border);
                    table.compare((format, "undefined"), found, any, |v| precision(format, v), context);
                }
            }
        }
    }
}

/// Reads by integers, with and without samplers.
fn fetched(f: &Fixture, shape: &Shape, subject: &Subject, table: &mut Table) {
    let Subject { image, model, .. } = subject;
    let format = &model.format;
    let look = format.look(model.size.map(|n| n as u32));
    let value = ArgValue::Image(ImageValue { texels: Texels::Image(image), look: &look });
    let suffix = class_of(format.class).0;
    let places = whole_places(model.size);
    let (at, out) = (f.buffer(&words(&places)), f.buffer(&vec![[0; 4]; places.len()]));
    for bits in [0x10, 0x12, 0x14, 0] {
        let plain = bits == 0;
        if plain {
            let args = [value, ArgValue::Buffer(&at), ArgValue::Buffer(&out)];
            f.run(&f.program, &format!("{}_{suffix}_plain", shape.name), &args, places.len());
        } else {
            let args = [value, ArgValue::Sampler(bits), ArgValue::Buffer(&at), ArgValue::Buffer(&out)];
            f.run(&f.program, &format!("{}_{suffix}_int", shape.name), &args, places.len());
        }
        let what = if plain { "without a sampler" } else { "integer" };
        for (place, found) in places.iter().zip(f.texels(&out, format.class)) {
            let Some(expected) = model.fetch(*place, bits) else { continue };
            let context = || format!("{} {:?} sampler {bits:#x} at {place:?}", shape.name, model.size);
            table.compare((format, what), &found, &expected, |v| precision(format, v), context);
        }
    }
}

/// A colour of a class and type, as bits and as numbers.
fn colour(format: &ImageFormat, random: &mut Random) -> [u32; 4] {
    std::array::from_fn(|_| match format.class {
        TexelClass::Float if matches!(format.data_type, FLOAT | HALF_FLOAT) => {
            ((random.below(4001) as f32 - 2000.0) / 512.0).to_bits()
        }
        TexelClass::Float => (random.below(1001) as f32 / 1000.0).to_bits(),
        // What fits in all widths.
        TexelClass::Sint => (random.below(255) as i32 - 127) as u32,
        TexelClass::Uint => random.below(256),
    })
}

/// Writes, of every other texel and of many outside; the image read back is what was there and what was written.
fn written(
    f: &Fixture,
    kernel: &str,
    subject: &mut Subject,
    both: bool,
    random: &mut Random,
    table: &mut Table,
) {
    let format = subject.model.format;
    let size = subject.model.size;
    let look = format.look(size.map(|n| n as u32));
    let value = ArgValue::Image(ImageValue { texels: Texels::Image(&subject.image), look: &look });
    let exists = |p: &[i32; 3]| (0..3).all(|d| (0..size[d] as i32).contains(&p[d]));
    let all = whole_places(size);
    let used = |p: &&[i32; 3]| !exists(p) || (p[0] + p[1] + p[2]) % 2 == 0;
    let places: Vec<[i32; 3]> = all.iter().filter(used).copied().collect();
    let colours: Vec<[u32; 4]> = places.iter().map(|_| colour(&format, random)).collect();
    let (at, ink) = (f.buffer(&words(&places)), f.buffer(&colours));
    let out = f.buffer(&vec![[0; 4]; places.len()]);
    let mut args = vec![value, ArgValue::Buffer(&at), ArgValue::Buffer(&ink)];
    if both {
        args.push(ArgValue::Buffer(&out));
    }
    f.run(&f.program, kernel, &args, places.len());
    if both {
        for (place, found) in places.iter().zip(f.texels(&out, format.class)).filter(|(p, _)| exists(p)) {
            let expected = subject.model.texel(place.map(|i| i as usize));
            let context = || format!("{kernel} {size:?} at {place:?}");
            table.compare((&format, "read_write"), &found, &expected, |v| precision(&format, v), context);
        }
    }
    f.queue
        .read_image(&subject.image, &subject.whole(), &mut subject.bytes, Pitches::default())
        .expect("read");
    let found = Model::new(format, subject.model.dimensions, subject.model.arrayed, size, &subject.bytes);
    for place in all.iter().filter(|p| exists(p)) {
        let index = place.map(|i| i as usize);
        let written = places.iter().position(|p| p == place);
        let expected = match written {
            Some(n) => kept(&format, colours[n].map(|w| number(w, format.class))),
            None => subject.model.texel(index),
        };
        let error = |v: f64| if written.is_some() { step(&format, v) } else { 0.0 };
        let context = || format!("{kernel} {size:?} at {place:?}");
        table.compare((&format, "written"), &found.texel(index), &expected, error, context);
    }
    subject.model = found;
}

/// What a format keeps of a colour.
fn kept(format: &ImageFormat, [r, g, b, a]: Texel) -> Texel {
    match format.order {
        A => [0.0, 0.0, 0.0, a],
        INTENSITY => [r; 4],
        LUMINANCE => [r, r, r, 1.0],
        RG => [r, g, 0.0, 1.0],
        RA => [r, 0.0, 0.0, a],
        RGB | RGBX | SRGBX => [r, g, b, 1.0],
        R | DEPTH => [r, 0.0, 0.0, 1.0],
        _ => [r, g, b, a],
    }
}

fn one_format(f: &Fixture, format: ImageFormat, random: &mut Random, table: &mut Table) {
    let physical = f.device.physical();
    let support = format.support(physical, f.device.target(), false);
    for shape in &SHAPES {
        for size in shape.sizes {
            let mut subject = Subject::new(f, format, shape, *size, random);
            if support.read {
                sampled(f, shape, &subject, random, table);
                fetched(f, shape, &subject, table);
            }
            let suffix = class_of(format.class).0;
            if support.write {
                let kernel = format!("{}_{suffix}_write", shape.name);
                written(f, &kernel, &mut subject, false, random, table);
            }
            if support.read_and_write && reads_and_writes(&f.device) {
                let kernel = format!("{}_{suffix}_both", shape.name);
                written(f, &kernel, &mut subject, true, random, table);
            }
        }
    }
    if format.support(physical, f.device.target(), true).read {
        buffer_images(f, format, random, table);
    }
}

/// Images of buffers.
fn buffer_images(f: &Fixture, format: ImageFormat, random: &mut Random, table: &mut Table) {
    let size = [11usize, 1, 1];
    let bytes = contents(&format, size[0], random);
    let buffer =
        f.device.create_buffer(bytes.len().next_multiple_of(4) as u64, BufferUse::Device).expect("buffer");
    f.queue.write_buffer(&buffer, 0, &bytes).expect("write");
    let model = Model::new(format, 1, false, size, &bytes);
    let look = format.look(size.map(|n| n as u32));
    let texels = Texels::Buffer { buffer: &buffer, offset: 0, size: bytes.len() as u64 };
    let value = ArgValue::Image(ImageValue { texels, look: &look });
    let places: Vec<[i32; 3]> = whole_places(size).into_iter().filter(|p| p[1] == 0 && p[2] == 0).collect();
    let (at, out) = (f.buffer(&words(&places)), f.buffer(&vec![[0; 4]; places.len()]));
    let suffix = class_of(format.class).0;
    let args = [value, ArgValue::Buffer(&at), ArgValue::Buffer(&out)];
    f.run(&f.program, &format!("image1d_buffer_t_{suffix}_plain"), &args, places.len());
    for (place, found) in places.iter().zip(f.texels(&out, format.class)) {
        let Some(expected) = model.fetch(*place, 0) else { continue };
        let context = || format!("buffer at {place:?}");
        table.compare((&format, "buffer"), &found, &expected, |v| precision(&format, v), context);
    }
    if !format.support(f.device.physical(), f.device.target(), true).write {
        return;
    }
    let colours: Vec<[u32; 4]> = places.iter().map(|_| colour(&format, random)).collect();
    let ink = f.buffer(&colours);
    // Both in one kernel, where a device has that: it gives what the image was.
    let both = format.support(f.device.physical(), f.device.target(), true).read_and_write
        && reads_and_writes(&f.device);
    let kind = if both { "both" } else { "write" };
    let mut args = vec![value, ArgValue::Buffer(&at), ArgValue::Buffer(&ink)];
    if both {
        args.push(ArgValue::Buffer(&out));
    }
    f.run(&f.program, &format!("image1d_buffer_t_{suffix}_{kind}"), &args, places.len());
    let exists = |p: &[i32; 3]| (0..size[0] as i32).contains(&p[0]);
    let before = if both { f.texels(&out, format.class) } else { Vec::new() };
    for (place, found) in places.iter().zip(before).filter(|(p, _)| exists(p)) {
        let expected = model.texel([place[0] as usize, 0, 0]);
        let context = || format!("buffer read and written at {place:?}");
        table.compare((&format, "read_write"), &found, &expected, |v| precision(&format, v), context);
    }
    let mut found = vec![0; buffer.size() as usize];
    f.queue.read_buffer(&buffer, 0, &mut found).expect("read");
    let found = Model::new(format, 1, false, size, &found[..bytes.len()]);
    for (n, place) in places.iter().enumerate().filter(|(_, p)| exists(p)) {
        let expected = kept(&format, colours[n].map(|w| number(w, format.class)));
        let context = || format!("written buffer at {place:?}");
        let texel = found.texel([place[0] as usize, 0, 0]);
        table.compare((&format, "buffer"), &texel, &expected, |v| step(&format, v), context);
    }
}

/// Depth images: the first channel.
fn depth(f: &Fixture, data_type: u32, random: &mut Random, table: &mut Table) {
    let format = ImageFormat::find(DEPTH, data_type).expect("a depth format");
    let shape = &SHAPES[2];
    let mut subject = Subject::new(f, format, shape, [5, 3, 1], random);
    let look = format.look([5, 3, 1]);
    let support = format.support(f.device.physical(), f.device.target(), false);
    if support.read {
        let value = ArgValue::Image(ImageValue { texels: Texels::Image(&subject.image), look: &look });
        let places = places(random, 100, subject.model.size, true);
        let at: Vec<[u32; 4]> = places.iter().map(|p| [p[0].to_bits(), p[1].to_bits(), 0, 0]).collect();
        let (at, out) = (f.buffer(&at), f.buffer(&vec![[0; 4]; places.len()]));
        let args = [value, ArgValue::Sampler(0x13), ArgValue::Buffer(&at), ArgValue::Buffer(&out)];
        f.run(&f.program, "depth_sampled", &args, places.len());
        for (place, found) in places.iter().zip(f.texels(&out, TexelClass::Float)) {
            let Some(expected) = subject.model.nearest(*place, 0x13) else { continue };
            let context = || format!("depth at {place:?}");
            table.compare((&format, "nearest"), &found, &expected, |v| precision(&format, v), context);
        }
    }
    if support.write {
        written(f, "depth_written", &mut subject, false, random, table);
    }
    if support.read_and_write && reads_and_writes(&f.device) {
        written(f, "depth_both", &mut subject, true, random, table);
    }
}

impl Table {
    /// As Markdown.
    fn text(&self, device: &str) -> String {
        let mut rows: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for ((format, what), (count, wrong)) in &self.cells {
            let row = rows.entry(format).or_insert_with(|| vec!["–".to_owned(); WAYS.len()]);
            let Some(column) = WAYS.iter().position(|way| way == what) else { continue };
            row[column] = if *wrong == 0 { count.to_string() } else { format!("**{wrong} of {count}**") };
        }
        let head = format!("| {device} | {} |\n|---|{}\n", WAYS.join(" | "), "---|".repeat(WAYS.len()));
        rows.iter().fold(head, |text, (format, row)| text + &format!("| {format} | {} |\n", row.join(" | ")))
    }
}

#[test]
fn against_the_model() {
    let Some(f) = Fixture::new(|_| ()) else { return };
    let file = std::env::var_os("PUMICE_TEST_IMAGE_TABLE");
    let (mut table, mut random) = (Table::default(), Random(1));
    let all = ImageFormat::all().filter(|format| format.order != DEPTH);
    let quick = |format: &ImageFormat| QUICK.contains(&(format.order, format.data_type));
    for format in all.filter(|format| file.is_some() || quick(format)) {
        one_format(&f, format, &mut random, &mut table);
    }
    for data_type in [FLOAT, UNORM_INT16] {
        depth(&f, data_type, &mut random, &mut table);
    }
    f.queue.finish().expect("finish");
    let sums = table.cells.values().fold((0, 0), |a, c| (a.0 + c.0, a.1 + c.1));
    println!("{} formats and ways, {} comparisons, {} mismatches", table.cells.len(), sums.0, sums.1);
    if let Some(file) = file {
        let text = table.text(f.device.physical().name());
        std::fs::write(&file, text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    }
    assert!(table.wrong.is_empty(), "{} mismatches:\n{}", sums.1, table.wrong.join("\n"));
    let messages = f.instance.validation_messages();
    assert_eq!(messages, Vec::<String>::new());
    assert!(sums.0 > 50_000, "{} comparisons", sums.0);
}

/// Kernels that filter signed bytes themselves, and other formats with the device's samplers, on any device.
#[test]
fn signed_bytes_by_the_kernel() {
    let quirks = |quirks: &mut Quirks| {
        quirks.coarse_linear_filters = false;
        quirks.coarse_signed_filters = true;
    };
    let Some(f) = Fixture::new(quirks) else { return };
    let (mut table, mut random) = (Table::default(), Random(2));
    for (order, data_type) in [(RGBA, SNORM_INT8), (R, FLOAT)] {
        let format =
            ImageFormat::all().find(|f| (f.order, f.data_type) == (order, data_type)).expect("a format");
        if !format.support(f.device.physical(), f.device.target(), false).read {
            continue;
        }
        for shape in &SHAPES {
            for size in shape.sizes {
                let subject = Subject::new(&f, format, shape, *size, &mut random);
                sampled(&f, shape, &subject, &mut random, &mut table);
            }
        }
    }
    f.queue.finish().expect("finish");
    assert!(table.wrong.is_empty(), "{}", table.wrong.join("\n"));
    assert_eq!(f.instance.validation_messages(), Vec::<String>::new());
    let filtered = table.cells.get(&("RGBA SNORM_INT8".to_owned(), "linear")).expect("filtered").0;
    assert!(filtered > 5_000, "{filtered} comparisons");
}

/// Formats of 5 and 6 bits a channel on a device whose samplers make 8 of them.
#[test]
fn widened_channels_are_not_offered() {
    let Some(f) = Fixture::new(|quirks: &mut Quirks| quirks.widened_short_channels = true) else { return };
    for format in ImageFormat::all().filter(|f| f.order == RGB) {
        let support = format.support(f.device.physical(), &f.target, false);
        assert_eq!(support.read, format.data_type == UNORM_INT_101010, "{:#x}", format.data_type);
    }
}
