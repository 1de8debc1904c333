//! What is told of images, and what is refused.

use super::*;

#[test]
fn queries() {
    let Some(s) = setup() else { return };
    let info = |image: Handle, param: u32| {
        let mut value = 0usize;
        // SAFETY: room for a size.
        let code = unsafe { clGetImageInfo(image, param, 8, (&raw mut value).cast(), null_mut()) };
        if code == 0 { Ok(value) } else { Err(code) }
    };
    for (kind, size, expected) in [
        (CL_MEM_OBJECT_IMAGE1D, [13, 9, 9, 9], [13, 0, 0, 0, 52, 0]),
        (CL_MEM_OBJECT_IMAGE1D_ARRAY, [7, 9, 9, 5], [7, 0, 0, 5, 28, 28]),
        (CL_MEM_OBJECT_IMAGE2D, [11, 9, 8, 7], [11, 9, 0, 0, 44, 0]),
        (CL_MEM_OBJECT_IMAGE2D_ARRAY, [5, 7, 9, 3], [5, 7, 0, 3, 20, 140]),
        (CL_MEM_OBJECT_IMAGE3D, [5, 3, 7, 9], [5, 3, 7, 0, 20, 60]),
    ] {
        let image = try_image(&s, 0, &format(CL_RGBA, CL_UNORM_INT8), &desc(kind, size), null_mut());
        let image = image.expect("image");
        let params = [
            CL_IMAGE_WIDTH,
            CL_IMAGE_HEIGHT,
            CL_IMAGE_DEPTH,
            CL_IMAGE_ARRAY_SIZE,
            CL_IMAGE_ROW_PITCH,
            CL_IMAGE_SLICE_PITCH,
        ];
        assert_eq!(params.map(|p| info(image, p)), expected.map(Ok), "{kind:#x}");
        assert_eq!(info(image, CL_IMAGE_ELEMENT_SIZE), Ok(4));
        assert_eq!(info(image, CL_IMAGE_BUFFER), Ok(0));
        assert_eq!(info(image, 0x1109), Err(CL_INVALID_VALUE));
        assert_eq!(cl::info(image, CL_MEM_TYPE), Ok(kind));
        release(image);
    }
}

/// Every format that is listed can be made, for every kind and use.
#[test]
fn listed_formats_are_there() {
    let Some(s) = setup() else { return };
    for flags in [CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE] {
        for (kind, size) in KINDS.into_iter().filter(|k| k.0 & OF_BUFFER == 0) {
            let mut count = 0;
            // SAFETY: a valid place.
            let code =
                unsafe { clGetSupportedImageFormats(s.context, flags, kind, 0, null_mut(), &mut count) };
            assert_eq!(code, 0);
            assert!(count >= 11, "{kind:#x} has {count} formats");
            let mut list = vec![format(0, 0); count as usize];
            // SAFETY: so many entries.
            let code = unsafe {
                clGetSupportedImageFormats(s.context, flags, kind, count, list.as_mut_ptr(), null_mut())
            };
            assert_eq!(code, 0);
            // Depth is of 2D images and arrays of them alone.
            let flat = matches!(kind, CL_MEM_OBJECT_IMAGE2D | CL_MEM_OBJECT_IMAGE2D_ARRAY);
            assert!(flat || list.iter().all(|f| f.image_channel_order != CL_DEPTH), "{kind:#x}");
            if kind == CL_MEM_OBJECT_IMAGE1D_BUFFER {
                continue;
            }
            for format in &list {
                let image = try_image(&s, flags, format, &desc(kind, size), null_mut());
                let image = image.unwrap_or_else(|e| panic!("{format:?}: {e}"));
                let (zero, one) = ([0usize; 3], [1usize; 3]);
                let colour = [1f32; 4];
                // SAFETY: valid handles and places.
                let code = unsafe {
                    clEnqueueFillImage(
                        s.queue,
                        image,
                        colour.as_ptr().cast(),
                        zero.as_ptr(),
                        one.as_ptr(),
                        0,
                        null(),
                        null_mut(),
                    )
                };
                assert_eq!(code, 0, "{format:?}");
                release(image);
            }
        }
    }
    s.finish();
}

#[test]
fn what_is_wrong_is_refused() {
    let Some(s) = setup() else { return };
    let good = desc(CL_MEM_OBJECT_IMAGE2D, [8, 8, 0, 0]);
    let rgba = format(CL_RGBA, CL_UNORM_INT8);
    let mut bytes = noise(1024, 15);
    let host: *mut c_void = bytes.as_mut_ptr().cast();
    let none = null_mut();
    let with = |change: &dyn Fn(&mut cl_image_desc)| {
        let mut desc = good;
        change(&mut desc);
        desc
    };
    for (what, flags, format, desc, host, error) in [
        ("access twice", CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, rgba, good, none, CL_INVALID_VALUE),
        ("no host pointer", CL_MEM_COPY_HOST_PTR, rgba, good, none, CL_INVALID_HOST_PTR),
        ("a host pointer", 0, rgba, good, host, CL_INVALID_HOST_PTR),
        ("an order", 0, format(0x1000, CL_UNORM_INT8), good, none, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
        ("a pair", 0, format(CL_RGB, CL_FLOAT), good, none, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
        ("no format", 0, format(CL_Rx, CL_FLOAT), good, none, CL_IMAGE_FORMAT_NOT_SUPPORTED),
        ("a type", 0, rgba, with(&|d| d.image_type = 5), none, CL_INVALID_IMAGE_DESCRIPTOR),
        (
            "a buffer",
            0,
            rgba,
            with(&|d| d.image_type = CL_MEM_OBJECT_BUFFER),
            none,
            CL_INVALID_IMAGE_DESCRIPTOR,
        ),
        ("width 0", 0, rgba, with(&|d| d.image_width = 0), none, CL_INVALID_IMAGE_SIZE),
        ("a huge width", 0, rgba, with(&|d| d.image_width = 1 << 30), none, CL_INVALID_IMAGE_SIZE),
        ("the largest width", 0, rgba, with(&|d| d.image_width = usize::MAX), none, CL_INVALID_IMAGE_SIZE),
        ("a pitch", 0, rgba, with(&|d| d.image_row_pitch = 64), none, CL_INVALID_IMAGE_DESCRIPTOR),
        (
            "a small pitch",
            CL_MEM_COPY_HOST_PTR,
            rgba,
            with(&|d| d.image_row_pitch = 31),
            host,
            CL_INVALID_IMAGE_DESCRIPTOR,
        ),
        ("levels", 0, rgba, with(&|d| d.num_mip_levels = 5), none, CL_INVALID_IMAGE_DESCRIPTOR),
        (
            "levels of the application's",
            CL_MEM_COPY_HOST_PTR,
            rgba,
            with(&|d| d.num_mip_levels = 2),
            host,
            CL_INVALID_IMAGE_DESCRIPTOR,
        ),
        ("samples", 0, rgba, with(&|d| d.num_samples = 4), none, CL_INVALID_IMAGE_DESCRIPTOR),
    ] {
        assert_eq!(try_image(&s, flags, &format, &desc, host), Err(error), "{what}");
    }
    let image = try_image(&s, CL_MEM_HOST_WRITE_ONLY, &rgba, &good, none).expect("image");
    let read = |origin: [usize; 3], region: [usize; 3], row, slice, to| {
        let (queue, at, size) = (s.queue, origin.as_ptr(), region.as_ptr());
        // SAFETY: refused before anything is read.
        unsafe { clEnqueueReadImage(queue, image, 1, at, size, row, slice, to, 0, null(), null_mut()) }
    };
    for (what, origin, region, row, slice, to, error) in [
        ("too far", [1, 0, 0], [8, 1, 1], 0, 0, host, CL_INVALID_VALUE),
        ("a third dimension", [0, 0, 1], [1; 3], 0, 0, host, CL_INVALID_VALUE),
        ("no texels", [0; 3], [0, 1, 1], 0, 0, host, CL_INVALID_VALUE),
        ("a small pitch", [0; 3], [8, 1, 1], 31, 0, host, CL_INVALID_VALUE),
        ("a slice pitch", [0; 3], [8, 1, 1], 0, 64, host, CL_INVALID_VALUE),
        ("NULL", [0; 3], [8, 1, 1], 0, 0, none, CL_INVALID_VALUE),
        ("not for the host", [0; 3], [8, 1, 1], 0, 0, host, CL_INVALID_OPERATION),
    ] {
        assert_eq!(read(origin, region, row, slice, to), error, "{what}");
    }
    // An image is no buffer.
    // SAFETY: refused before anything is read.
    let code = unsafe { clEnqueueReadBuffer(s.queue, image, 1, 0, 4, host, 0, null(), null_mut()) };
    assert_eq!(code, CL_INVALID_MEM_OBJECT);
    assert_eq!(s.sub(image, 0, 0, 16), Err(CL_INVALID_MEM_OBJECT));
    let other = try_image(&s, 0, &format(CL_BGRA, CL_UNORM_INT8), &good, none).expect("image");
    let (zero, half, two) = ([0usize; 3], [4usize, 4, 1], [2usize, 2, 0]);
    let copy = |a, b, from: [usize; 3], to: [usize; 3], region: [usize; 3]| {
        let (queue, from, to, size) = (s.queue, from.as_ptr(), to.as_ptr(), region.as_ptr());
        // SAFETY: valid handles and places.
        unsafe { clEnqueueCopyImage(queue, a, b, from, to, size, 0, null(), null_mut()) }
    };
    assert_eq!(copy(image, other, zero, zero, half), CL_IMAGE_FORMAT_MISMATCH);
    assert_eq!(copy(other, other, zero, two, half), CL_MEM_COPY_OVERLAP);
    assert_eq!(copy(other, other, zero, [4, 4, 0], half), 0);
    assert_eq!(copy(other, other, zero, [5, 5, 0], half), CL_INVALID_VALUE);
    s.finish();
    release(image);
    release(other);
}
