"""GEGL's operations with OpenCL, compared with the same without. Run by scripts/clients.

Each chain runs in a process of its own, so that it has a trace of its own: PUMICE_TRACE tells how many kernels ran. GEGL takes devices of
the type that GEGL_USE_OPENCL names. Left out are the operations whose OpenCL differs from their CPU form on every OpenCL
(c2g, noise-reduction, motion-blur-circular, oilify, snn-mean), and contrast-curve behind another operation: GEGL 0.4.42 reads a buffer
that it has released.
"""

import os
import subprocess
import sys
import tempfile

import numpy as np

CHAINS = [
    "box-blur radius=3 brightness-contrast brightness=0.1 contrast=1.3",
    "bilateral-filter blur-radius=3 threshold value=0.4",
    "gaussian-blur-selective blur-radius=3 levels in-low=0.1 out-high=0.8",
    "motion-blur-linear length=9 angle=20 exposure exposure=0.7 vignette",
    "color-temperature original-temperature=5000 mono-mixer",
    "contrast-curve",
    "edge-laplace invert-linear opacity value=0.6",
    "pixelize size-x=7 size-y=5 value-invert high-pass",
    "stretch-contrast hue-chroma hue=30 texturize-canvas posterize",
    "alien-map weighted-blend red-eye-removal noise-hsv",
]


def write(path):
    y, x = np.mgrid[0:241, 0:319]
    grain = np.random.default_rng(5).integers(0, 40, (241, 319))
    colours = np.stack([x * 200 // 319 + grain, y * 200 // 241 + grain, ((x - 160) ** 2 + (y - 120) ** 2 < 8000) * 180 + grain], axis=2)
    with open(path, "wb") as file:
        file.write(b"P6\n319 241\n255\n" + colours.astype(np.uint8).tobytes())


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    kind, width, height, most = data.split(maxsplit=4)[:4]
    assert kind == b"P6", kind
    start = data.index(most, data.index(height, data.index(width) + len(width)) + len(height)) + len(most) + 1
    texels = np.frombuffer(data[start:], ">u2" if int(most) > 255 else "u1")
    return texels.reshape(int(height), int(width), 3) / int(most)


def run(folder, chain, use):
    out, trace = os.path.join(folder, f"{use}.ppm"), os.path.join(folder, "trace.json")
    environment = dict(os.environ, GEGL_USE_OPENCL=use, GEGL_SWAP="RAM")
    if use != "no":
        environment["PUMICE_TRACE"] = trace
    words = " ".join(word if "=" in word else f"gegl:{word}" for word in chain.split()).split()
    command = ["gegl", os.path.join(folder, "in.ppm"), "-o", out, "--", *words]
    done = subprocess.run(command, capture_output=True, timeout=120, env=environment)
    assert done.returncode == 0, f"{chain}: {done.stderr.decode()[-500:]}"
    launches = 0
    if use != "no":
        with open(trace) as file:
            launches = file.read().count('"clEnqueueNDRangeKernel"')
        os.remove(trace)
    return read(out), launches


def main():
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        write(os.path.join(folder, "in.ppm"))
        use = next((use for use in ("cpu", "gpu") if run(folder, CHAINS[0], use)[1]), None)
        assert use, "no kernel ran on any type of device"
        for chain in CHAINS:
            (want, _), (got, launches) = run(folder, chain, "no"), run(folder, chain, use)
            assert got.shape == want.shape, f"{chain}: {got.shape}"
            operations = sum("=" not in word for word in chain.split())
            apart = np.abs(got - want)
            # A last bit of a float decides on which side of a threshold or step a pixel is.
            good = launches >= operations and (apart > 1e-4).mean() < 1e-3
            failures += not good
            print(f"{'ok' if good else 'WRONG'}: {chain}: {launches} kernels, off by at most {apart.max():.6f}, {(apart > 1e-4).mean():.3%}")
    return failures != 0


sys.exit(main())
