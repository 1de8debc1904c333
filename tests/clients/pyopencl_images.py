"""PyOpenCL image programs, compared with NumPy. Run by scripts/clients."""

import sys

import numpy as np
import pyopencl as cl

SOURCE = """
constant sampler_t texels = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

kernel void convolve(read_only image2d_t in, write_only image2d_t out, constant float *mask, int half_size)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 sum = 0;
    for (int y = -half_size; y <= half_size; y++)
        for (int x = -half_size; x <= half_size; x++)
            sum += *mask++ * read_imagef(in, texels, at + (int2)(x, y));
    write_imagef(out, at, sum);
}

kernel void rotate_by(read_only image2d_t in, sampler_t sampler, write_only image2d_t out, float sine, float cosine)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));
    const float2 p = convert_float2(at) + 0.5f, c = convert_float2(get_image_dim(in)) / 2, d = p - c;
    write_imagef(out, at, read_imagef(in, sampler, c + (float2)(cosine * d.x - sine * d.y, sine * d.x + cosine * d.y)));
}

kernel void sample3(read_only image3d_t in, sampler_t sampler, global const float4 *at, global float *out)
{
    out[get_global_id(0)] = read_imagef(in, sampler, at[get_global_id(0)]).x;
}

kernel void lookup(read_only image2d_t in, sampler_t sampler, global const float2 *at, global float4 *out)
{
    out[get_global_id(0)] = read_imagef(in, sampler, at[get_global_id(0)]);
}

kernel void histogram(read_only image2d_t in, global int *bins)
{
    atomic_inc(&bins[read_imageui(in, texels, (int2)(get_global_id(0), get_global_id(1))).x]);
}

kernel void add_one(read_only image2d_t in, write_only image2d_t out)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));
    switch (get_image_channel_data_type(in)) {
    case CLK_SIGNED_INT8: case CLK_SIGNED_INT16: case CLK_SIGNED_INT32:
        write_imagei(out, at, read_imagei(in, texels, at) + 1); break;
    case CLK_UNSIGNED_INT8: case CLK_UNSIGNED_INT16: case CLK_UNSIGNED_INT32:
        write_imageui(out, at, read_imageui(in, texels, at) + 1u); break;
    default: write_imagef(out, at, read_imagef(in, texels, at) / 2); break;
    }
}

kernel void layers(read_only image2d_array_t in, write_only image2d_t out)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 sum = 0;
    for (int i = 0; i < get_image_array_size(in); i++) sum += (i + 1) * read_imagef(in, texels, (int4)(at, i, 0));
    write_imagef(out, at, sum);
}

kernel void line(read_only image1d_buffer_t in, global float *out)
{
    out[get_global_id(0)] = read_imagef(in, (int)get_global_id(0)).x * get_image_width(in);
}
"""

ORDERS, TYPES, FLAGS = cl.channel_order, cl.channel_type, cl.mem_flags


def image(context, order, kind, shape, host=None, flags=FLAGS.READ_WRITE, **more):
    if host is not None:
        flags |= FLAGS.COPY_HOST_PTR
    return cl.Image(context, flags, cl.ImageFormat(order, kind), shape=shape, hostbuf=host, **more)


def read(queue, source, shape, dtype):
    result = np.empty(shape, dtype)
    region = tuple(source.shape) + (1,) * (3 - len(source.shape))
    cl.enqueue_copy(queue, result, source, origin=(0, 0, 0), region=region)
    return result


def near(got, want, limit):
    worst = np.abs(got.astype(np.float64) - want).max()
    assert worst <= limit, f"off by {worst}"


def convolution(context, queue, program):
    random = np.random.default_rng(1)
    mask = random.random((5, 5)).astype(np.float32)
    mask /= mask.sum()
    device_mask = cl.Buffer(context, FLAGS.READ_ONLY | FLAGS.COPY_HOST_PTR, hostbuf=mask)
    for pixels, order, kind, limit in [
        (random.random((61, 83), np.float32), ORDERS.R, TYPES.FLOAT, 1e-6),
        (random.integers(0, 256, (61, 83, 4), np.uint8), ORDERS.RGBA, TYPES.UNORM_INT8, 0.51),
        (random.integers(0, 256, (61, 83, 4), np.uint8), ORDERS.BGRA, TYPES.UNORM_INT8, 0.51),
    ]:
        source, target = image(context, order, kind, (83, 61), pixels), image(context, order, kind, (83, 61))
        program.convolve(queue, (83, 61), None, source, target, device_mask, np.int32(2))
        padded = np.pad(pixels.astype(np.float64), [(2, 2), (2, 2), (0, 0)][: pixels.ndim], "edge")
        want = sum(mask[y, x] * padded[y : y + 61, x : x + 83] for y in range(5) for x in range(5))
        near(read(queue, target, pixels.shape, pixels.dtype), want, limit)


def bilinear(pixels, x, y):
    """What a linear filter gives with a border of zeros; x and y are texels' coordinates, 0.5 is the middle of the first."""
    padded = np.pad(pixels.astype(np.float64), 2)
    x, y = np.clip(x - 0.5, -2, pixels.shape[1]) + 2, np.clip(y - 0.5, -2, pixels.shape[0]) + 2
    i, j = np.minimum(x.astype(int), padded.shape[1] - 2), np.minimum(y.astype(int), padded.shape[0] - 2)
    a, b = x - i, y - j
    top = padded[j, i] * (1 - a) + padded[j, i + 1] * a
    return top * (1 - b) + (padded[j + 1, i] * (1 - a) + padded[j + 1, i + 1] * a) * b


def rotation(context, queue, program):
    pixels = np.random.default_rng(2).random((48, 64), np.float32)
    sine, cosine = np.float32(np.sin(0.4)), np.float32(np.cos(0.4))
    source, target = (image(context, ORDERS.R, TYPES.FLOAT, (64, 48), host) for host in (pixels, None))
    sampler = cl.Sampler(context, False, cl.addressing_mode.CLAMP, cl.filter_mode.LINEAR)
    program.rotate_by(queue, (64, 48), None, source, sampler, target, sine, cosine)
    y, x = np.mgrid[0:48, 0:64] + 0.5
    want = bilinear(pixels, 32 + cosine * (x - 32) - sine * (y - 24), 24 + sine * (x - 32) + cosine * (y - 24))
    near(read(queue, target, (48, 64), np.float32), want, 0.01)


def volume(context, queue, program):
    random = np.random.default_rng(3)
    voxels = random.random((9, 11, 13), np.float32)
    at = np.zeros((500, 4), np.float32)
    at[:, :3] = random.random((500, 3)) * (12, 10, 8) + 0.5
    source = image(context, ORDERS.R, TYPES.FLOAT, (13, 11, 9), voxels)
    device_at = cl.Buffer(context, FLAGS.READ_ONLY | FLAGS.COPY_HOST_PTR, hostbuf=at)
    out, result = cl.Buffer(context, FLAGS.WRITE_ONLY, 2000), np.empty(500, np.float32)
    sampler = cl.Sampler(context, False, cl.addressing_mode.CLAMP_TO_EDGE, cl.filter_mode.LINEAR)
    program.sample3(queue, (500,), None, source, sampler, device_at, out)
    cl.enqueue_copy(queue, result, out)
    x, y, z = at[:, :3].T.astype(np.float64) - 0.5
    i, j, k = x.astype(int), y.astype(int), z.astype(int)
    a, b, c = x - i, y - j, z - k
    padded = np.pad(voxels.astype(np.float64), 1, "edge")
    corner = lambda n: padded[k + 1 + (n >> 2), j + 1 + (n >> 1 & 1), i + 1 + (n & 1)]
    weight = lambda n: (c if n & 4 else 1 - c) * (b if n & 2 else 1 - b) * (a if n & 1 else 1 - a)
    near(result, sum(corner(n) * weight(n) for n in range(8)), 0.01)


def addressing(context, queue, program):
    pixels = np.arange(7 * 5 * 4, dtype=np.float32).reshape(5, 7, 4)
    source = image(context, ORDERS.RGBA, TYPES.FLOAT, (7, 5), pixels)
    # Not at texels' edges, where a last bit decides.
    at = (np.random.default_rng(4).integers(-60, 90, (400, 2)) * 0.1 + 0.04).astype(np.float32) / np.float32((7, 5))
    device_at = cl.Buffer(context, FLAGS.READ_ONLY | FLAGS.COPY_HOST_PTR, hostbuf=at)
    out, result = cl.Buffer(context, FLAGS.WRITE_ONLY, 400 * 16), np.empty((400, 4), np.float32)
    texel = np.floor(at.astype(np.float64) * (7, 5)).astype(int)
    size = np.array((7, 5))
    mirrored = np.minimum(texel % (2 * size), 2 * size - 1 - texel % (2 * size))
    for mode, place in [("CLAMP_TO_EDGE", np.clip(texel, 0, size - 1)), ("REPEAT", texel % size),
                        ("MIRRORED_REPEAT", mirrored), ("CLAMP", texel)]:
        sampler = cl.Sampler(context, True, getattr(cl.addressing_mode, mode), cl.filter_mode.NEAREST)
        program.lookup(queue, (400,), None, source, sampler, device_at, out)
        cl.enqueue_copy(queue, result, out)
        inside = ((place >= 0) & (place < size)).all(axis=1)
        want = np.where(inside[:, None], pixels[place[:, 1] % 5, place[:, 0] % 7], 0)
        np.testing.assert_array_equal(result, want, mode)


def formats(context, queue, program):
    random = np.random.default_rng(5)
    tried = 0
    for form in cl.get_supported_image_formats(context, FLAGS.READ_WRITE, cl.mem_object_type.IMAGE2D):
        name = TYPES.to_string(form.channel_data_type, "%d")
        words = {"INT8": "i1", "INT16": "i2", "INT32": "i4", "FLOAT": "f4"}
        kinds = [words[end] for end in words if name.endswith(end) and name != "HALF_FLOAT"]
        order = ORDERS.to_string(form.channel_order, "%d")
        if not kinds or order not in ("R", "RG", "RGBA", "BGRA", "ARGB"):
            continue
        dtype = np.dtype("f2" if name == "HALF_FLOAT" else kinds[0].replace("i", "u" if name.startswith("UN") else "i"))
        shape = (19, 23, form.channel_count)
        low, high = (0, 1000) if dtype.kind == "f" else (np.iinfo(dtype).min // 2, np.iinfo(dtype).max // 2)
        pixels = random.integers(low, high, shape).astype(dtype)
        source, target = (image(context, form.channel_order, form.channel_data_type, (23, 19), h) for h in (pixels, None))
        program.add_one(queue, (23, 19), None, source, target)
        got = read(queue, target, shape, dtype)
        if "NORM" in name or dtype.kind == "f":
            near(got, pixels / 2.0, 0.51 if "NORM" in name else 0)
        else:
            np.testing.assert_array_equal(got, pixels + 1, f"{order} {name}")
        tried += 1
    assert tried >= 20, f"{tried} formats"


def other_kinds(context, queue, program):
    random = np.random.default_rng(6)
    pixels = random.integers(0, 256, (37, 53), np.uint8)
    bins, counts = cl.Buffer(context, FLAGS.READ_WRITE | FLAGS.COPY_HOST_PTR, hostbuf=np.zeros(256, np.int32)), np.empty(256, np.int32)
    program.histogram(queue, (53, 37), None, image(context, ORDERS.R, TYPES.UNSIGNED_INT8, (53, 37), pixels), bins)
    cl.enqueue_copy(queue, counts, bins)
    np.testing.assert_array_equal(counts, np.bincount(pixels.ravel(), minlength=256))

    stack = random.random((3, 6, 8), np.float32)
    source = image(context, ORDERS.R, TYPES.FLOAT, (8, 6, 3), stack, is_array=True)
    target = image(context, ORDERS.R, TYPES.FLOAT, (8, 6))
    program.layers(queue, (8, 6), None, source, target)
    near(read(queue, target, (6, 8), np.float32), stack[0] + 2.0 * stack[1] + 3.0 * stack[2], 1e-5)

    values = random.random(100, np.float32)
    buffer = cl.Buffer(context, FLAGS.READ_ONLY | FLAGS.COPY_HOST_PTR, hostbuf=values)
    line = image(context, ORDERS.R, TYPES.FLOAT, (100,), flags=FLAGS.READ_ONLY, buffer=buffer)
    out, result = cl.Buffer(context, FLAGS.WRITE_ONLY, 400), np.empty(100, np.float32)
    program.line(queue, (100,), None, line, out)
    cl.enqueue_copy(queue, result, out)
    near(result, values * 100.0, 1e-5)


def transfers(context, queue, program):
    random = np.random.default_rng(7)
    pixels = random.integers(0, 256, (20, 30, 4), np.uint8)
    source = cl.image_from_array(context, pixels, 4, mode="w")
    target = image(context, ORDERS.RGBA, TYPES.UNSIGNED_INT8, (30, 20))
    cl.enqueue_fill_image(queue, target, np.array([1, 2, 3, 4], np.uint32), (0, 0, 0), (30, 20, 1))
    cl.enqueue_copy(queue, target, source, src_origin=(3, 4, 0), dest_origin=(10, 2, 0), region=(7, 9, 1))
    want = np.broadcast_to(np.array([1, 2, 3, 4], np.uint8), pixels.shape).copy()
    want[2:11, 10:17] = pixels[4:13, 3:10]
    np.testing.assert_array_equal(read(queue, target, pixels.shape, np.uint8), want)

    mapped, *_ = cl.enqueue_map_image(queue, target, cl.map_flags.READ | cl.map_flags.WRITE, (5, 6, 0), (4, 3, 1), (3, 4, 4), np.uint8)
    np.testing.assert_array_equal(mapped, want[6:9, 5:9])
    mapped[...] = 77
    want[6:9, 5:9] = 77
    mapped.base.release(queue)
    np.testing.assert_array_equal(read(queue, target, pixels.shape, np.uint8), want)

    buffer, flat = cl.Buffer(context, FLAGS.READ_WRITE, 7 * 9 * 4), np.empty((9, 7, 4), np.uint8)
    cl.enqueue_copy(queue, buffer, target, offset=0, origin=(10, 2, 0), region=(7, 9, 1))
    cl.enqueue_copy(queue, flat, buffer)
    np.testing.assert_array_equal(flat, want[2:11, 10:17])
    cl.enqueue_copy(queue, target, buffer, offset=0, origin=(0, 11, 0), region=(7, 9, 1))
    want[11:20, 0:7] = flat
    np.testing.assert_array_equal(read(queue, target, pixels.shape, np.uint8), want)


def main():
    [platform] = cl.get_platforms()
    assert platform.name == "Pumice", platform
    context = cl.Context([platform.get_devices()[0]])
    queue = cl.CommandQueue(context)
    assert context.devices[0].image_support
    program = cl.Program(context, SOURCE).build("-cl-std=CL1.2")
    for part in (convolution, rotation, volume, addressing, formats, other_kinds, transfers):
        part(context, queue, program)
        print(part.__name__, "ok")
    return 0


sys.exit(main())
