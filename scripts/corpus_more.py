"""More programs for scripts/corpus: neural networks, number theory, physics, samples, test suites of other tools.

Many hosts pass numbers as macros that any value serves: `numbers` takes the names from the host's own text.
"""

import re

from corpus_programs import raw_strings
from corpus_sources import debian, find, git, parts, wheel


def numbers(host, kernel, known=None, given="", number=4):
    """-D options for the macros that a host's text passes with a value and that occur in a kernel's text, but for those
    that are given already."""
    known = known or {}
    names = dict.fromkeys(re.findall(r"-D ?([A-Za-z_]\w*) ?=", host))
    own = set(re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", kernel, re.M))
    own |= set(re.findall(r"-D ?(\w+)", given))
    words = set(re.findall(r"\w+", kernel))
    chosen = [n for n in {**names, **dict.fromkeys(known)} if n.split("(")[0] in words and n.split("(")[0] not in own]
    chosen = [n for n in chosen if "(" in n or not any(k.startswith(n + "(") for k in known)]
    return " ".join(f"-D{n}={known.get(n, number)}" for n in chosen)


def text_of(files):
    return "\n".join(f.read_text(errors="replace") for f in files)


def plain(pattern, options="", leave=()):
    """Every file that matches is a program; #include finds its folder and the program's."""

    def jobs(folder):
        files = [f for f in find(folder, pattern) if not any(re.search(p, str(f.relative_to(folder))) for p in leave)]
        return [(f, f"{options} -I {f.parent} -I {folder}".strip()) for f in files]

    return jobs


# ---- Neural networks --------------------------------------------------------------------------------------------------


def mnn(folder):
    root = folder / "source" / "backend" / "opencl"
    host = (root / "core" / "runtime" / "OpenCLRuntime.cpp").read_text()
    base = [b for b in re.findall(r'buildOptionsStr = "(-DFLOAT=\w+ .*?)"', host) if "COMPUTE_FLOAT" in b]
    # The types of float tensors come last in each choice.
    types = dict(re.findall(r'" -D((?:IN|OUT|CONVERT|RI_|WI_)\w+)=(\w+)"', host))
    names = {
        "OPERATOR": "in0+in1",
        "OPERATE(a,b)": "(a+b)",
        "UNARY_OPERATOR": "fabs(in)",
        "INPUT_FORMAT": "MNN_DATA_FORMAT_NCHW",
        "OUTPUT_FORMAT": "MNN_DATA_FORMAT_NHWC",
        "VALUE": "0",
        "OPWM": 4,
        "OPWN": 4,
        "OPWD": 4,
        "AS_INPUT_DATA": "as_float",
        "AS_INPUT_DATA4": "as_float4",
        "AS_OUTPUT_DATA4": "as_uint4",
        "INTEL_DATA": "uint",
        "INTEL_SUB_GROUP_READ": "intel_sub_group_block_read",
        "INTEL_SUB_GROUP_READ4": "intel_sub_group_block_read4",
        "INTEL_SUB_GROUP_WRITE4": "intel_sub_group_block_write4",
        "SET_ATTRIBUTE": "false",
        **{n: 16 for n in "LOCAL_SIZE WGS SOFTMAX_LOCAL_SIZE ARGMAX_LOCAL_SIZE KWG MWG NWG MDIMA NDIMB MDIMC NDIMC".split()},
        **{n: 2 for n in "KWI VWM VWN".split()},
        **{n: 0 for n in "SA SB STRM STRN".split()},
    }
    hosts = text_of(find(root, "**/*.cpp"))
    jobs = []
    for f in find(root, "execution/cl/*.cl"):
        text = f.read_text()
        if "intel_sub_group_block" in text or "INTEL_SUB_GROUP" in text or "subgroup_buf" in f.name or f.stem == "matmul_local_buf":
            continue  # Only one vendor's compiler has these.
        precisions = base if "FLOAT" in text and f.stem not in ("buffer_to_image", "loop", "select") else base[-1:]
        # Halves in memory and floats in registers are for kernels on buffers.
        mixed = not f.stem.endswith("_buf")
        for precision in dict.fromkeys(precisions):
            if mixed and "FLOAT=half" in precision and "COMPUTE_FLOAT=float" in precision:
                continue
            if f.stem.startswith("unary"):
                names["OPERATOR"] = "fabs(in)"
            mine = {k: v.replace("float", "half") if "-DFLOAT=half" in precision else v for k, v in types.items()}
            jobs.append((f, f"{precision} {numbers(hosts, text, {**names, **mine}, precision)} -cl-mad-enable"))
    return jobs


def tnn(folder):
    root = folder / "source" / "tnn" / "device" / "opencl"
    floats = "-DFLOAT=float -DFLOAT4=float4 -DFLOAT16=float16 -DCONVERT_INT=convert_int -DCONVERT_FLOAT4=convert_float4 -DRI_F=read_imagef -DWI_F=write_imagef"
    halves = "-DFLOAT=half -DFLOAT4=half4 -DFLOAT16=half16 -DCONVERT_INT=convert_short -DCONVERT_FLOAT4=convert_half4 -DRI_F=read_imageh -DWI_F=write_imageh"
    operators = {
        "OPERATOR": "in0+in1",
        "POSTOPERATOR(r)": "r",
        "INNEROPERATOR(r)": "r.x+r.y+r.z+r.w",
        "REDUCEOPERATOR(r,t)": "r=(r+t);",
        "DATAINIT": "0",
        "BINARY_OPERATOR": "in0+in1",
        "CONVERT": "convert_int4",
        "THREAD_BLOCK_W": 16,
        "INNER_DIMS": 3,
    }
    jobs = []
    for f in find(root, "cl/*.cl"):
        # As the build does it: includes become text.
        text = re.sub(r'#include "(.*?)"', lambda m: (root / "cl" / m.group(1)).read_text(), f.read_text())
        text = re.sub(r'#include "(.*?)"', lambda m: (root / "cl" / m.group(1)).read_text(), text)
        unary = f.name in ("unary.cl",)
        mine = {**operators, "OPERATOR": "fabs(in)" if unary else "in0+in1"}
        if f.stem in ("arg", "cast_int32_to_float"):
            continue
        if f.stem == "reduce":
            mine["OPERATOR(r,t)"] = "r=(r+t);"
            del mine["OPERATOR"]
        words = " ".join(f'"-D{n}={v}"' for n, v in mine.items() if re.search(rf"\b{n.split('(')[0]}\b", text))
        source = parts(folder, f.stem, [text])
        jobs += [(source, f"{precision} {words}") for precision in (floats, halves)]
    return jobs


# Its other kernels compute in float, whatever the tensors are of.
MACE_HALF = "buffer_to_image buffer_transform concat pad split channel_shuffle space_to_depth depth_to_space".split()


def mace(folder):
    root = folder / "mace" / "ops" / "opencl"
    jobs = []
    for f in find(root, "cl/*.cl"):
        include = (root / "cl" / "common.h").read_text()
        text = f.read_text()
        source = parts(folder, f.stem, [include, text.replace("#include <common.h>", "")])
        hosts = text_of(find(root, "**/*.cc"))
        for kind, letter in (("float", "f"), ("half", "h")):
            if kind == "half" and f.stem not in MACE_HALF:
                continue
            types = f"-DDATA_TYPE={kind} -DIN_DATA_TYPE={kind} -DOUT_DATA_TYPE={kind} -DCMD_DATA_TYPE={letter} "
            mine = numbers(hosts, text.replace("DATA_TYPE", ""), {"CT_MODE": 0, "REDUCE_TYPE": 0, "PAD_TYPE": 0, "ELTWISE_TYPE": 0, "NEAREST_MODE": 0, "RESIZE_TYPE": 0, "PARAM_AXIS": 1, "INPUT_TYPE": 1})
            mine += " -DGROUP_CHANNELS" if f.stem == "mvnorm" else ""
            # The names of the kernels themselves are passed too.
            mine = " ".join(w for w in mine.split() if w[2].isupper() and "_TYPE=4" not in w)
            jobs.append((source, types + mine + " -cl-mad-enable -cl-fast-relaxed-math"))
    return jobs


DEEPCL = {
    "gNumInputPlanes": 4, "gInputPlanes": 4, "gInputSize": 16, "gInputSizeSquared": 256, "gNumFilters": 8, "gFilterSize": 5,
    "gHalfFilterSize": 2, "gFilterSizeSquared": 25, "gNumOutputPlanes": 8, "gOutputPlanes": 8, "gOutputSize": 12,
    "gOutputSizeSquared": 144, "gPadZeros": 0, "gMargin": 0, "gEven": 0, "gSkip": 0, "gInPerBlock": 4, "gOutPerBlock": 4, "gOutBlocks": 2, "gInBlocks": 1, "gWorkgroupSize": 64,
}


def deepcl(folder):
    host = text_of(find(folder, "src/**/*.cpp"))
    jobs = []
    for f in find(folder, "cl/*.cl"):
        text = f.read_text()
        # Templates in Lua, which their host fills in, and what it does not build.
        if "{{" in text or "SGEMM" in f.name or f.stem in ("backpropweights_blocked", "backpropweights_byrow", "bw_rowperwg", "BackpropWeights2InOutPairs"):
            continue
        activation = "-D LINEAR -D ACTIVATION_FUNCTION(x)=(x) -D ACTIVATION_DERIV(x)=(1.0f)"
        jobs.append((f, f"{numbers(host, text, DEEPCL)} {activation} -I {f.parent} -I {folder}"))
    return jobs


def leela(folder):
    root = folder / "src"
    kernels = root / "kernels"
    config = "\n".join(f"#define {n} {v}" for n, v in {"BOARD_SIZE": 19, "NUM_INTERSECTIONS": 361, "WINOGRAD_M": 4, "WINOGRAD_ALPHA": 6, "WTILES": 25}.items())
    files = [kernels / f"{n}.opencl" for n in "common convolve1 convolve3".split()]
    files += [kernels / "clblast" / f"xgemm_{n}.opencl" for n in "part1 part2 part3 batched".split()]
    text = text_of(files)
    strings = [m.group(1) for m in re.finditer(r'R"\((.*?)\)"', text, re.S)]
    source = parts(folder, "leela", [strings[0], config, *strings[1:]])
    tuned = " -DKWG=32 -DKWI=2 -DMDIMA=8 -DMDIMC=8 -DMWG=32 -DNDIMB=8 -DNDIMC=8 -DNWG=32 -DSA=1 -DSB=1 -DSTRM=0 -DSTRN=0 -DVWM=2 -DVWN=2"
    base = "-cl-mad-enable -cl-fast-relaxed-math -cl-no-signed-zeros -cl-denorms-are-zero"
    return [(source, base + half + tuned + simd) for half in ("", " -DUSE_HALF -DFP16_SUPPORT") for simd in ("", " -DWINOGRAD_SIMD")]


def katago(folder):
    text = (folder / "cpp" / "neuralnet" / "openclkernels.cpp").read_text()
    strings = dict(re.findall(r'string OpenCLKernels::(\w+) =\s*(.*?);\n(?=\n|string|#|//)', text, re.S))
    literal = {n: "".join(m.group(2) for m in re.finditer(r'R"(%%|)\((.*?)\)\1"', s, re.S)) for n, s in strings.items()}
    tuned = {n: 8 for n in "WGD MDIMCD NDIMCD MDIMAD NDIMBD".split()}
    tuned |= {"KWID": 1, "VWMD": 1, "VWND": 1, "PADA": 1, "PADB": 1, "MWG": 32, "NWG": 32, "KWG": 32, "MDIMC": 8, "NDIMC": 8, "MDIMA": 8}
    tuned |= {"NDIMB": 8, "KWI": 2, "VWM": 2, "VWN": 2, "STRM": 0, "STRN": 0, "SA": 0, "SB": 0, "INTILE_XSIZE": 4, "INTILE_YSIZE": 4}
    tuned |= {"OUTTILE_XSIZE": 2, "OUTTILE_YSIZE": 2, "CONV_XSIZE": 3, "CONV_YSIZE": 3, "INTILE_XOFFSET": -1, "INTILE_YOFFSET": -1}
    tuned |= {"TILE_XSIZE": 2, "TILE_YSIZE": 2, "TILE_CHANNELS": 8, "XYSTRIDE": 16, "CHANNELSTRIDE": 16, "BATCHSTRIDE": 4, "LOCALSIZE_TOTAL": 64}
    tuned |= {"ELTS_PER_THREAD": 4, "ROWS_PER_THREAD": 4}
    common = literal["common"]
    base = "-cl-mad-enable -cl-fast-relaxed-math -cl-no-signed-zeros -cl-denorms-are-zero "
    jobs = []
    for name, body in literal.items():
        if "kernel void" not in body or "wmma" in body or "asm" in body:
            continue
        own = body if "#ifndef PRECISION" in body else common + body
        source = parts(folder, name, [own])
        words = " ".join(f"-D{n}={v}" for n, v in tuned.items() if re.search(rf"\b{n}\b", own))
        jobs += [(source, f"{base}{words} -DPRECISION={bits} -DPRECISION_STORAGE={bits}") for bits in (16, 32)]
    return jobs


def lightgbm(folder):
    jobs = []
    for f in find(folder, "src/treelearner/ocl/*.cl"):
        for double in (0, 1):
            for more in ("-D ENABLE_ALL_FEATURES=1", "-D IGNORE_INDICES=1", ""):
                base = f"-D POWER_FEATURE_WORKGROUPS=2 -D USE_CONSTANT_BUF=0 -D USE_DP_FLOAT={double} -D CONST_HESSIAN=0 "
                jobs.append((f, f"{base}{more} -cl-mad-enable -cl-no-signed-zeros -cl-fast-relaxed-math"))
    return jobs


def anime4k(folder):
    root = folder / "core" / "src" / "processor" / "opencl"
    common = root / "CommonKernel.cl"
    jobs = []
    for f in find(root, "*.cl"):
        if f == common:
            continue
        source = parts(folder, f.stem, [common, f])
        jobs.append((source, "-DUSE_WEIGHTS_OFFSET -DWEIGHTS_PASS_SPACE=constant -DWEIGHTS_PASS_SPACE_CONSTANT -DWEIGHTS_STORAGE_SPACE=WEIGHTS_PASS_SPACE -DARCH_generic"))
        jobs.append((source, "-DWEIGHTS_PASS_SPACE=global -DWEIGHTS_STORAGE_SPACE=local -DWEIGHTS_STORAGE_SPACE_LOCAL -DARCH_generic"))
    return jobs


# ---- Libraries ------------------------------------------------------------------------------------------------------


# What others include, and what wants macros that tell functions from numbers.
AF_PARTS = "ops iops interp mean_ops jit example random_engine_write sparse_arith_common matchTemplate nearest_neighbour".split()
AF_LOWER = "calculateFlags kDim init pad is_column isDilation one_Tw init_Tw init_To w_wid w_len same_dims log10_val is_upper is_unit_diag is_same isHSV2RGB isDiff2".split()


def arrayfire(folder):
    root = folder / "src" / "backend" / "opencl"
    kernels = root / "kernel"
    # What compile_module.cpp and KParam.hpp put before each source.
    before = (
        "#ifdef USE_DOUBLE\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#endif\n#ifdef USE_HALF\n"
        "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n#else\n#define half short\n#endif\n#ifndef schar\n#define schar char\n#endif\n"
        "#ifndef M_PI\n#define M_PI 3.1415926535897932384626433832795028841971693993751058209749445923078164\n#endif\n"
    )
    together = {"mean_": "mean_ops", "scan_": "ops", "reduce_": "ops", "convolve": "ops", "ireduce": "iops"}
    together |= {"random_engine_m": "random_engine_write", "random_engine_p": "random_engine_write", "random_engine_t": "random_engine_write"}
    together |= {"sparse_arith_c": "sparse_arith_common", "sp_sp_arith": "sparse_arith_common"}
    together |= dict.fromkeys("approx1 approx2 transform rotate".split(), "interp")
    values = {
        "CPLX": 0, "IS_CPLX": 0, "ZERO": 0, "ONE": 1, "init": 0, "CONVT": "float", "DIM": 0, "kDim": 0, "SHARED_MEM_SIZE": 256, "BASE_DIM": 2,
        "MAX_CONV1_FILTER_LEN": 129, "FLEN": 5, "CONV_DIM": 0, "RADIUS": 3, "INTERP_ORDER": 1, "THREADS": 64, "DIMX": 32, "DIMY": 8,
        "ADD_OP": 1, "MIN_OP": 1, "DOCONJUGATE": 0, "DISTOP": "_sad_", "MAX_OP": 1, "INTERP": "BILINEAR", "OP": "_add_", "NEEDMEAN": 0, "factorType": "float", "RAND_DIST": 0, "AF_PAD_ZERO": 0, "AF_PAD_SYM": 1, "TOTAL_NUM_THREADS": 256, "INVALID": -1,
    }
    types = dict.fromkeys("idx_t T To Ti Tk Ty Tp outType inType accType InterpInTy InterpValTy InterpPosTy Tw AccType VT WT in_t WeightType ToFloat".split())
    hosts = text_of(find(root, "**/*.hpp") + find(root, "**/*.cpp"))
    names = dict.fromkeys(re.findall(r"Define(?:Value|Key|KeyValue|KeyFromStr)\((\w+)", hosts))
    flags = {"USE_HALF", "USE_DOUBLE", "IS_APPLE", "IS_LONG", "IS_DBL", "USE_LOCAL_MEM", "SAME_DIMS", "NEEDMEAN", "PERSPECTIVE", "NONMAX", "IS_CPU"} - {"NEEDMEAN", "SAME_DIMS"}
    jobs = []
    for f in find(kernels, "*.cl"):
        ops = next((kernels / f"{o}.cl" for p, o in together.items() if f.stem.startswith(p)), None)
        if f.stem in AF_PARTS:
            continue
        files = [f] if ops is None else [ops, f]
        text = text_of(files)
        words = set(re.findall(r"\w+", text))
        own = set(re.findall(r"#\s*define\s+(\w+)", text))
        source = parts(folder, f.stem, [before, kernels / "KParam.hpp", *files])
        for kind in ("float", "int"):
            options = [f"-D{t}={kind}" for t in types if t in words]
            operation = "MIN_OP" if f.stem.startswith("ireduce") else "ADD_OP"
            values |= {"SeLength": 3, "NEEDMEAN": 0, "SAME_DIMS": 0}
            options += [f"-D{n}={values.get(n, 4)}" for n in {**names, **values} if n in words - own and n not in types and n not in flags and (not n.endswith("_OP") or n == operation) and (n.isupper() or "_" in n or n in values or n in AF_LOWER)]
            jobs.append((source, " ".join(options) + " -D dim_t=int -cl-std=CL3.0" + (" -D reps=4" if f.stem == "coo2dense" else "")))
    return jobs


def clsparse(folder):
    host = text_of(find(folder, "src/library/**/*.cpp") + find(folder, "src/library/**/*.hpp"))
    values = {"WG_SIZE": 256, "WAVE_SIZE": 64, "SUBWAVE_SIZE": 8, "REDUCE_BLOCK_SIZE": 256, "N_THREADS": 256, "BLOCKSIZE": 1024, "ROWBITS": 32, "WGBITS": 24,
              "KERNEL0WORKGROUPSIZE": 256, "KERNEL1WORKGROUPSIZE": 256, "KERNEL2WORKGROUPSIZE": 256, "ROWS_FOR_VECTOR": 1, "BLOCK_MULTIPLIER": 3}
    jobs = []
    for f in find(folder, "src/library/kernels/*.cl"):
        source = raw_strings(folder, f.stem, [f], "")
        text = source.read_text()
        for value, flag in (("float", ""), ("double", "-DDOUBLE")):
            types = {"VALUE_TYPE": value, "INDEX_TYPE": "int", "SIZE_TYPE": "ulong", "KEY_TYPE": "int", "TYPE": value, "OFFSET_TYPE": "uint"}
            # The operations that the routines choose.
            picks = "-DRO_PLUS -DPR_DUMMY -DG_PLUS -DATOMIC_" + value.upper() + " -DOP_EW_PLUS -DEW_PLUS"
            jobs.append((source, f"{numbers(host, text, {**values, **types})} {flag} {picks} -cl-std=CL1.2"))
    return jobs


def bullet(folder):
    return [(f, f"-I {folder / 'src'} -I {folder} -DMAX_PHYSICS_ITERATIONS=4") for f in find(folder, "src/Bullet3OpenCL/**/kernels/*.cl")]


def clrng(folder):
    include = folder / "src" / "include"
    jobs = []
    for f in find(include, "clRNG/*.clh"):
        body = f'#include "clRNG/{f.name}"\nkernel void k(global uint *p) {{ p[0] = 1; }}\n'
        if "private" not in f.name:
            jobs += [(parts(folder, f"{f.stem}-{n}", [before, body]), f"-I {include}") for n, before in (("double", ""), ("single", "#define CLRNG_SINGLE_PRECISION\n"))]
    return jobs


# ---- Numbers, coins, keys ---------------------------------------------------------------------------------------------


def gpuowl(folder):
    root = folder / "src" / "cl"
    base = {"EXP": 77936867, "WIDTH": 1024, "SMALL_HEIGHT": 256, "MIDDLE": 8, "CARRY_LEN": 8, "NW": 4, "NH": 4, "WEIGHT_STEP": "0.3", "IWEIGHT_STEP": "-0.2",
            "FFT_VARIANT": 202, "TAILT": "U2(0.5,0.5)", "TRIG_SCALE": 4, "TRIG_SIN": "{1.0,2.0,3.0,4.0,5.0,6.0,7.0}", "TRIG_COS": "{1.0,2.0,3.0,4.0,5.0,6.0,7.0}",
            "FRAC_BPW_HI": 1000, "FRAC_BPW_LO": 1000, "FRAC_BITS_BIGSTEP": 77}
    words = " ".join(f"-D{n}={v}" for n, v in base.items())
    mains = {m for f in find(root, "*.cl") for m in [f] if re.search(r"\bKERNEL\s*\(", f.read_text()) and f.name != "base.cl"}
    extra = {"carryfused.cl": ["", "-DROE=1", "-DMUL3=1", "-DLL=1"], "carry.cl": ["", "-DROE=1", "-DLL=1"], "tailmul.cl": ["", "-DMUL_LOW=1"],
             "etc.cl": ["-DREADRESIDUE=1", "-DISEQUAL=1", "-DSUM64=1"]}
    return [(f, f"-cl-finite-math-only -cl-std=CL2.0 {words} {more} -I {root}") for f in sorted(mains) for more in extra.get(f.name, [""])]


def mfakto(folder):
    root = folder / "src"
    shared = f"-I {root} -DVECTOR_SIZE="
    return [(root / "mfakto_Kernels.cl", f"{shared}{n} {more}") for n in (1, 2, 4, 8) for more in ("-DMORE_CLASSES", "-DMORE_CLASSES -DCL_GPU_SIEVE", "-DMORE_CLASSES -DSMALL_EXP")]


def xmrig(folder):
    root = folder / "src" / "backend" / "opencl" / "cl"
    # Numbers of algorithms, from the miner's own header when it is there.
    header = find(folder, "src/base/crypto/Algorithm.h") + find(folder, "src/crypto/common/Algorithm.h")
    text = text_of(header)
    ids = dict(re.findall(r"\b((?:CN|RX|KAWPOW|AR2)_\w+)\s*=\s*(0x[0-9a-fA-F]+)", text))
    common = "-DITERATIONS=524288U -DMASK=2097136U -DWORKSIZE=8U -DSTRIDED_INDEX=1U -DMEM_CHUNK_EXPONENT=4U -DMEMORY=2097152LU -DCN_UNROLL=8 "
    jobs = []
    for name in ("CN_0", "CN_1", "CN_2", "CN_R", "CN_HALF", "CN_HEAVY_0", "CN_PICO_0", "CN_GPU", "CN_UPX2"):
        if name in ids:
            family = int(ids[name], 16) & 0xff000000
            base = {"CN_HEAVY_0": "CN_0", "CN_PICO_0": "CN_2"}.get(name, name)
            jobs.append((root / "cn" / "cryptonight.cl", f"{common}-DALGO={ids[name]} -DALGO_BASE={ids.get(base)} -DALGO_FAMILY={family} -I {root}/cn"))
    for name in ("RX_0", "RX_WOW", "RX_ARQ", "RX_GRAFT"):
        if name in ids:
            jobs.append((root / "rx" / "randomx.cl", f"-DALGO={ids[name]} -DWORKERS_PER_HASH=8 -DGCN_VERSION=14 -I {root}/rx"))
    jobs.append((root / "kawpow" / "kawpow_dag.cl", f"-DPROGPOW_DAG_ELEMENTS=1000 -DGROUP_SIZE=64 -DWORKSIZE=64 -DPLATFORM=0 -I {root}/kawpow -I {root}"))
    return jobs


def ethminer(folder):
    root = folder / "libethash-cl" / "kernels" / "cl"
    base = "-DWORKSIZE=192 -DACCESSES=64 -DMAX_OUTPUTS=4 -DPLATFORM={} -DCOMPUTE={} -DFAST_EXIT=1"
    return [(f, base.format(p, c)) for f in find(root, "*.cl") for p, c in ((0, 0), (1, 0))]


def bitcrack(folder):
    math = [folder / "clMath" / f"{n}.cl" for n in "sha256 secp256k1 ripemd160".split()]
    return [(parts(folder, "bitcrack", [*math, folder / "CLKeySearchDevice" / "keysearch.cl"]), "")]


def x264(folder):
    root = folder / "common" / "opencl"
    order = "common.h? downscale motionsearch subpel weightp intra bidir".replace("common.h? ", "").split()
    # The first file of x264's own list defines what the others use.
    files = [root / "x264-cl.h", *(root / f"{n}.cl" for n in order)]
    return [(parts(folder, "x264", files), f"-DVECTORIZE={v}") for v in (0, 1)]


def mixbench(folder):
    f = folder / "mixbench-opencl" / "mix_kernels.cl"
    kinds = (("float", ""), ("double", "-DENABLE_DP"), ("half2", "-DENABLE_HP"), ("int", ""))
    return [(f, f"-cl-std=CL1.2 -cl-mad-enable -Dclass_T={k} -Dblockdim=256 -DCOMPUTE_ITERATIONS={n} -DELEMENTS_PER_THREAD=8 -DFUSION_DEGREE=4 {flag}") for k, flag in kinds for n in (0, 8)]


def shoc(folder):
    jobs = []
    for precision in ("-DSINGLE_PRECISION", "-DK_DOUBLE_PRECISION"):
        for f in find(folder, "src/opencl/level*/*/*.cl"):
            numbers = {"s3d": "-DN_GP=512", "stencil2d": "-DLROWS=8 -DLCOLS=256"}.get(f.parent.name, "")
            jobs.append((f, f"{precision} {numbers} -cl-mad-enable -I {f.parent}"))
    return jobs


OPENDWARFS_FFT = (
    "-D FFT_256 -D fftn1=256 -D pow1=8 -D fftn2=256 -D pow2=8 -D numBlocks=16 -D log_numBlocks=4 -D batchSize=16 -D lgBatchSize=4 "
    "-D lgStrideO=4 -D SO=16 -D SI1=16 -D Radix1=16 -D Radix2=16 -D SI2=16 -D S1=256"
)


def opendwarfs(folder):
    special = {"lud": "-D BLOCK_SIZE=16", "nqueens": "-D WORK_ITEMS=64", "fft": OPENDWARFS_FFT}
    jobs = []
    for f in find(folder, "**/*.cl"):
        options = next((o for n, o in special.items() if n in str(f.relative_to(folder))), "")
        jobs.append((f, f"-DOPENCL {options} -I {f.parent} -I {folder} -I {folder / 'opts'}"))
    return jobs


def luxcore(folder):
    """The kernels that the library makes of lists in its C++ files, behind what ocldevice.cpp puts first."""
    names = {f.stem: f for f in find(folder, "include/**/*.cl")}
    one = r"(?:luxrays|slg)::ocl::KernelSource_(\w+)"
    words = "-D LUXRAYS_OPENCL_KERNEL -D SLG_OPENCL_KERNEL -D LUXRAYS_OPENCL_DEVICE -D PARAM_RAY_EPSILON_MIN=1e-5f -D PARAM_RAY_EPSILON_MAX=0.1f"
    jobs = []
    for host in find(folder, "src/**/*.cpp"):
        text = re.sub(r"//[^\n]*", "", host.read_text(errors="replace"))
        if host.stem == "pathoclbaseoclthreadkernels":
            # One program, with generated code between its parts.
            text = "<<".join(m.group(0) for m in re.finditer(one, text))
        for chain in re.finditer(rf"{one}(?:\s*(?:\+|<<)\s*{one})*", text):
            listed = re.findall(one, chain.group(0))
            files = [names[n] for n in listed if n in names]
            if len(files) == len(listed) and any("__kernel" in f.read_text() for f in files) and not any(n.startswith(("cuda", "optix")) for n in listed):
                jobs.append((parts(folder, f"{host.stem}-{len(jobs)}", [names["ocldevice_funcs"], *files]), words))
    return jobs


def silx(folder):
    root = folder / "silx" / "resources" / "opencl"
    # What every program starts with (silx.opencl.processing), and the first parts of those of several.
    types = root / "sift" / "sift.cl"
    first = {"medfilt": ["bitonic"], "algebra": [], "statistics": ["doubleword"], "preprocess": ["doubleword"]}
    macros = {"sparse": "-DIMAGE_WIDTH=64 -DDTYPE=float -DIDX_DTYPE=int -DWG=64", "convolution_textures": "-DIMAGE_DIMS=2 -DFILTER_DIMS=1 -DUSED_CONV_MODE=1"}
    jobs = []
    for f in find(root, "**/*.cl"):
        text = f.read_text().replace('#include "for_eclipse.h"', "")
        before = [root / f"{n}.cl" for n in first.get(f.stem, [])]
        if f.parent == types.parent and f != types and types.exists():
            before.append(types)
        jobs.append((parts(folder, f.stem, [*before, text]), f"{macros.get(f.stem, '')} -I {root} -D NIMAGE=4096 -D NULL_VALUE=0"))
    return jobs


def gpuverify(folder):
    """The tool's test suite, without the files that call the verifier's own functions or are meant to be wrong."""
    jobs = []
    for f in find(folder, "testsuite/OpenCL/**/*.cl"):
        text = f.read_text(errors="replace")
        if re.search(r"\b__(?!kernel|global|local|constant|private|attribute|read_only|write_only|restrict|const|inline|volatile|OPENCL|align)\w+\s*\(", text):
            continue
        if re.search(r"\b__\w*(invariant|requires|ensures|assert|assume|axiom|same_group|spec)\w*|DECLARE_UF", text):
            continue
        # Functions that the verifier knows nothing of either.
        called = set(re.findall(r"^\s*(?:\w+\s+)+(\w+)\s*\([^{;]*\)\s*;", text, re.M))
        if any(re.search(rf"\b{n}\s*\([^;{{]*\)\s*\{{", text) is None for n in called & {"bar", "foo", "f"}) or re.search(r"miscfail[24]|copy/fail/test3|function_prototype", str(f)):
            continue
        jobs.append((f, f"-I {f.parent}" + (" -cl-std=CL2.0" if "_ptr_" in str(f) else "")))
    return jobs


def clspv(folder):
    """The tests of a compiler of Google, with the version and the macros that each asks for; without those that are to
    be refused, ask for fewer features, or call functions of that compiler or of Arm alone."""
    other = re.compile(r"arm_dot|__clspv_|MultipleInputs|SomeHeader|-features\.cl|-disabled|unsupported")
    jobs = []
    for f in find(folder, "test/**/*.cl"):
        if other.search(f.read_text(errors="replace")) or other.search(str(f)):
            continue
        text = f.read_text(errors="replace")
        line = next((l for l in text.splitlines() if "RUN:" in l and "clspv" in l), "")
        version = re.search(r"-cl-std=(\S+)", line)
        if version and "++" in version.group(1) or "CLC++" in line:
            continue
        words = re.findall(r"(-D ?\S+)", line)
        std = version.group(1) if version else "CL3.0" if "atomic_" in text or "read_write" in text else "CL1.2"
        jobs.append((f, " ".join([f"-cl-std={std}", *words, f"-I {f.parent}"])))
    return jobs


NVIDIA = {
    "oclConvolutionSeparable": "-D KERNEL_RADIUS=8 -D ROWS_BLOCKDIM_X=16 -D COLUMNS_BLOCKDIM_X=16 -D ROWS_BLOCKDIM_Y=4 -D COLUMNS_BLOCKDIM_Y=8 -D ROWS_RESULT_STEPS=8 -D ROWS_HALO_STEPS=1 -D COLUMNS_RESULT_STEPS=8 -D COLUMNS_HALO_STEPS=1",
    "oclFDTD3d": "-DRADIUS=4 -DMAXWORKX=32 -DMAXWORKY=8",
    "oclHistogram": "-D HISTOGRAM64_BIN_COUNT=64 -D HISTOGRAM64_WORKGROUP_SIZE=64 -D MERGE_WORKGROUP_SIZE=256 -D LOCAL_MEMORY_BANKS=16 -D HISTOGRAM256_BIN_COUNT=256 -D WARP_COUNT=3 -D LOG2_WARP_SIZE=5 -D WARP_SIZE=32",
    "oclMarchingCubes": "-D WORKGROUP_SIZE=256",
    "oclMatrixMul": "-D BLOCK_SIZE=16",
    "oclNbody": "-DREAL=float -DREAL3=float4 -DREAL4=float4 -DZERO3={0,0,0,0}",
    "oclReduction": "-D T=float -D blockSize=128 -D nIsPow2=1",
    "oclScan": "-D WORKGROUP_SIZE=256",
    "oclSortingNetworks": "-D LOCAL_SIZE_LIMIT=512",
    "sweep_kernels": "-D system_size=128 -D BLOCK_DIM=16",
}


def nvidia(folder):
    files = [f for f in find(folder, "**/*.cl") if "PTX" not in f.name]
    return [(f, f"{NVIDIA.get(f.parent.name, NVIDIA.get(f.stem, ''))} -I {f.parent}") for f in files]


PROGRAMS = {
    "clspv": (git("google/clspv", r"^test/.*\.(cl|h)$"), clspv),
    "Marching Cubes": (git("smistad/GPU-Marching-Cubes", r"\.cl$"), plain("**/*.cl")),
    "NVIDIA samples": (git("sschaetz/nvidia-opencl-examples", r"\.(cl|h)$"), nvidia),
    "OpenCL-SDK": (git("KhronosGroup/OpenCL-SDK", r"\.(cl|h)$"), plain("**/*.cl", leave=("reduce/",))),
    "profanity": (git("johguse/profanity", r"\.cl$"), lambda d: [(parts(d, "profanity", [d / "keccak.cl", d / "profanity.cl"]), "-D PROFANITY_INVERSE_SIZE=255 -D PROFANITY_MAX_SCORE=40")]),
    "SILENTARMY": (git("mbevand/silentarmy", r"\.(cl|h)$"), plain("*.cl")),
    "Anime4KCPP": (git("TianZerL/Anime4KCPP", r"^core/src/processor/opencl/"), anime4k),
    "ArrayFire": (git("arrayfire/arrayfire", r"^src/backend/opencl/"), arrayfire),
    "BitCrack": (git("brichard19/BitCrack", r"^CL.*\.cl$|^clMath/"), bitcrack),
    "Bullet": (debian("bullet", "*/src/Bullet3*/*"), bullet),
    "clRNG": (git("clMathLibraries/clRNG", r"^src/"), clrng),
    "clSPARSE": (git("clMathLibraries/clSPARSE", r"^src/library/"), clsparse),
    "DeepCL": (git("hughperkins/DeepCL", r"\.(cl|h|cpp)$"), deepcl),
    "ethminer": (git("ethereum-mining/ethminer", r"^libethash-cl/"), ethminer),
    "GPUVerify": (git("mc-imperial/gpuverify", r"^testsuite/OpenCL/"), gpuverify),
    "gpuowl": (git("preda/gpuowl", r"^src/"), gpuowl),
    "HandsOnOpenCL": (git("HandsOnOpenCL/Exercises-Solutions", r"\.(cl|h|c|cpp)$"), plain("**/*.cl")),
    "KataGo": (git("lightvector/KataGo", r"^cpp/neuralnet/opencl"), katago),
    "Leela Zero": (git("leela-zero/leela-zero", r"^src/.*(cl|cpp|opencl|h)$"), leela),
    "LightGBM": (git("microsoft/LightGBM", r"^src/treelearner/(ocl|gpu)"), lightgbm),
    "LuxCore": (git("LuxCoreRender/LuxCore", r"^(include/(slg|luxrays)/.*cl|src/(slg|luxrays)/.*cpp)$"), luxcore),
    "MACE": (git("XiaoMi/mace", r"^mace/(ops|core|runtimes)/.*opencl/"), mace),
    "mfakto": (git("Bdot42/mfakto", r"^src/"), mfakto),
    "mixbench": (git("ekondis/mixbench", r"^mixbench-opencl/"), mixbench),
    "MNN": (git("alibaba/MNN", r"^source/backend/opencl/"), mnn),
    "Oclgrind": (git("jrprice/Oclgrind", r"^tests/kernels/"), plain("tests/kernels/**/*.cl", "-cl-std=CL2.0")),
    "OpenCL Programming Guide": (git("bgaster/opencl-book-samples", r"^src/.*\.(cl|h)$"), plain("src/**/*.cl")),
    "OpenDwarfs": (git("vtsynergy/OpenDwarfs", r"\.(cl|h)$"), opendwarfs),
    "PoCL": (git("pocl/pocl", r"^(tests|examples)/.*\.(cl|h)$"), plain("**/*.cl", "-cl-std=CL3.0 -DML_BSSN", ("common_hadd", "test_block", "test_dot", "cache_includes", "ulongn", "ML_BSSN"))),
    "PolyBench-ACC": (git("cavazos-lab/PolyBench-ACC", r"^OpenCL/"), plain("**/*.cl")),
    "PolyBench GPU": (git("sgrauerg/polybenchGpu", r"^OpenCL/"), plain("**/*.cl")),
    "SHOC": (git("vetter/shoc", r"^src/opencl/"), shoc),
    "silx": (wheel("silx", r"^silx/resources/opencl/"), silx),
    "TNN": (git("Tencent/TNN", r"^source/tnn/device/opencl/"), tnn),
    "waifu2x": (git("DeadSix27/waifu2x-converter-cpp", r"^src/"), plain("src/*.cl")),
    "x264": (debian("x264", "*/common/opencl/*"), x264),
    "XMRig": (git("xmrig/xmrig", r"^src/(backend/opencl|base/crypto|crypto/common)/"), xmrig),
}
