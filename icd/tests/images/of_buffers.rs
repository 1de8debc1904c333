//! Images that are made of buffers (cl_khr_image2d_from_buffer, cl_ext_image_from_buffer), and what they demand.

use super::*;

/// Images of buffers: what is told of them, one image's bytes copied within it, other looks, two images of one buffer, and the application's
/// memory, which maps are derived from.
#[test]
fn images_of_buffers() {
    let Some(s) = setup() else { return };
    let mut memory = noise(4096 + 64 * 8, 21);
    let first = memory.as_ptr().align_offset(64);
    let host: *mut u8 = memory[first..].as_mut_ptr();
    let rgba = format(CL_RGBA, CL_UNORM_INT8);
    for flags in [0, CL_MEM_USE_HOST_PTR, CL_MEM_ALLOC_HOST_PTR] {
        let uses = flags == CL_MEM_USE_HOST_PTR;
        let buffer =
            s.try_buffer(flags, 64 * 8, if uses { host.cast() } else { null_mut() }).expect("buffer");
        let data = noise(64 * 8, 22);
        s.write(buffer, 0, &data);
        let mut at = desc(CL_MEM_OBJECT_IMAGE2D, [13, 8, 0, 0]);
        at.image_row_pitch = 64;
        at.__bindgen_anon_1.mem_object = buffer;
        let image = try_image(&s, 0, &rgba, &at, null_mut()).expect("image");
        assert_eq!(cl::info::<Handle2>(image, CL_MEM_ASSOCIATED_MEMOBJECT).map(|h| h.0), Ok(buffer.addr()));
        assert_eq!(cl::info::<usize>(image, CL_MEM_SIZE), Ok(512));
        let model: Vec<u8> = data.chunks(64).flat_map(|row| row[..52].to_vec()).collect();
        let mut pair =
            Pair { s: &s, image, buffer: Some(buffer), texel: 4, size: [13, 8, 1], model, pitches: None };
        pair.check("as the buffer");
        // Within the image.
        let (from, to, region) = ([0usize, 0, 0], [5usize, 4, 0], [5usize, 4, 1]);
        let (q, none) = (s.queue, null_mut());
        let copy = |a, b, from: [usize; 3], to: [usize; 3]| {
            // SAFETY: valid handles and places.
            unsafe {
                clEnqueueCopyImage(q, a, b, from.as_ptr(), to.as_ptr(), region.as_ptr(), 0, null(), none)
            }
        };
        assert_eq!(copy(image, image, from, to), 0);
        assert_eq!(copy(image, image, from, [4, 3, 0]), CL_MEM_COPY_OVERLAP);
        let moved = pair.packed((from, region));
        pair.put((to, region), &moved);
        pair.check("copied within");
        // Another image of the same bytes, and another look at the first.
        let other = try_image(&s, 0, &rgba, &at, null_mut()).expect("image");
        let mut look = desc(CL_MEM_OBJECT_IMAGE2D, [13, 8, 0, 0]);
        look.__bindgen_anon_1.mem_object = image;
        let look = try_image(&s, 0, &format(CL_sRGBA, CL_UNORM_INT8), &look, null_mut()).expect("look");
        assert_eq!(copy(other, image, from, [4, 3, 0]), 0);
        pair.put(([4, 3, 0], region), &moved);
        for same in [image, other, look] {
            let own = std::mem::replace(&mut pair.image, same);
            pair.check("by another image");
            pair.image = own;
        }
        // Maps of both are apart, though their boxes have the same places.
        let part = ([2, 1, 0], [4, 3, 1]);
        let (pointer, row, _) = map(&pair, CL_MAP_WRITE, part);
        let own = std::mem::replace(&mut pair.image, other);
        let (again, _, _) = map(&pair, CL_MAP_WRITE, ([8, 1, 0], [4, 3, 1]));
        assert_eq!(s.unmap(other, again.cast()), 0);
        pair.image = own;
        if uses {
            assert_eq!((pointer.addr(), row), (host.addr() + 64 + 8, 64));
        }
        // SAFETY: in the mapped box.
        unsafe { pointer.add(row).write(99) };
        assert_eq!(s.unmap(image, pointer), 0);
        let mut texel = pair.packed(([2, 2, 0], [1, 1, 1]));
        texel[0] = 99;
        pair.put(([2, 2, 0], [1, 1, 1]), &texel);
        pair.check("unmapped");
        assert_eq!(s.read(buffer, 128 + 8, 1), [99]);
        assert_eq!(s.read(buffer, 64 + 52, 12), data[64 + 52..128], "between the rows");
        release(other);
        release(look);
    }
    s.finish();
}

#[test]
fn what_no_buffer_can_be_is_refused() {
    let Some(s) = setup() else { return };
    let buffer = s.buffer(0, 512);
    let rgba = format(CL_RGBA, CL_UNORM_INT8);
    let refused = |what: &str, size: [usize; 4], row, slice, kind, error| {
        let mut wrong = desc(kind, size);
        (wrong.image_row_pitch, wrong.image_slice_pitch) = (row, slice);
        wrong.__bindgen_anon_1.mem_object = buffer;
        assert_eq!(try_image(&s, 0, &rgba, &wrong, null_mut()).err(), error, "{what}");
    };
    let (flat, solid) = (CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE3D);
    refused("too large", [13, 9, 0, 0], 64, 0, flat, Some(CL_INVALID_IMAGE_SIZE));
    refused("a padded last row", [13, 8, 0, 0], 66, 0, flat, Some(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR));
    refused("a small pitch", [13, 8, 0, 0], 48, 0, flat, Some(CL_INVALID_IMAGE_DESCRIPTOR));
    refused("too many slices", [4, 4, 5, 0], 16, 128, solid, Some(CL_INVALID_IMAGE_SIZE));
    refused("slices", [4, 4, 4, 0], 16, 130, solid, Some(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR));
    let mut memory = noise(600, 3);
    let first = memory.as_ptr().align_offset(16) + 1;
    let odd = memory[first..].as_mut_ptr();
    let own = s.try_buffer(CL_MEM_USE_HOST_PTR, 512, odd.cast()).expect("buffer");
    let mut wrong = desc(flat, [4, 4, 0, 0]);
    wrong.__bindgen_anon_1.mem_object = own;
    let found = try_image(&s, 0, &rgba, &wrong, null_mut()).err();
    assert_eq!(found, Some(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR));
    release(own);
    release(buffer);
}

/// clGetImageRequirementsInfoEXT: a buffer of the size that it tells has the image, a smaller one not.
#[test]
fn requirements() {
    let Some(s) = setup() else { return };
    let ask = |format: Option<&cl_image_format>, desc: Option<&cl_image_desc>, param: u32, size: usize| {
        let (format, desc) = (format.map_or(null(), |f| f), desc.map_or(null(), |d| d));
        let mut value = 0usize;
        let at = (&raw mut value).cast();
        let (context, none) = (s.context, null());
        // SAFETY: room for a size.
        let code = unsafe {
            clGetImageRequirementsInfoEXT(context, none, 0, format, desc, param, size, at, null_mut())
        };
        if code == 0 { Ok(value) } else { Err(code) }
    };
    for (order, data_type, texel) in FORMATS {
        let of = format(order, data_type);
        for (kind, size) in KINDS.into_iter().filter(|k| k.0 & OF_BUFFER != 0) {
            let mut at = desc(kind & !OF_BUFFER, size);
            at.image_row_pitch = 16 * texel;
            let needed = ask(Some(&of), Some(&at), CL_IMAGE_REQUIREMENTS_SIZE_EXT, 8).expect("size");
            let small = s.buffer(0, needed - 1);
            at.__bindgen_anon_1.mem_object = small;
            assert_eq!(try_image(&s, 0, &of, &at, null_mut()), Err(CL_INVALID_IMAGE_SIZE), "{kind:#x}");
            release(small);
            let buffer = s.buffer(0, needed);
            at.__bindgen_anon_1.mem_object = buffer;
            let image = try_image(&s, 0, &of, &at, null_mut()).expect("image");
            assert_eq!(cl::info(image, CL_MEM_SIZE), Ok(needed));
            release(image);
            release(buffer);
        }
        for (param, alignment) in [(0x1290, texel), (0x1291, texel), (0x1292, 1)] {
            assert_eq!(ask(Some(&of), None, param, 8), Ok(alignment));
        }
    }
    let (flat, solid) = (desc(CL_MEM_OBJECT_IMAGE2D, [0; 4]), desc(CL_MEM_OBJECT_IMAGE3D, [0; 4]));
    let rgba = format(CL_RGBA, CL_UNORM_INT8);
    assert_eq!(ask(None, None, CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT, 8), Ok(16));
    assert!(ask(None, Some(&flat), CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT, 4).is_ok_and(|n| n >= 8192));
    assert!(ask(None, Some(&solid), CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT, 4).is_ok_and(|n| n >= 2048));
    assert!(ask(None, None, CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT, 4).is_ok_and(|n| n >= 2048));
    assert!(ask(Some(&rgba), None, CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT, 4).is_ok_and(|n| n >= 256));
    let wrong = format(CL_RGB, CL_FLOAT);
    for (what, format, desc, param, size, error) in [
        ("depth of 2D", None, Some(&flat), 0x12B5, 4, CL_INVALID_IMAGE_DESCRIPTOR),
        ("layers of 3D", None, Some(&solid), 0x12B6, 4, CL_INVALID_IMAGE_DESCRIPTOR),
        ("no format", None, Some(&flat), 0x12B2, 8, CL_INVALID_VALUE),
        ("no descriptor", Some(&rgba), None, 0x12B2, 8, CL_INVALID_VALUE),
        ("size 0", Some(&rgba), Some(&flat), 0x12B2, 8, CL_INVALID_IMAGE_DESCRIPTOR),
        ("rows of size 0", Some(&rgba), Some(&flat), 0x1290, 8, CL_INVALID_IMAGE_DESCRIPTOR),
        ("a place of size 0", Some(&rgba), Some(&flat), 0x1292, 8, CL_INVALID_IMAGE_DESCRIPTOR),
        ("a format", Some(&wrong), None, 0x1290, 8, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
        ("a query", Some(&rgba), None, 0x1293, 8, CL_INVALID_VALUE),
        ("room", Some(&rgba), None, 0x1290, 4, CL_INVALID_VALUE),
    ] {
        assert_eq!(ask(format, desc, param, size), Err(error), "{what}");
    }
}

/// Immutable images (cl_ext_immutable_memory_objects): they need contents, an image of an immutable buffer says that it is one, and nothing
/// writes them.
#[test]
fn immutable_images() {
    const IMMUTABLE: u64 = 1 << 6;
    let Some(s) = setup() else { return };
    let mut data = noise(64 * 8, 31);
    let host: *mut c_void = data.as_mut_ptr().cast();
    let rgba = format(CL_RGBA, CL_UNORM_INT8);
    let at = desc(CL_MEM_OBJECT_IMAGE2D, [16, 8, 0, 0]);
    assert_eq!(try_image(&s, IMMUTABLE, &rgba, &at, null_mut()).err(), Some(CL_INVALID_VALUE), "no contents");
    let image = try_image(&s, IMMUTABLE | CL_MEM_COPY_HOST_PTR, &rgba, &at, host).expect("image");
    let buffer = s.try_buffer(IMMUTABLE | CL_MEM_COPY_HOST_PTR, 512, host).expect("buffer");
    let mut of = at;
    of.image_row_pitch = 64;
    of.__bindgen_anon_1.mem_object = buffer;
    assert_eq!(try_image(&s, 0, &rgba, &of, null_mut()).err(), Some(CL_INVALID_VALUE), "it does not say so");
    let look = try_image(&s, IMMUTABLE, &rgba, &of, null_mut()).expect("image");
    let plain = try_image(&s, 0, &rgba, &at, null_mut()).expect("image");
    let source = "kernel void put(write_only image2d_t i) { write_imagef(i, (int2)(0, 0), (float4)(1)); }
                  kernel void get(read_only image2d_t i, global float4 *out) { *out = read_imagef(i, (int2)(1, 0)); }";
    let (put, get) = (cl::kernel(s.context, source, c"put"), cl::kernel(s.context, source, c"get"));
    let out = s.buffer(0, 16);
    let (zero, all) = ([0usize; 3], [16usize, 8, 1]);
    for target in [image, look] {
        let (q, none) = (s.queue, null_mut());
        let (o, r) = (zero.as_ptr(), all.as_ptr());
        // SAFETY: the pointers are to enough bytes; the calls fail.
        let refused = unsafe {
            [
                clEnqueueWriteImage(q, target, 1, o, r, 0, 0, host, 0, null(), none),
                clEnqueueFillImage(q, target, host, o, r, 0, null(), none),
                clEnqueueCopyImage(q, plain, target, o, o, r, 0, null(), none),
                clEnqueueCopyBufferToImage(q, buffer, target, 0, o, r, 0, null(), none),
                clEnqueueCopyImageToBuffer(q, plain, buffer, o, r, 0, 0, null(), none),
            ]
        };
        assert_eq!(refused, [CL_INVALID_OPERATION; 5]);
        // SAFETY: a handle of the size that is told.
        let given = unsafe {
            pumice::entry::kernel::clSetKernelArg(put, 0, size_of::<Handle>(), (&raw const target).cast())
        };
        assert_eq!(given, CL_INVALID_ARG_VALUE);
        cl::arg(get, 0, &target);
        cl::arg(get, 1, &out);
        cl::launch(s.queue, get, 1);
        let texel: Vec<f32> = data[4..8].iter().map(|byte| f32::from(*byte) / 255.0).collect();
        let read = s.read(out, 0, 16);
        let got = read.chunks(4).map(|b| f32::from_ne_bytes(b.try_into().expect("4 bytes")));
        assert!(got.zip(texel).all(|(a, b)| (a - b).abs() < 1e-6), "the texel");
    }
    for object in [image, look, plain, buffer, out] {
        release(object);
    }
}
