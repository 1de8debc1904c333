"""Writes the OpenCL sources of sasmodels' models into the folder PUMICE_DUMP_SOURCES; for scripts/corpus."""

import os
import pathlib

from sasmodels import core, generate

FP64 = "#pragma OPENCL EXTENSION cl_khr_fp64: enable\n"


def main():
    out = pathlib.Path(os.environ["PUMICE_DUMP_SOURCES"])
    for name in core.list_models():
        info = core.load_model_info(name)
        if callable(info.Iq):
            continue  # A model in Python.
        made = generate.make_source(info)
        source = made["opencl"] if isinstance(made, dict) else made
        (out / f"{name}-float.cl").write_text(generate.convert_type(source, generate.F32))
        (out / f"{name}-double.cl").write_text(FP64 + generate.convert_type(source, generate.F64))


if __name__ == "__main__":
    main()
