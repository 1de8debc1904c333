"""The programs whose kernels were first in scripts/corpus: each a function that gives its compilations."""

import os
import pathlib
import re

from corpus_sources import WORK, Skip, debian, find, git, parts, pypi, quiet

ALL = False  # --all: every file of hashcat, not one of twelve


def darktable(folder):
    kernels = folder / "data" / "kernels"
    return [(f, f"-w -cl-fast-relaxed-math -DUNKNOWN=1 -I\"{kernels}\"") for f in find(kernels, "*.cl")]


def gegl(folder):
    random = folder / "opencl" / "random.cl"
    # Every program is built behind the random numbers.
    return [
        (parts(folder, f.stem, [random, f]), "-cl-fast-relaxed-math")
        for f in find(folder / "opencl", "*.cl")
        if f != random
    ]


# What the tone mapping filter puts before its source: of its colour spaces and its curve.
FFMPEG_TONEMAP = """
#define DETECTION_FRAMES 63
#define TONE_FUNC hable
#define THRESHOLD 0.2f
#define SCENE_THRESHOLD 0.2f
constant float tone_param = 0.3f;
constant float desat_param = 0.5f;
constant float target_peak = 1.0f;
constant float scene_threshold = 0.2f;
constant float sdr_avg = 0.25f;
#define TARGET_PEAK 1.0f
#define chroma_loc 1
constant float rgb_matrix[9] = {1, 0, 1.5f, 1, -0.2f, -0.5f, 1, 1.8f, 0};
constant float yuv_matrix[9] = {0.2f, 0.7f, 0.1f, -0.1f, -0.4f, 0.5f, 0.5f, -0.4f, 0};
constant float rgb2rgb[9] = {1.7f, -0.6f, 0, -0.1f, 1.1f, 0, 0, -0.1f, 1.1f};
constant float3 luma_src = {0.2f, 0.7f, 0.1f};
constant float3 luma_dst = {0.2f, 0.7f, 0.1f};
#define linearize eotf_st2084
#define delinearize inverse_eotf_bt1886
#define ootf_impl ootf_none
#define inverse_ootf_impl ootf_none
float3 ootf_none(float3 c, float peak) { return c; }
"""


def ffmpeg(folder):
    kernels = folder / "libavfilter" / "opencl"
    special = {
        "nlmeans.cl": "-D MAX_R=9",
        "transpose.cl": "-D TRANSPOSE_DIR=0",
        "unsharp.cl": "",
    }
    jobs = []
    for f in find(kernels, "*.cl"):
        if f.name == "colorspace_common.cl":
            continue
        if f.name == "tonemap.cl":
            f = parts(folder, f.stem, [FFMPEG_TONEMAP, kernels / "colorspace_common.cl", f])
        jobs.append((f, special.get(f.name, "")))
    return jobs


# As on a GPU of Intel: the kernels tell vendors apart by their extensions, and know two.
LLAMA = "-Dcl_intel_required_subgroup_size=1 -Dcl_intel_subgroups=1 -cl-mad-enable -cl-unsafe-math-optimizations -cl-finite-math-only -cl-fast-relaxed-math"


def llama(folder):
    jobs = []
    for f in find(folder, "vendor/llama.cpp/ggml/src/ggml-opencl/kernels/*.cl"):
        options = f"-cl-std=CL3.0 {LLAMA}"
        # Types and functions that no specification has, of one vendor's compiler.
        if re.search(r"\bfloat32\b|\bqcom_get_", f.read_text()):
            continue
        options += " -DSIMDGROUP_WIDTH=64"
        if f.name == "gemv_noshuffle_q4_0_f32_spec.cl":
            options += " -DLINE_STRIDE_A=32 -DBLOCK_STRIDE_A=64"
        if f.name.startswith("flash_attn"):
            options += " -DDK=64 -DDV=64 -DBLOCK_M=64 -DBLOCK_N=64 -DN_SPLIT=1"
        jobs.append((f, options))
    return jobs


def hashcat(folder):
    root = folder / "OpenCL"
    base = (
        "-cl-std=CL1.2 -w -D KERNEL_STATIC -D XM2S(x)=#x -D M2S(x)=XM2S(x) "
        f"-D INCLUDE_PATH={root} -I {root} -D VENDOR_ID=8 -D CUDA_ARCH=0 -D HAS_VPERM=0 "
        "-D VECT_SIZE=1 -D DEVICE_TYPE=4 -D DGST_R0=0 -D DGST_R1=1 -D DGST_R2=2 -D DGST_R3=3 -D DGST_ELEM=4 "
        "-D KERN_TYPE=0 -D ATTACK_EXEC=11 -D ATTACK_KERN=0 -D ATTACK_MODE=0 -D FIXED_LOCAL_SIZE=64 "
        "-D FIXED_LOCAL_SIZE_COMP=64 -D SCRYPT_N=1024 -D SCRYPT_R=1 -D SCRYPT_P=1 -D SCRYPT_TMTO=1 -D SCRYPT_TMP_ELEM=8 "
    )
    jobs = []
    # The other files are included by these. There are over a thousand, and they have much in common.
    main = [f for f in find(root, "*.cl") if re.match(r"m\d|amp|markov|shared", f.name)]
    for f in main if ALL else main[::12]:
        jobs.append((f, base))
        if f.name in ("m00000_a0-pure.cl", "m00000_a3-optimized.cl", "m01400_a3-pure.cl", "m01700_a1-optimized.cl"):
            jobs.append((f, base.replace("VECT_SIZE=1", "VECT_SIZE=4")))
    return jobs


def john(folder):
    root = folder / "run" / "opencl"
    base = (
        f"-I {root} -D__GPU__ -DDEVICE_INFO=34 -DSIZEOF_SIZE_T=8 -DDEV_VER_MAJOR=1 -DDEV_VER_MINOR=2 "
        "-D_OPENCL_COMPILER -cl-mad-enable "
    )
    # What the formats define, each in its own file of the host's part; where two differ, either will do.
    lengths = {
        **dict.fromkeys("KEYLEN SALTLEN OUTLEN MAX_LEN NT_LENGTH COMMON_KEYS PASSLEN SALT_SIZE".split(), 64),
        **dict.fromkeys("HASH_LOOPS HASH_LOOPS0710 HASH_LOOPS13".split(), 50),
        **dict.fromkeys("MAX_CONT_SIZE CTLEN CT_LEN BLOBLEN MAX_DATA_LENGTH BUFFER_SIZE MAX_MASTERKEYBLOB_LEN MAX_DATALEN ENCRYPTED_BLOB_LEN MAX_OUTLEN".split(), 1024),
        **dict.fromkeys("V_WIDTH MAX_KEYS_PER_CRYPT BENCH_MUL NUM_INT_KEYS IS_STATIC_GPU_MASK".split(), 1),
        **dict.fromkeys("LOC_0 LOC_1 LOC_2 LOC_3 SALT_PARAM_BASE".split(), 0),
        **dict.fromkeys("SALT_LENGTH BINARY_SIZE ITER_COUNT SAFETY_FACTOR REQ_BITMAP_BITS".split(), 16),
        **dict.fromkeys("OFFSET_TABLE_SIZE HASH_TABLE_SIZE SHIFT64_OT_SZ SHIFT64_HT_SZ SHIFT128_OT_SZ SHIFT128_HT_SZ BITMAP_SIZE_BITS".split(), 16),
        **dict.fromkeys("BITMAP_SIZE_BITS_LESS_ONE BITMAP_MASK BITMAP_SHIFT SELECT_CMP_STEPS ITERATIONS".split(), 1000),
        "PLAINTEXT_LENGTH": 55,
        "UNICODE_LENGTH": 104,
        "LINE_BUFFER_SIZE": 256,
        "WORK_GROUP_SIZE": 8,
        "CONST_CACHE_SIZE": 65536,
        "ISO_8859_2": 1,
        **{f"index{n}": n for n in range(96)},
    }
    jobs = []
    for f in find(root, "*.cl"):
        # What a source itself calls a variable is no macro of its host.
        own = set() if f.stem.startswith("DES_bs") else {f"index{n}" for n in range(96)}
        own |= set(re.findall(r"^\s+(?:u?int|uint32_t)\s+(\w+);", f.read_text(), re.M))
        own |= {"ITERATIONS"} if f.stem in ("iwork_kernel", "vmx_kernel", "enpass_kernel") else set()
        macros = " ".join(f"-D{name}={value}" for name, value in lengths.items() if name not in own)
        jobs.append((f, base + macros))
    return jobs


RODINIA = {
    "lud": "-D BLOCK_SIZE=16",
    "nw": "-D BLOCK_SIZE=16",
    "hotspot": "-D BLOCK_SIZE=16",
    "dwt2d": "",
    "cfd": "-D BLOCK_SIZE_0=192",
    "backprop": "-D BLOCK_SIZE=16",
    "b+tree": "-D DEFAULT_ORDER=256 -D DEFAULT_ORDER_2=256",
}


def rodinia(folder):
    jobs = []
    for f in find(folder, "opencl/**/*.cl"):
        program = f.relative_to(folder / "opencl").parts[0]
        include = f"-I {folder / 'opencl' / program} -I {f.parent}"
        jobs.append((f, f"{RODINIA.get(program, '')} {include}"))
    return jobs


def raw_strings(folder, name, files, before):
    """What the C++ compiler makes of files that are raw string literals with directives around them."""
    texts = []
    for f in files:
        text = f.read_text()
        texts += [m.group(1) for m in re.finditer(r'R"\((.*?)\)"', text, re.S)]
    return parts(folder, name, [before, *texts])


# The routines of CLBlast: which files make up which source, in order.
CLBLAST = {
    **{f"x{n}": ["level1/level1", f"level1/x{n}"] for n in "amax asum axpy copy dot had nrm2 scal swap".split()},
    **{f"x{n}": ["level2/level2", f"level2/x{n}"] for n in "ger her her2 trsv".split()},
    "xgemv": ["level2/xgemv", "level2/xgemv_fast"],
    "xgemm": [
        *(f"level3/{n}" for n in "level3 copy_fast copy_pad transpose_fast transpose_pad".split()),
        *(f"level3/convert_{n}" for n in "symmetric triangular hermitian".split()),
        *(f"level3/xgemm_direct_part{n}" for n in "123"),
        *(f"level3/xgemm_part{n}" for n in "1234"),
    ],
    "xgemm_batched": [
        *(f"level3/{n}" for n in "level3 copy_fast copy_pad transpose_fast transpose_pad".split()),
        *(f"level3/xgemm_direct_part{n}" for n in "123"),
        *(f"level3/xgemm_part{n}" for n in "1234"),
        *(f"level3/{n}" for n in "xgemm_batched xgemm_direct_batched".split()),
    ],
    "invert": [f"level3/{n}" for n in "level3 invert_diagonal_blocks_part1 invert_diagonal_blocks_part2".split()],
    "im2col": ["levelx/im2col"],
    "col2im": ["levelx/col2im"],
    "xconvgemm": [
        "level3/level3",
        *(f"level3/xgemm_direct_part{n}" for n in "123"),
        "levelx/xconvgemm_part1",
        "levelx/xconvgemm_part2",
    ],
}
CLBLAST_ROUTINE = {
    "xger": "ROUTINE_GER",
    "xher": "ROUTINE_HER",
    "xher2": "ROUTINE_HER2",
    "xtrsv": "ROUTINE_TRSV",
    "invert": "ROUTINE_INVERT",
    "xgemm_batched": "ROUTINE_GEMMBATCHED",
    "xconvgemm": "ROUTINE_CONVGEMM",
}


def clblast(folder):
    kernels = folder / "src" / "kernels"
    jobs = []
    for precision in (16, 32, 64, 3232, 6464):
        for routine, files in CLBLAST.items():
            if routine in ("xher", "xher2") and precision == 16:
                continue
            name = CLBLAST_ROUTINE.get(routine, "ROUTINE_OTHER")
            # Hermitian matrices are complex; real ones have the symmetric routine, in the same files.
            name = name if precision > 64 else name.replace("_HER", "_SYR")
            before = f"#define PRECISION {precision}\n#define {name}\n"
            files = [kernels / f"{f}.opencl" for f in ["common", *files]]
            jobs.append((raw_strings(folder, f"{routine}-{precision}", files, before), ""))
    return jobs


def clpeak(folder):
    # Stringified by a macro that keeps everything between its parentheses.
    jobs = []
    for f in find(folder, "src/**/*.cl"):
        text = f.read_text()
        text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text.replace("\\\n", ""), flags=re.S)
        inside = [m.group(1) for m in re.finditer(r"MSTRINGIFY\((.*?)\n\)", text, re.S)]
        lines = [i.replace("\n", " ").replace("\\n", "\n") for i in inside]
        jobs.append((parts(folder, f.stem, lines) if inside else f, "-cl-mad-enable"))
    return jobs


def gromacs(folder):
    source = folder / "src"
    main = source / "gromacs" / "nbnxm" / "opencl" / "nbnxm_ocl_kernels.cl"
    base = f"-I {source} -I {main.parent} -cl-fast-relaxed-math -DWARP_SIZE_TEST=32 "
    base += "-D_NVIDIA_SOURCE_ -DGMX_OCL_FASTGEN_ADD_TWINCUT -DNBNXM_MIN_DISTANCE_SQUARED_VALUE_FLOAT=3.82e-07f -DNBNXN_GPU_CLUSTER_SIZE=8 "
    base += "-DNBNXN_GPU_NCLUSTER_PER_SUPERCLUSTER=8 -DNBNXN_GPU_JGROUP_SIZE=4 -DCENTRAL=22 -DDIM=3 -Dc_nbnxnGpuClusterSize=8 "
    base += "-Dc_nbnxnGpuNumClusterPerSupercluster=8 -Dc_nbnxnGpuJgroupSize=4 -Dc_centralShiftIndex=22 "
    jobs = []
    for electrostatics in ("EL_CUTOFF -DEELNAME=_ElecCut", "EL_RF -DEELNAME=_ElecRF", "EL_EWALD_TAB -DEELNAME=_ElecEwQSTab"):
        for van_der_waals in ("-DVDWNAME=_VdwLJ", "-DLJ_FORCE_SWITCH -DVDWNAME=_VdwLJFsw", "-DLJ_POT_SWITCH -DVDWNAME=_VdwLJPsw"):
            jobs.append((main, f"{base} -DGMX_OCL_FASTGEN -D{electrostatics} {van_der_waals}"))
    return jobs


def imagemagick(folder):
    # The source is made by a C compiler's preprocessor, of a header: string literals side by side.
    program = WORK / "joined" / "imagemagick"
    program.mkdir(parents=True, exist_ok=True)
    (program / "kernels.c").write_text(
        '#define MAGICKCORE_OPENCL_SUPPORT 1\n#include "accelerate-kernels-private.h"\n'
    )
    header = folder / "magick"
    text = quiet(["cc", "-E", "-P", f"-I{header}", str(program / "kernels.c")]).decode(errors="replace")
    text = text[text.index("accelerateKernels") :]
    literals = re.findall(r'"((?:[^"\\]|\\.)*)"', text, re.S)
    source = program / "accelerate.cl"
    source.write_text("".join(literals).encode().decode("unicode_escape"))
    base = "-cl-single-precision-constant -cl-mad-enable -DMagickEpsilon=1.0e-15f -DMagickPI=3.14159265f -DMaxMap=65535 "
    depths = [
        "-DCLQuantum=uchar -DCLPixelType=uchar4 -DQuantumRange=255.0f -DQuantumScale=0.00392157f "
        "-DCharQuantumScale=1.0f -DMAGICKCORE_QUANTUM_DEPTH=8",
        "-DCLQuantum=ushort -DCLPixelType=ushort4 -DQuantumRange=65535.0f -DQuantumScale=0.0000152590219f "
        "-DCharQuantumScale=257.0f -DMAGICKCORE_QUANTUM_DEPTH=16",
    ]
    return [(source, base + depth) for depth in depths]


def pyopencl(folder):
    root = folder / "pyopencl" / "cl"
    before = "#define PYOPENCL_DEFINE_CDOUBLE\n#include <pyopencl-complex.h>\n"
    names = "bessel-j bessel-y bessel-j-complex hankel-complex airy eval-tbl".split()
    files = [root / f"pyopencl-{n}.cl" for n in names] + find(root, "pyopencl-random123/*.cl")
    return [(parts(folder, f.stem, [before, f]), f"-I {root} -I {root}/pyopencl-random123") for f in files if f.exists()]


PROGRAMS = {
    "CLBlast": (git("CNugteren/CLBlast", r"^src/kernels/"), clblast),
    "clpeak": (git("krrishnarraj/clpeak", r"\.cl$"), clpeak),
    "darktable": (debian("darktable", "*/data/kernels/*"), darktable),
    "FFmpeg": (debian("ffmpeg", "*/libavfilter/opencl/*"), ffmpeg),
    "GEGL": (debian("gegl", "*/opencl/*.cl"), gegl),
    "GROMACS": (debian("gromacs", "*.cl", "*.clh", "*/src/gromacs/*.h"), gromacs),
    "hashcat": (debian("hashcat", "*/OpenCL/*"), hashcat),
    "ImageMagick": (debian("imagemagick", "*/magick/accelerate*.h"), imagemagick),
    "John the Ripper": (git("magnumripper/JohnTheRipper", r"^run/opencl/"), john),
    "llama.cpp": (pypi("llama-cpp-python", "*/ggml-opencl/*"), llama),
    "PyOpenCL": (git("inducer/pyopencl", r"^pyopencl/cl/"), pyopencl),
    "Rodinia": (git("yuhc/gpu-rodinia", r"^opencl/.*\.(cl|h|c)$"), rodinia),
}
