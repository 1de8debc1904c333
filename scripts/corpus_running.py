"""Programs whose sources are made when they run: they run on libpumice.so, which writes down what it builds."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

from corpus_sources import ROOT, WORK, Skip, find, quiet

HERE = pathlib.Path(__file__).resolve().parent


def library():
    """libpumice.so: PUMICE_LIBRARY, or what was built last."""
    made = [ROOT / "target" / kind / "libpumice.so" for kind in ("release", "debug")]
    path = pathlib.Path(os.environ.get("PUMICE_LIBRARY") or next((m for m in made if m.exists()), "/nonexistent"))
    if not path.exists():
        raise Skip("no libpumice.so: cargo build --release -p pumice-icd, or PUMICE_LIBRARY")
    return path


def environment(dump, **more):
    """What makes an OpenCL program run on libpumice.so alone, and write its sources down."""
    vendors = WORK / "vendors"
    vendors.mkdir(parents=True, exist_ok=True)
    (vendors / "pumice.icd").write_text(f"{library()}\n")
    dump.mkdir(parents=True, exist_ok=True)
    lavapipe = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json"
    drivers = os.environ.get("VK_DRIVER_FILES", lavapipe)
    return {
        **os.environ,
        "VK_DRIVER_FILES": drivers,
        "VK_ICD_FILENAMES": drivers,
        "OCL_ICD_VENDORS": str(vendors),
        "PUMICE_DUMP_SOURCES": str(dump),
        "PUMICE_CACHE_DIR": "",
        **more,
    }


def run(command, dump, limit=1800, **more):
    """Runs a program; what it built counts, however it ends."""
    try:
        done = subprocess.run(command, env=environment(dump, **more), capture_output=True, timeout=limit, check=False)
        said = (done.stderr or done.stdout).decode(errors="replace").strip().splitlines()[-1:]
    except (OSError, subprocess.SubprocessError) as e:
        said = [str(e)]
    if not find(dump, "*.cl"):
        shutil.rmtree(dump, ignore_errors=True)
        raise Skip(f"{command[0]} built nothing: {said}")


def python(script, packages):
    """A script of ours that calls a library of PyPI, or a module of it (-m), in a virtual environment of its own."""

    def get(into):
        library()
        venv = WORK / f"venv-{packages[0].split('<')[0]}"
        if not venv.exists():
            quiet([sys.executable, "-m", "venv", str(venv)])
            quiet([str(venv / "bin" / "pip"), "install", "-q", *packages])
        what = [str(HERE / script)] if script.endswith(".py") else ["-m", script]
        opencv = {"OPENCV_OPENCL_DEVICE": ":CPU:", "OPENCV_OPENCL_CACHE_ENABLE": "0"}
        run([str(venv / "bin" / "python"), *what], into, **opencv)

    return get


def dumped(folder):
    """What PUMICE_DUMP_SOURCES wrote; the same source with the same options counts once."""
    jobs, seen = [], set()
    for f in find(folder, "*.cl"):
        beside = [f.with_suffix(s) for s in (".options", ".build")]
        options = next((b.read_text(errors="replace") for b in beside if b.exists()), "")
        key = (f.read_bytes(), options)
        if key not in seen:
            seen.add(key)
            jobs.append((f, " ".join(options.split())))
    return jobs


def opencv_jobs(folder):
    """Without a program that no compiler takes (a condition of four shorts or ints chooses between `uchar4`s); OpenCV
    works without it."""
    wrong = re.compile(r"dst\[0\] = src2 > src1 \|\| src3 < src1 \? \(DST_T\)")
    narrow = re.compile(r"SRC_T=u?char|KERCN=1")
    return [(f, o) for f, o in dumped(folder) if not wrong.search(f.read_text(errors="replace")) or narrow.search(o)]


PROGRAMS = {
    "OpenCV": (python("corpus_opencv.py", ["opencv-python-headless<5", "numpy"]), opencv_jobs),
    "OpenMM": (python("openmm.testInstallation", ["openmm"]), dumped),
    "sasmodels": (python("corpus_sasmodels.py", ["sasmodels"]), dumped),
}
