"""Prints the devices, by the library itself: no loader and no PyOpenCL is needed."""

import ctypes
import sys

from . import __version__, library

CL_DEVICE_TYPE_ALL = 0xFFFFFFFF
CL_DEVICE_NAME = 0x102B
CL_DRIVER_VERSION = 0x102D
CL_DEVICE_VERSION = 0x102F


def text(cl, device, what):
    size = ctypes.c_size_t()
    cl.clGetDeviceInfo(device, what, ctypes.c_size_t(0), None, ctypes.byref(size))
    value = ctypes.create_string_buffer(size.value)
    cl.clGetDeviceInfo(device, what, size, value, None)
    return value.value.decode(errors="replace")


def devices(cl):
    platform = ctypes.c_void_p()
    if cl.clGetPlatformIDs(1, ctypes.byref(platform), None) != 0:
        return []
    count = ctypes.c_uint()
    kind = ctypes.c_ulonglong(CL_DEVICE_TYPE_ALL)
    if cl.clGetDeviceIDs(platform, kind, 0, None, ctypes.byref(count)) != 0:
        return []
    found = (ctypes.c_void_p * count.value)()
    cl.clGetDeviceIDs(platform, kind, count, found, None)
    return [ctypes.c_void_p(device) for device in found]


def main():
    cl = ctypes.CDLL(library())
    print(f"pumice_opencl {__version__}: {library()}")
    found = devices(cl)
    for index, device in enumerate(found):
        name, version, driver = (text(cl, device, what) for what in (CL_DEVICE_NAME, CL_DEVICE_VERSION, CL_DRIVER_VERSION))
        print(f"{index}: {name}, {version.strip()}, driver {driver}")
    if not found:
        print("no Vulkan device that can be used: install a driver (Debian: apt install mesa-vulkan-drivers)", file=sys.stderr)
        return 1
    return 0


sys.exit(main())
