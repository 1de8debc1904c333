//! Images through the exported functions, against a model in host memory: every transfer of every kind of image, with texels of
//! all sizes, odd boxes and pitches.

mod again;
mod cl;
#[path = "images/of_buffers.rs"]
mod of_buffers;
mod open;
#[path = "images/what_is_told.rs"]
mod what_is_told;

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use cl::{Handle, Setup, noise, release};
use opencl_sys::*;
use pumice::entry::{event::*, image::*, queue::*, transfer::*};

/// An image of a buffer's bytes, with pitches.
const OF_BUFFER: u32 = 1 << 31;

const KINDS: [(u32, [usize; 4]); 14] = [
    (CL_MEM_OBJECT_IMAGE1D, [13, 0, 0, 0]),
    (CL_MEM_OBJECT_IMAGE1D_ARRAY, [7, 0, 0, 5]),
    (CL_MEM_OBJECT_IMAGE2D, [11, 9, 0, 0]),
    (CL_MEM_OBJECT_IMAGE2D, [1, 1, 0, 0]),
    (CL_MEM_OBJECT_IMAGE2D_ARRAY, [5, 7, 0, 3]),
    (CL_MEM_OBJECT_IMAGE2D_ARRAY, [3, 2, 0, 1]),
    (CL_MEM_OBJECT_IMAGE3D, [5, 3, 7, 0]),
    (CL_MEM_OBJECT_IMAGE3D, [4, 1, 1, 0]),
    (CL_MEM_OBJECT_IMAGE1D_BUFFER, [21, 0, 0, 0]),
    (CL_MEM_OBJECT_IMAGE1D | OF_BUFFER, [9, 0, 0, 0]),
    (CL_MEM_OBJECT_IMAGE1D_ARRAY | OF_BUFFER, [7, 0, 0, 5]),
    (CL_MEM_OBJECT_IMAGE2D | OF_BUFFER, [11, 9, 0, 0]),
    (CL_MEM_OBJECT_IMAGE2D_ARRAY | OF_BUFFER, [5, 7, 0, 3]),
    (CL_MEM_OBJECT_IMAGE3D | OF_BUFFER, [5, 3, 7, 0]),
];
/// What is between the rows of such an image, and behind it.
const GAP: u8 = 0x55;

/// A format of each size of texels.
const FORMATS: [(u32, u32, usize); 6] = [
    (CL_R, CL_UNSIGNED_INT8, 1),
    (CL_RG, CL_UNORM_INT8, 2),
    (CL_BGRA, CL_UNORM_INT8, 4),
    (CL_R, CL_FLOAT, 4),
    (CL_RG, CL_SIGNED_INT32, 8),
    (CL_RGBA, CL_FLOAT, 16),
];

fn setup() -> Option<Setup> {
    pumice::testing::with_images();
    Setup::new()
}

fn format(order: u32, data_type: u32) -> cl_image_format {
    cl_image_format { image_channel_order: order, image_channel_data_type: data_type }
}

fn desc(kind: u32, size: [usize; 4]) -> cl_image_desc {
    // SAFETY: integers and a pointer, for which zeros are valid.
    let mut desc: cl_image_desc = unsafe { std::mem::zeroed() };
    desc.image_type = kind;
    [desc.image_width, desc.image_height, desc.image_depth, desc.image_array_size] = size;
    desc
}

fn try_image(
    s: &Setup,
    flags: u64,
    format: &cl_image_format,
    desc: &cl_image_desc,
    host: *mut c_void,
) -> Result<Handle, i32> {
    let mut error = 1;
    // SAFETY: structures that live through the call; the tests give host memory of the size.
    let image = unsafe { clCreateImage(s.context, flags, format, desc, host, &mut error) };
    assert_eq!(image.is_null(), error != 0);
    if error == 0 { Ok(image) } else { Err(error) }
}

/// An image and what it should hold, packed.
struct Pair<'a> {
    s: &'a Setup,
    image: Handle,
    buffer: Option<Handle>,
    texel: usize,
    /// Width, rows, slices: those of a 1D array are rows here, as the API has them.
    size: [usize; 3],
    model: Vec<u8>,
    /// Of an image with pitches in a buffer.
    pitches: Option<(usize, usize)>,
}

impl Drop for Pair<'_> {
    fn drop(&mut self) {
        release(self.image);
        self.buffer.into_iter().for_each(release);
    }
}

/// A box: where it begins and its size.
type Part = ([usize; 3], [usize; 3]);

impl<'a> Pair<'a> {
    fn new(s: &'a Setup, (kind, size): (u32, [usize; 4]), of: (u32, u32, usize), seed: u32) -> Self {
        let of_buffer = kind & OF_BUFFER != 0;
        let kind = kind & !OF_BUFFER;
        let (mut desc, texel) = (desc(kind, size), of.2);
        let [w, h, d, n] = size;
        let size = match kind {
            CL_MEM_OBJECT_IMAGE1D_ARRAY => [w, n, 1],
            CL_MEM_OBJECT_IMAGE2D_ARRAY => [w, h, n],
            _ => [w, h.max(1), d.max(1)],
        };
        let model = noise(size.iter().product::<usize>() * texel, seed);
        let format = format(of.0, of.1);
        if kind == CL_MEM_OBJECT_IMAGE1D_BUFFER {
            let whole = s.filled(&[vec![7; 256], model.clone(), vec![9; 64]].concat());
            let buffer = s.sub(whole, 0, 256, model.len() + 3).expect("sub-buffer");
            release(whole);
            desc.__bindgen_anon_1.mem_object = buffer;
            // Kernels do not write small texels of buffers everywhere.
            let image = try_image(s, 0, &format, &desc, null_mut())
                .or_else(|_| try_image(s, CL_MEM_READ_ONLY, &format, &desc, null_mut()))
                .expect("image");
            return Pair { s, image, buffer: Some(buffer), texel, size, model, pitches: None };
        }
        if of_buffer {
            let row = if kind == CL_MEM_OBJECT_IMAGE1D { w * texel } else { (w + 2) * texel };
            // The images of an array of rows lie a slice apart.
            let slice = if kind == CL_MEM_OBJECT_IMAGE1D_ARRAY { 2 * row } else { (size[1] + 1) * row };
            desc.image_row_pitch = row;
            let mut pair = Pair { s, image: null_mut(), buffer: None, texel, size, model, pitches: None };
            if pair.has_slices_of(kind) {
                desc.image_slice_pitch = slice;
            }
            pair.pitches = Some(if kind == CL_MEM_OBJECT_IMAGE1D_ARRAY { (slice, 0) } else { (row, slice) });
            let bytes = [vec![7; 256], pair.in_buffer(), vec![GAP; 16]].concat();
            let whole = s.filled(&bytes);
            let buffer = s.sub(whole, 0, 256, bytes.len() - 256).expect("sub-buffer");
            release(whole);
            desc.__bindgen_anon_1.mem_object = buffer;
            pair.image = try_image(s, 0, &format, &desc, null_mut()).expect("image");
            pair.buffer = Some(buffer);
            return pair;
        }
        let host = model.as_ptr().cast_mut().cast();
        let image = try_image(s, CL_MEM_COPY_HOST_PTR, &format, &desc, host).expect("image");
        Pair { s, image, buffer: None, texel, size, model, pitches: None }
    }

    fn whole(&self) -> Part {
        ([0; 3], self.size)
    }

    /// A box off the edges, where there is room.
    fn middle(&self) -> Part {
        let origin = self.size.map(|n| if n > 2 { 1 } else { 0 });
        (origin, std::array::from_fn(|i| (self.size[i] - origin[i]).div_ceil(2)))
    }

    fn lines(&self, (origin, region): Part) -> impl Iterator<Item = usize> + use<> {
        let ([w, h, _], texel) = (self.size, self.texel);
        let [x, y, z] = origin;
        (0..region[2])
            .flat_map(move |dz| (0..region[1]).map(move |dy| (((z + dz) * h + y + dy) * w + x) * texel))
    }

    fn packed(&self, part: Part) -> Vec<u8> {
        let row = part.1[0] * self.texel;
        self.lines(part).flat_map(|at| self.model[at..at + row].to_vec()).collect()
    }

    fn put(&mut self, part: Part, packed: &[u8]) {
        let row = part.1[0] * self.texel;
        for (at, line) in self.lines(part).zip(packed.chunks(row)) {
            self.model[at..at + row].copy_from_slice(line);
        }
    }

    /// Returns what the buffer should hold, to the end of the last slice.
    fn in_buffer(&self) -> Vec<u8> {
        let Some((row, slice)) = self.pitches else { return self.model.clone() };
        let ([w, h, d], width) = (self.size, self.size[0] * self.texel);
        let all = if slice == 0 { row * h } else { slice * d };
        let mut out = vec![GAP; all.max(((d - 1) * slice) + (h - 1) * row + w * self.texel)];
        for (n, line) in self.model.chunks(width).enumerate() {
            let at = n / h * slice + n % h * row;
            out[at..at + width].copy_from_slice(line);
        }
        out
    }

    fn has_slices(&self) -> bool {
        self.has_slices_of(cl::info(self.image, CL_MEM_TYPE).expect("type"))
    }

    fn has_slices_of(&self, kind: u32) -> bool {
        matches!(kind, CL_MEM_OBJECT_IMAGE1D_ARRAY | CL_MEM_OBJECT_IMAGE2D_ARRAY | CL_MEM_OBJECT_IMAGE3D)
    }

    fn is_line_array(&self) -> bool {
        cl::info::<u32>(self.image, CL_MEM_TYPE) == Ok(CL_MEM_OBJECT_IMAGE1D_ARRAY)
    }

    fn read(&self, part: Part, row: usize, slice: usize, size: usize) -> Vec<u8> {
        let mut out = vec![0xee; size];
        let (queue, to) = (self.s.queue, out.as_mut_ptr().cast());
        let (origin, region) = (part.0.as_ptr(), part.1.as_ptr());
        // SAFETY: blocking, into memory of the size.
        let code = unsafe {
            clEnqueueReadImage(queue, self.image, 1, origin, region, row, slice, to, 0, null(), null_mut())
        };
        assert_eq!(code, 0);
        out
    }

    fn check(&self, what: &str) {
        let part = self.whole();
        let found = self.read(part, 0, 0, self.model.len());
        assert!(found == self.model, "{what}: {:?} of {} bytes", self.size, self.texel);
        if let (Some(buffer), Some(_)) = (self.buffer, self.pitches) {
            let expected = self.in_buffer();
            let found = self.s.read(buffer, 0, expected.len() + 16);
            let rest = found[expected.len()..].iter().all(|b| *b == GAP);
            assert!(found[..expected.len()] == expected && rest, "{what}: in the buffer, {:?}", self.size);
        }
    }

    /// Bytes of a box in host memory with pitches, and where its lines are: slices of a line array are its lines.
    fn spread(&self, part: Part, row: usize, slice: usize) -> Vec<usize> {
        let [_, height, depth] = part.1;
        let lines = self.is_line_array();
        (0..depth)
            .flat_map(|z| (0..height).map(move |y| if lines { y * slice } else { z * slice + y * row }))
            .collect()
    }
}

fn all(test: impl Fn(&Setup, (u32, [usize; 4]), (u32, u32, usize))) {
    let Some(s) = setup() else { return };
    for kind in KINDS {
        for format in FORMATS {
            test(&s, kind, format);
        }
    }
}

#[test]
fn reads_and_writes_with_pitches() {
    all(|s, kind, format| {
        let mut pair = Pair::new(s, kind, format, 1);
        pair.check("made");
        let part = pair.middle();
        let row = (part.1[0] + 3) * pair.texel + 1;
        let slice = if pair.has_slices() { row * part.1[1] + 5 } else { 0 };
        let lines = pair.spread(part, row, slice);
        let line = part.1[0] * pair.texel;
        let size = lines.iter().max().expect("lines") + line;
        let data = noise(size, 2);
        let (origin, region) = (part.0.as_ptr(), part.1.as_ptr());
        // SAFETY: blocking, from memory of the size.
        let code = unsafe {
            clEnqueueWriteImage(
                s.queue,
                pair.image,
                1,
                origin,
                region,
                row,
                slice,
                data.as_ptr().cast(),
                0,
                null(),
                null_mut(),
            )
        };
        assert_eq!(code, 0);
        let packed: Vec<u8> = lines.iter().flat_map(|at| data[*at..at + line].to_vec()).collect();
        pair.put(part, &packed);
        pair.check("written");
        let found = pair.read(part, row, slice, size);
        let mut expected = vec![0xee; size];
        for at in lines {
            expected[at..at + line].copy_from_slice(&data[at..at + line]);
        }
        assert!(found == expected, "bytes between lines are left alone: {kind:?} {format:?}");
    });
}

#[test]
fn copies_to_and_from_buffers() {
    all(|s, kind, format| {
        let mut pair = Pair::new(s, kind, format, 3);
        let part = pair.middle();
        let packed = pair.packed(part);
        for offset in [0, 5, 16] {
            let buffer = s.filled(&vec![0xcc; packed.len() + 30]);
            let (origin, region) = (part.0.as_ptr(), part.1.as_ptr());
            let (queue, image, no) = (s.queue, pair.image, null());
            // SAFETY: valid handles and places.
            let code = unsafe {
                clEnqueueCopyImageToBuffer(queue, image, buffer, origin, region, offset, 0, no, null_mut())
            };
            assert_eq!(code, 0);
            let mut expected = vec![0xcc; packed.len() + 30];
            expected[offset..offset + packed.len()].copy_from_slice(&pair.packed(part));
            assert!(s.read(buffer, 0, packed.len() + 30) == expected, "{kind:?} {format:?} {offset}");
            let data = noise(packed.len() + 30, offset as u32);
            s.write(buffer, 0, &data);
            // SAFETY: as above.
            let code = unsafe {
                clEnqueueCopyBufferToImage(queue, buffer, image, offset, origin, region, 0, no, null_mut())
            };
            assert_eq!(code, 0);
            pair.put(part, &data[offset..offset + packed.len()]);
            pair.check("from a buffer");
            release(buffer);
        }
    });
}

#[test]
fn copies_and_fills() {
    all(|s, kind, format| {
        let source = Pair::new(s, kind, format, 4);
        let mut target = Pair::new(s, kind, format, 5);
        let (origin, region) = source.middle();
        let zero = [0usize; 3];
        // SAFETY: valid handles and places.
        let code = unsafe {
            clEnqueueCopyImage(
                s.queue,
                source.image,
                target.image,
                origin.as_ptr(),
                zero.as_ptr(),
                region.as_ptr(),
                0,
                null(),
                null_mut(),
            )
        };
        assert_eq!(code, 0);
        target.put((zero, region), &source.packed((origin, region)));
        target.check("copied");
        // 0x40 in each byte, or so: exact in every format.
        let (colour, texel): ([u32; 4], Vec<u8>) = match (format.0, format.1) {
            (CL_R, CL_UNSIGNED_INT8) => ([77, 1, 2, 3], vec![77]),
            (CL_RG, CL_UNORM_INT8) => ([1f32.to_bits(), 0.2f32.to_bits(), 0, 0], vec![255, 51]),
            (CL_BGRA, _) => (
                [1f32.to_bits(), 0.2f32.to_bits(), 0.4f32.to_bits(), 0.6f32.to_bits()],
                vec![102, 51, 255, 153],
            ),
            (CL_R, _) => ([1.5f32.to_bits(), 0, 0, 0], 1.5f32.to_le_bytes().to_vec()),
            (CL_RG, _) => {
                ([1, u32::MAX, 0, 0], [1u32, u32::MAX].iter().flat_map(|n| n.to_le_bytes()).collect())
            }
            _ => {
                let colour = [0.5f32, -2.0, 1e30, f32::INFINITY].map(f32::to_bits);
                (colour, colour.iter().flat_map(|n| n.to_le_bytes()).collect())
            }
        };
        let part = target.middle();
        let (at, size) = (part.0.as_ptr(), part.1.as_ptr());
        // SAFETY: as above.
        let code = unsafe {
            clEnqueueFillImage(s.queue, target.image, colour.as_ptr().cast(), at, size, 0, null(), null_mut())
        };
        assert_eq!(code, 0);
        target.put(part, &texel.repeat(part.1.iter().product()));
        target.check("filled");
    });
}

/// Boxes of the same size between images of other kinds.
#[test]
fn copies_between_kinds() {
    let Some(s) = setup() else { return };
    let flat = (CL_MEM_OBJECT_IMAGE2D, [8, 6, 0, 0]);
    let layers = (CL_MEM_OBJECT_IMAGE2D_ARRAY, [8, 6, 0, 4]);
    let solid = (CL_MEM_OBJECT_IMAGE3D, [7, 5, 6, 0]);
    let lines = (CL_MEM_OBJECT_IMAGE1D_ARRAY, [9, 0, 0, 5]);
    let line = (CL_MEM_OBJECT_IMAGE1D, [12, 0, 0, 0]);
    let bytes = (CL_MEM_OBJECT_IMAGE1D_BUFFER, [12, 0, 0, 0]);
    let in_buffer = (CL_MEM_OBJECT_IMAGE2D | OF_BUFFER, [8, 6, 0, 0]);
    for (from, to, region) in [
        (flat, layers, [5, 4, 1]),
        (layers, flat, [5, 4, 1]),
        (layers, solid, [5, 4, 3]),
        (solid, layers, [5, 4, 3]),
        (flat, lines, [6, 3, 1]),
        (lines, flat, [6, 3, 1]),
        (lines, lines, [6, 3, 1]),
        (flat, line, [6, 1, 1]),
        (line, solid, [6, 1, 1]),
        (bytes, flat, [6, 1, 1]),
        (solid, bytes, [6, 1, 1]),
        (bytes, bytes, [6, 1, 1]),
        (in_buffer, layers, [5, 4, 1]),
        (solid, in_buffer, [5, 4, 1]),
        (lines, in_buffer, [6, 3, 1]),
        (in_buffer, bytes, [6, 1, 1]),
    ] {
        for format in FORMATS {
            let source = Pair::new(&s, from, format, 6);
            let mut target = Pair::new(&s, to, format, 7);
            let origin = source.size.map(|n| usize::from(n > 1));
            let place = target.size.map(|n| usize::from(n > 4));
            // SAFETY: valid handles and places.
            let code = unsafe {
                clEnqueueCopyImage(
                    s.queue,
                    source.image,
                    target.image,
                    origin.as_ptr(),
                    place.as_ptr(),
                    region.as_ptr(),
                    0,
                    null(),
                    null_mut(),
                )
            };
            assert_eq!(code, 0, "{from:?} {to:?}");
            target.put((place, region), &source.packed((origin, region)));
            target.check("another kind");
        }
    }
}

fn map(pair: &Pair, flags: u64, part: Part) -> (*mut u8, usize, usize) {
    let (mut row, mut slice, mut error) = (77, 77, 1);
    // SAFETY: valid handles and places.
    let pointer = unsafe {
        clEnqueueMapImage(
            pair.s.queue,
            pair.image,
            1,
            flags,
            part.0.as_ptr(),
            part.1.as_ptr(),
            &mut row,
            &mut slice,
            0,
            null(),
            null_mut(),
            &mut error,
        )
    };
    assert_eq!(error, 0);
    (pointer.cast(), row, slice)
}

#[test]
fn maps() {
    all(|s, kind, format| {
        let mut pair = Pair::new(s, kind, format, 8);
        let part = pair.middle();
        for (flags, seed) in [(CL_MAP_READ, 0), (CL_MAP_WRITE, 10), (CL_MAP_WRITE_INVALIDATE_REGION, 11)] {
            let (pointer, row, slice) = map(&pair, flags, part);
            assert_eq!(slice != 0, pair.has_slices());
            assert_eq!(cl::info::<u32>(pair.image, CL_MEM_MAP_COUNT), Ok(1));
            let line = part.1[0] * pair.texel;
            let places = pair.spread(part, row, slice);
            if flags != CL_MAP_WRITE_INVALIDATE_REGION {
                let found: Vec<u8> = places
                    .iter()
                    // SAFETY: within the mapped box.
                    .flat_map(|at| unsafe { std::slice::from_raw_parts(pointer.add(*at), line) }.to_vec())
                    .collect();
                assert!(found == pair.packed(part), "{kind:?} {format:?}");
            }
            if flags != CL_MAP_READ {
                let data = noise(line * places.len(), seed);
                for (at, bytes) in places.iter().zip(data.chunks(line)) {
                    // SAFETY: within the mapped box.
                    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), pointer.add(*at), line) };
                }
                pair.put(part, &data);
            }
            assert_eq!(s.unmap(pair.image, pointer), 0);
            assert_eq!(s.unmap(pair.image, pointer), CL_INVALID_VALUE, "unmapped already");
            pair.check("after a map");
        }
        assert_eq!(cl::info::<u32>(pair.image, CL_MEM_MAP_COUNT), Ok(0));
    });
}

/// The application's memory, with pitches: maps are derived from it, and it is up to date in them.
#[test]
fn host_pointers() {
    let Some(s) = setup() else { return };
    let mut memory = noise(4 * 160, 12);
    let before = memory.clone();
    let mut desc = desc(CL_MEM_OBJECT_IMAGE3D, [5, 3, 4, 0]);
    (desc.image_row_pitch, desc.image_slice_pitch) = (32, 160);
    let flags = CL_MEM_USE_HOST_PTR;
    let host: *mut u8 = memory.as_mut_ptr();
    let image = try_image(&s, flags, &format(CL_RGBA, CL_UNORM_INT8), &desc, host.cast()).expect("image");
    let mut pair =
        Pair { s: &s, image, buffer: None, texel: 4, size: [5, 3, 4], model: vec![0; 240], pitches: None };
    let line = |z: usize, y: usize| z * 160 + y * 32;
    for z in 0..4 {
        for y in 0..3 {
            let at = (z * 3 + y) * 20;
            pair.model[at..at + 20].copy_from_slice(&before[line(z, y)..line(z, y) + 20]);
        }
    }
    pair.check("from the application's memory");
    let part = ([1, 1, 1], [3, 2, 2]);
    // SAFETY: valid handles and places.
    let code = unsafe {
        let colour = [1f32; 4];
        clEnqueueFillImage(
            s.queue,
            image,
            colour.as_ptr().cast(),
            part.0.as_ptr(),
            part.1.as_ptr(),
            0,
            null(),
            null_mut(),
        )
    };
    assert_eq!(code, 0);
    pair.put(part, &[255; 48]);
    let (pointer, row, slice) = map(&pair, CL_MAP_READ | CL_MAP_WRITE, part);
    assert_eq!((row, slice), (32, 160));
    assert_eq!(pointer.addr(), host.addr() + line(1, 1) + 4);
    // SAFETY: in the mapped box.
    unsafe {
        assert_eq!(pointer.read(), 255);
        pointer.write(17);
    }
    assert_eq!(s.unmap(image, pointer), 0);
    pair.put(([1, 1, 1], [1, 1, 1]), &[17, 255, 255, 255]);
    pair.check("unmapped");
    drop(pair);
    assert_eq!(memory[line(0, 0)], before[line(0, 0)]);
}

/// sRGB and linear looks at one image.
#[test]
fn other_looks() {
    let Some(s) = setup() else { return };
    let pair = Pair::new(&s, (CL_MEM_OBJECT_IMAGE2D, [6, 5, 0, 0]), (CL_RGBA, CL_UNORM_INT8, 4), 13);
    let mut as_before = desc(CL_MEM_OBJECT_IMAGE2D, [6, 5, 0, 0]);
    as_before.__bindgen_anon_1.mem_object = pair.image;
    let look = try_image(&s, 0, &format(CL_sRGBA, CL_UNORM_INT8), &as_before, null_mut()).expect("look");
    assert_eq!(cl::info::<Handle2>(look, CL_MEM_ASSOCIATED_MEMOBJECT).map(|h| h.0), Ok(pair.image.addr()));
    let mut out = vec![0u8; 120];
    let (zero, size) = ([0usize; 3], [6usize, 5, 1]);
    // SAFETY: blocking, into memory of the size.
    let code = unsafe {
        clEnqueueReadImage(
            s.queue,
            look,
            1,
            zero.as_ptr(),
            size.as_ptr(),
            0,
            0,
            out.as_mut_ptr().cast(),
            0,
            null(),
            null_mut(),
        )
    };
    assert_eq!(code, 0);
    assert!(out == pair.model);
    release(look);
    for (order, data_type, size, error) in [
        (CL_BGRA, CL_UNORM_INT8, [6, 5, 0, 0], CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
        (CL_RGBA, CL_SNORM_INT8, [6, 5, 0, 0], CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
        (CL_sRGBA, CL_UNORM_INT8, [5, 5, 0, 0], CL_INVALID_IMAGE_DESCRIPTOR),
    ] {
        let mut wrong = desc(CL_MEM_OBJECT_IMAGE2D, size);
        wrong.__bindgen_anon_1.mem_object = pair.image;
        assert_eq!(try_image(&s, 0, &format(order, data_type), &wrong, null_mut()), Err(error));
    }
}

#[derive(Clone, Copy, Default, PartialEq, Debug)]
#[repr(transparent)]
struct Handle2(usize);

/// A chain of commands over two queues, ordered by events alone.
#[test]
fn commands_are_ordered_by_events() {
    let Some(s) = setup() else { return };
    let mut error = 1;
    // SAFETY: valid handles.
    let other = unsafe {
        clCreateCommandQueue(s.context, s.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &mut error)
    };
    assert_eq!(error, 0);
    let mut pair = Pair::new(&s, KINDS[4], FORMATS[2], 14);
    let (mut last, part): (Handle, Part) = (null_mut(), pair.whole());
    for round in 0..20u32 {
        let queue = if round % 2 == 0 { s.queue } else { other };
        let value = (round + 1) as f32 / 255.0;
        let (colour, before) = ([value; 4], last);
        let waits: &[Handle] = if before.is_null() { &[] } else { std::slice::from_ref(&before) };
        let list = if waits.is_empty() { null() } else { waits.as_ptr() };
        // SAFETY: valid handles and places.
        unsafe {
            let code = clEnqueueFillImage(
                queue,
                pair.image,
                colour.as_ptr().cast(),
                part.0.as_ptr(),
                part.1.as_ptr(),
                waits.len() as u32,
                list,
                &mut last,
            );
            assert_eq!(code, 0);
            if !before.is_null() {
                assert_eq!(clReleaseEvent(before), 0);
            }
        }
    }
    // SAFETY: valid handles.
    unsafe {
        assert_eq!(clWaitForEvents(1, &last), 0);
        assert_eq!(clReleaseEvent(last), 0);
        assert_eq!(clReleaseCommandQueue(other), 0);
    }
    pair.model.fill(20);
    pair.check("the last fill");
}

/// With copies by kernels, where a driver is slow at them.
#[test]
fn the_same_in_kernels() {
    again::again_in(module_path!(), &["stage,tune.image_copy=1"]);
}

/// On a device without storage images of one and two bytes a texel, where images have four channels in their place.
#[test]
fn the_same_with_widened_texels() {
    again::again_masked(module_path!(), "phone-1.1.json");
}
