#!/usr/bin/env python3
"""The gallery's pictures by the native OpenCL driver: `pictures.py [--time SECONDS]`, with PyOpenCL and numpy.

Runs the kernels of web/playground/gallery.js on the first device, and writes the averages of the pictures' parts to web/test/pictures.json,
which web/test/playground.mjs compares with the browser's. `--time` measures the path tracer's frames instead.
"""

import json
import math
import resource
import sys
import time
from pathlib import Path

import numpy as np
import pyopencl as cl

ROOT = Path(__file__).resolve().parents[2]
GALLERY = ROOT / "web/playground/gallery"
COLUMNS, ROWS = 12, 8

context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
F = cl.mem_flags.READ_WRITE


def program(name):
    path = ROOT / "examples/pathtracer.cl" if name == "pathtracer" else GALLERY / f"{name}.cl"
    return cl.Program(context, path.read_text()).build()


def buffer(what):
    """A buffer of so many bytes, all zero, or with the contents of an array."""
    array = np.zeros(what, np.uint8) if isinstance(what, int) else what
    return cl.Buffer(context, F | cl.mem_flags.COPY_HOST_PTR, hostbuf=array)


def read(source, width, height):
    pixels = np.empty((height, width, 4), np.uint8)
    cl.enqueue_copy(queue, pixels, source)
    return pixels


def randoms(seed):
    """The numbers of `randoms` in gallery.js."""
    state = seed
    while True:
        state = (state * 1664525 + 1013904223) & 0xFFFFFFFF
        yield state / 2**32


def mandelbrot(width, height):
    kernel = program("mandelbrot").mandelbrot
    picture = buffer(width * height * 4)
    centre = np.array([-0.6, 0], np.float32)
    kernel(queue, (width, height), None, picture, centre, np.float32(2.6), np.uint32(200))
    return read(picture, width, height)


def pathtracer(width, height, frames=8):
    kernels = program("pathtracer")
    render, develop = kernels.render, kernels.develop
    total, picture = buffer(width * height * 16), buffer(width * height * 4)
    for frame in range(frames):
        render(queue, (width, height), None, total, np.uint32(frame), np.uint32(1))
        develop(queue, (width, height), None, total, picture)
    return read(picture, width, height)


def nbody(width, height, frames=12):
    count = 2048
    random = randoms(7)
    places, speeds = np.zeros((count, 4), np.float32), np.zeros((count, 4), np.float32)
    for i in range(count):
        side = 1 if i % 2 else -1
        r, phi = 0.05 + 0.55 * next(random) ** 0.7, 2 * math.pi * next(random)
        depth = 0.1 * (next(random) - 0.5)
        places[i] = side * 0.8 + r * math.cos(phi), side * 0.15 + r * math.sin(phi), depth, 1 / count
        speed = 0.62 * math.sqrt(r / (r * r + 0.05))
        speeds[i] = -speed * math.sin(phi) - side * 0.12, speed * math.cos(phi), 0, 0
    kernels = program("nbody")
    step, splat, develop = kernels.step, kernels.splat, kernels.develop
    now, speed = [buffer(places), buffer(places)], buffer(speeds)
    counts, picture = buffer(width * height * 4), buffer(width * height * 4)
    n, w, h = np.uint32(count), np.uint32(width), np.uint32(height)
    for frame in range(frames):
        before, after = now[frame % 2], now[1 - frame % 2]
        step(queue, (count,), (64,), before, speed, after, n, np.float32(0.012), cl.LocalMemory(64 * 16))
        splat(queue, (count,), None, after, counts, w, h)
        develop(queue, (width, height), None, counts, picture)
    return read(picture, width, height)


def life(width, height, frames=40):
    random = randoms(3)
    cells = np.array([1 if next(random) < 0.3 else 0 for _ in range(width * height)], np.uint8)
    kernels = program("life")
    generation, develop = kernels.generation, kernels.develop
    boards, picture = [buffer(cells), buffer(cells)], buffer(width * height * 4)
    for frame in range(frames):
        now, after = boards[frame % 2], boards[1 - frame % 2]
        develop(queue, (width, height), None, now, picture)
        generation(queue, (width, height), None, now, after)
    return read(picture, width, height)


def filtered(width, height):
    kernels = program("filter")
    scene, apply = kernels.scene, kernels.filter
    source, picture = buffer(width * height * 4), buffer(width * height * 4)
    scene(queue, (width, height), None, source)
    apply(queue, (width, height), None, source, picture, np.int32(3))
    return read(picture, width, height)


def reduction(width, height):
    """The bars of the groups' sums, as `bars` in main.js draws them."""
    count, group = 1 << 16, 128
    random = randoms(11)
    numbers = np.array([int(next(random) * 1000) for _ in range(count)], np.uint32)
    sums = np.empty(count // group, np.uint32)
    kernel, result = program("reduction").reduce, buffer(sums)
    kernel(queue, (count,), (group,), buffer(numbers), result, cl.LocalMemory(group * 4))
    cl.enqueue_copy(queue, sums, result)
    assert sums.sum() == numbers.sum()
    tall = sums / max(sums.max(), 1) * height * 0.95
    covered = np.clip(tall[None, :] - (height - 1 - np.arange(height)[:, None]), 0, 1)[..., None]
    return covered * np.array([0x66, 0xCC, 0xFF, 255]) + (1 - covered) * np.array([0x12, 0x16, 0x1F, 255])


def sort(width, height):
    count = 1 << 14
    random = randoms(5)
    keys = np.array([int(next(random) * 2**32) for _ in range(count)], np.uint32)
    kernels = program("sort")
    bitonic, develop = kernels.bitonic, kernels.develop
    data, picture = buffer(keys), buffer(width * height * 4)
    size = 2
    while size <= count:
        distance = size // 2
        while distance > 0:
            bitonic(queue, (count,), None, data, np.uint32(size), np.uint32(distance))
            distance //= 2
        size *= 2
    result = np.empty_like(keys)
    cl.enqueue_copy(queue, result, data)
    assert (result == np.sort(keys)).all()
    develop(queue, (width, height), None, data, picture, np.uint32(count))
    return read(picture, width, height)


def averages(pixels):
    """Of the parts of a picture; those of its first column and row first."""
    height, width = pixels.shape[:2]
    row, column = np.arange(height) * ROWS // height, np.arange(width) * COLUMNS // width
    parts = [pixels[row == y][:, column == x, :3].mean(axis=(0, 1)) for y in range(ROWS) for x in range(COLUMNS)]
    return [[int(v + 0.5) for v in part] for part in parts]


def processor_time():
    """That of this process, in seconds."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def timed(seconds):
    """Frames of the path tracer a second, with a read of each picture, as the playground does it."""
    width, height = 384, 256
    kernels = program("pathtracer")
    render, develop = kernels.render, kernels.develop
    total, picture = buffer(width * height * 16), buffer(width * height * 4)
    frames, begin = -3, time.time()
    while time.time() - begin < seconds:
        if frames == 0:
            begin, before = time.time(), processor_time()
        render(queue, (width, height), None, total, np.uint32(frames + 3), np.uint32(1))
        develop(queue, (width, height), None, total, picture)
        read(picture, width, height)
        frames += 1
    used = 1000 * (processor_time() - before) / frames
    print(f"{frames / (time.time() - begin):.2f} frames a second, {used:.1f} ms of the processor each, on {context.devices[0].name}")


if "--time" in sys.argv:
    timed(float(sys.argv[sys.argv.index("--time") + 1]))
else:
    pictures = {
        "mandelbrot": mandelbrot(512, 384),
        "pathtracer": pathtracer(384, 256),
        "nbody": nbody(512, 384),
        "life": life(256, 192),
        "filter": filtered(384, 256),
        "reduction": reduction(512, 64),
        "sort": sort(512, 256),
    }
    text = json.dumps({name: averages(np.asarray(p, float)) for name, p in pictures.items()}, separators=(",", ":"))
    (ROOT / "web/test/pictures.json").write_text(text + "\n")
    print(f"{len(pictures)} pictures by {context.devices[0].name}")
