"""A PyOpenCL script: finds Pumice, computes, and looks at the result."""

import sys

import numpy as np
import pyopencl as cl
import pyopencl.array

platforms = [platform for platform in cl.get_platforms() if platform.name == "Pumice"]
if len(platforms) != 1:
    sys.exit(f"{len(platforms)} platforms of Pumice among {[platform.name for platform in cl.get_platforms()]}")
context = cl.Context(platforms[0].get_devices()[:1])
queue = cl.CommandQueue(context)
a = cl.array.to_device(queue, np.arange(8, dtype=np.float32))
assert ((2 * a + 1).get() == 2 * np.arange(8) + 1).all()
print("PyOpenCL", cl.VERSION_TEXT, "on", context.devices[0].name)
