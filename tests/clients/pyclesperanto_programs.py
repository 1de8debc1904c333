"""pyclesperanto (CLIJ's kernels) on buffers and on images, compared with NumPy and SciPy. Run by scripts/clients."""

import sys
import types

import numpy as np
from scipy import ndimage

# It imports matplotlib for its pictures in notebooks; none is drawn here.
for name in ("matplotlib", "matplotlib.colors", "matplotlib.pyplot"):
    sys.modules.setdefault(name, types.ModuleType(name))
sys.modules["matplotlib.colors"].ListedColormap = object

import pyclesperanto as cle

CASES = []


def case(name, function, want, limit=1e-5, border=0):
    """`function` takes two functions: one makes an image of an array, the other an empty one of a shape and type. `border` texels at the
    edges are not compared: each library goes on beyond them in its own way."""
    CASES.append((name, function, want, limit, border))


def filters(kind, x):
    size, flat = (3, 3, 5)[3 - x.ndim:], x.ndim == 2
    sigma = {"sigma_x": 2, "sigma_y": 2, "sigma_z": 0 if flat else 2}
    reach = {"radius_x": 2, "radius_y": 1, "radius_z": 0 if flat else 1}
    case(f"copy {kind}", lambda put, new: cle.copy(put(x), new(x)), x, 0)
    case(f"gaussian_blur {kind}", lambda put, new: cle.gaussian_blur(put(x), new(x), **sigma), ndimage.gaussian_filter(x, 2, mode="nearest"))
    case(f"mean {kind}", lambda put, new: cle.mean_filter(put(x), new(x), **reach), ndimage.uniform_filter(x, size), border=3)
    case(f"maximum {kind}", lambda put, new: cle.maximum_filter(put(x), new(x), **reach), ndimage.maximum_filter(x, size, mode="nearest"), 0)
    case(f"minimum {kind}", lambda put, new: cle.minimum_filter(put(x), new(x), **reach), ndimage.minimum_filter(x, size, mode="nearest"), 0)
    case(f"median {kind}", lambda put, new: cle.median(put(x), new(x), **reach), ndimage.median_filter(x, size), 0, border=3)
    slopes = np.sqrt(sum(ndimage.sobel(x, axis) ** 2 for axis in range(x.ndim)))
    case(f"sobel {kind}", lambda put, new: cle.sobel(put(x), new(x)), slopes, 1e-4, border=1)
    other = x[::-1].copy()
    weighted = lambda put, new: cle.add_images_weighted(put(x), put(other), new(x), 0.5, 2)
    case(f"add_images_weighted {kind}", weighted, x * 0.5 + 2 * other)
    case(f"multiply_images {kind}", lambda put, new: cle.multiply_images(put(x), put(other), new(x)), x * other)
    case(f"power {kind}", lambda put, new: cle.power(put(x), new(x), 1.7), x**1.7)
    case(f"greater_constant {kind}", lambda put, new: cle.greater_constant(put(x), new(x, np.uint8), 0.4), x > 0.4, 0)
    turned = x.swapaxes(-1, -2)
    case(f"transpose_xy {kind}", lambda put, new: cle.transpose_xy(put(x), new(turned)), turned, 0)
    case(f"gradient_x {kind}", lambda put, new: cle.gradient_x(put(x), new(x)), np.gradient(x, axis=-1), border=1)


def types_of_texels(volume):
    for kind in (np.uint8, np.int8, np.uint16, np.int16, np.uint32, np.int32, np.float32):
        x, name = (volume * 100).astype(kind), kind.__name__
        case(f"copy {name}", lambda put, new, x=x: cle.copy(put(x), new(x, x.dtype.type)), x, 0)
        biggest = ndimage.maximum_filter(x, (3, 3, 5), mode="nearest")
        case(f"maximum {name}", lambda put, new, x=x: cle.maximum_filter(put(x), new(x, x.dtype.type), 2, 1, 1), biggest, 0)
        case(f"add_image_and_scalar {name}", lambda put, new, x=x: cle.add_image_and_scalar(put(x), new(x, x.dtype.type), 3), x + kind(3), 0)


def check(memory, function, want, limit, border):
    def put(array):
        device = cle.create(array.shape, dtype=array.dtype.type, mtype=memory)
        device.set(np.ascontiguousarray(array))
        return device

    def new(like, kind=np.float32):
        return cle.create(like.shape, dtype=kind, mtype=memory)

    got = np.asarray(cle.pull(function(put, new)))
    if got.shape != want.shape:
        return f"{got.shape} for {want.shape}"
    inside = (slice(border, -border or None),) * got.ndim
    worst = np.abs(got[inside].astype(np.float64) - want[inside]).max()
    return None if worst <= limit else f"off by {worst}"


def main():
    volume = np.random.default_rng(1).random((13, 41, 37)).astype(np.float32)
    [device] = cle.list_available_devices()
    print(device)
    cle.select_device(device)
    filters("3D", volume)
    filters("2D", volume[7].copy())
    types_of_texels(volume)
    case("maximum_z_projection", lambda put, new: cle.maximum_z_projection(put(volume), new(volume[0])), volume.max(0), 0)
    case("mean_z_projection", lambda put, new: cle.mean_z_projection(put(volume), new(volume[0])), volume.mean(0))
    failures = 0
    for name, *rest in CASES:
        for memory in ("buffer", "image"):
            problem = check(memory, *rest)
            failures += problem is not None
            if problem:
                print(f"{name}, {memory}: {problem}")
    print(f"{2 * len(CASES) - failures} of {2 * len(CASES)} right")
    return failures != 0


sys.exit(main())
