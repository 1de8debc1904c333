"""OpenCL on Vulkan, for Python programs: an OpenCL driver, and how loaders find it.

PyOpenCL's wheels come with a loader that finds the driver of this package by itself. For other loaders import this module before
the first use of OpenCL: it sets OCL_ICD_VENDORS to a folder with this driver and the system's.

    python -m pumice_opencl    prints the devices
"""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

from ._version import __version__

__all__ = ["__version__", "activate", "library"]

SYSTEM = Path("/etc/OpenCL/vendors")


def library():
    """The path of libpumice.so."""
    # PyOpenCL's loader looks for drivers in this folder (RPATH of its module), so the library is there.
    return str(Path(__file__).resolve().parent.parent / "pyopencl" / ".libs" / "libpumice.so")


def _found_by_pyopencl():
    """PyOpenCL is a wheel whose own loader looks beside the library."""
    return any(Path(library()).parent.glob("libOpenCL*"))


def activate():
    """Tells loaders of the driver, unless the environment names drivers already or PyOpenCL's own loader finds it."""
    if os.environ.get("OCL_ICD_VENDORS") or _found_by_pyopencl():
        return
    folder = Path(tempfile.mkdtemp(prefix="pumice-vendors-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    files = sorted(SYSTEM.glob("*.icd")) if SYSTEM.is_dir() else []
    for file in files:
        # The system's Pumice, if there is one, is left out: it would be a second platform.
        if "libpumice.so" not in file.read_text(errors="replace"):
            (folder / file.name).symlink_to(file)
    (folder / "pumice.icd").write_text(library() + "\n")
    os.environ["OCL_ICD_VENDORS"] = str(folder)


activate()
