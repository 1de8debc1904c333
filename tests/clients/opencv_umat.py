"""OpenCV's UMat functions (OpenCL) compared with the same functions on arrays (the CPU). Run by scripts/clients.

With --long every type of element, else bytes and floats of one channel. OpenCV goes on with the CPU where OpenCL fails, and only says so:
scripts/clients fails on what it says, and counts the launches. The limits are those of OpenCV's own tests: its CPU functions compute with
integers, or in tables, where its kernels have floats. Left out is what differs on every OpenCL: BGR2Lab of floats (tables).
"""

import sys

import cv2
import numpy as np

LONG = "--long" in sys.argv
CASES = []


def case(name, function, *inputs, limit=0, beyond=0.0):
    """`beyond` is the share of values that may be off by more than `limit`: edges of what is sampled."""
    CASES.append((name, function, inputs, limit, beyond))


def pictures():
    random = np.random.default_rng(5)
    grey = cv2.GaussianBlur(random.integers(0, 256, (241, 319), np.uint8), (0, 0), 2).astype(np.float32)
    grey = ((grey - grey.min()) * (255 / (grey.max() - grey.min()))).astype(np.uint8)
    colour = np.dstack([grey, np.roll(grey, 17, 0), np.roll(grey, 31, 1)])
    return grey, colour


def filters(kind, picture):
    real = picture.dtype == np.float32
    step = 1e-5 if real else 1
    case(f"add {kind}", cv2.add, picture, picture[::-1].copy())
    case(f"absdiff {kind}", cv2.absdiff, picture, picture[::-1].copy())
    case(f"addWeighted {kind}", lambda a, b: cv2.addWeighted(a, 0.3, b, 0.6, 2), picture, picture[::-1].copy(), limit=step)
    case(f"blur {kind}", lambda a: cv2.blur(a, (5, 3)), picture, limit=step)
    case(f"GaussianBlur {kind}", lambda a: cv2.GaussianBlur(a, (5, 5), 1.2), picture, limit=step)
    case(f"Sobel {kind}", lambda a: cv2.Sobel(a, cv2.CV_32F, 1, 0), picture, limit=1e-3)
    mask = np.outer([1, 2, 3, 2, 1], [1, 0, -1, 0, 1]).astype(np.float32)
    case(f"filter2D {kind}", lambda a: cv2.filter2D(a, cv2.CV_32F, mask), picture, limit=0.05)
    case(f"erode {kind}", lambda a: cv2.erode(a, np.ones((3, 5), np.uint8)), picture)
    case(f"dilate {kind}", lambda a: cv2.dilate(a, np.ones((5, 3), np.uint8)), picture)
    case(f"pyrDown {kind}", cv2.pyrDown, picture, limit=step)
    case(f"pyrUp {kind}", cv2.pyrUp, picture, limit=step)
    case(f"flip {kind}", lambda a: cv2.flip(a, -1), picture)
    case(f"transpose {kind}", cv2.transpose, picture)
    case(f"copyMakeBorder {kind}", lambda a: cv2.copyMakeBorder(a, 7, 3, 5, 9, cv2.BORDER_REFLECT_101), picture)


def geometry(kind, picture):
    real = picture.dtype == np.float32
    affine = np.float32([[0.9, 0.2, 10], [-0.1, 1.1, 5]])
    perspective = np.float32([[0.9, 0.2, 10], [-0.1, 1.1, 5], [1e-4, 2e-4, 1]])
    y, x = np.mgrid[0:241, 0:319].astype(np.float32)
    x, y = x + 5 * np.sin(y / 9), y + 4 * np.cos(x / 11)
    for flag, how in enumerate(["nearest", "linear", "cubic", "area"]):
        resize = lambda a, flag=flag: cv2.resize(a, (157, 333), interpolation=flag)
        case(f"resize {how} {kind}", resize, picture, limit=1e-4 if real else 2)
        if flag < 3 and picture.dtype != np.int16:
            near = {"limit": 0.1 if real else 2, "beyond": 0.03}
            case(f"warpAffine {how} {kind}", lambda a, flag=flag: cv2.warpAffine(a, affine, (300, 200), flags=flag), picture, **near)
            warp = lambda a, flag=flag: cv2.warpPerspective(a, perspective, (300, 200), flags=flag)
            case(f"warpPerspective {how} {kind}", warp, picture, **near)
        if flag < 2:
            limit = 0.02 if real else 300 if picture.dtype == np.int16 else 2
            case(f"remap {how} {kind}", lambda a, x, y, flag=flag: cv2.remap(a, x, y, flag), picture, x, y, limit=limit, beyond=0.01)


def colours(colour):
    for code in ["GRAY", "HSV", "YUV", "YCrCb", "Lab", "XYZ", "RGBA", "HLS", "Luv"] if LONG else ["GRAY", "HSV", "YUV", "Lab"]:
        convert = lambda a, code=code: cv2.cvtColor(a, getattr(cv2, f"COLOR_BGR2{code}"))
        case(f"BGR2{code}", convert, colour, limit=2)
        if code not in ("GRAY", "Lab"):
            case(f"BGR2{code} floats", convert, colour.astype(np.float32) / 255, limit=0.02)


def programs(grey, colour):
    real, other = grey.astype(np.float32) / 255, grey[::-1].copy()
    patch = grey[60:80, 70:100].copy()
    points = cv2.goodFeaturesToTrack(grey, 20, 0.01, 9)
    number = np.float64
    case("Canny", lambda a: cv2.Canny(a, 30, 90), grey, beyond=0.002)
    case("bilateralFilter", lambda a: cv2.bilateralFilter(a, 7, 30, 5), grey, limit=1)
    case("bilateralFilter 3", lambda a: cv2.bilateralFilter(a, 7, 30, 5), colour, limit=1)
    case("medianBlur", lambda a: cv2.medianBlur(a, 5), grey)
    case("Laplacian", lambda a: cv2.Laplacian(a, cv2.CV_16S, ksize=3), grey)
    case("threshold", lambda a: cv2.threshold(a, 120, 255, cv2.THRESH_BINARY)[1], grey)
    case("equalizeHist", cv2.equalizeHist, grey)
    case("CLAHE", lambda a: cv2.createCLAHE(3, (8, 8)).apply(a), grey, limit=1)
    case("calcHist", lambda a: cv2.calcHist([a], [0], None, [64], [0, 256]), grey)
    case("integral", cv2.integral, grey)
    case("matchTemplate", lambda a, b: cv2.matchTemplate(a, b, cv2.TM_CCOEFF_NORMED), grey, patch, limit=1e-3)
    case("dft", lambda a: cv2.dft(a, flags=cv2.DFT_COMPLEX_OUTPUT), real[:240, :300].copy(), limit=0.05)
    case("gemm", lambda a, b: cv2.gemm(a, b, 1, None, 0), real[:64, :64].copy(), real[:64, 64:128].copy(), limit=0.01)
    case("exp", cv2.exp, real, limit=1e-5)
    case("log", cv2.log, real + np.float32(0.1), limit=1e-4)
    case("pow", lambda a: cv2.pow(a, 2.5), real, limit=1e-4)
    case("magnitude", cv2.magnitude, real, real[::-1].copy(), limit=1e-5)
    case("phase", cv2.phase, real, real[::-1].copy(), limit=1e-3)
    case("cornerHarris", lambda a: cv2.cornerHarris(a, 3, 3, 0.04), real, limit=1e-3)
    case("LUT", lambda a: cv2.LUT(a, np.arange(255, -1, -1, dtype=np.uint8)), grey)
    case("sum", lambda a: number(cv2.sumElems(a)[0]), grey)
    case("mean", lambda a: number(cv2.mean(a)[0]), real, limit=1e-5)
    case("minMaxLoc", lambda a: number(cv2.minMaxLoc(a)[:2]), real)
    case("countNonZero", lambda a: number(cv2.countNonZero(a)), grey)
    case("inRange", lambda a: cv2.inRange(a, 60, 180), grey)
    case("compare", lambda a, b: cv2.compare(a, b, cv2.CMP_GT), grey, other)
    case("bitwise_xor", cv2.bitwise_xor, grey, other)
    case("multiply", lambda a, b: cv2.multiply(a, b, scale=0.01), grey, other, limit=1)
    case("merge", lambda a, b: cv2.merge([a, b]), grey, other)
    case("reduce", lambda a: cv2.reduce(a, 0, cv2.REDUCE_SUM, dtype=cv2.CV_32S), grey)
    case("fastNlMeans", lambda a: cv2.fastNlMeansDenoising(a, None, 5, 3, 9), grey[:80, :80].copy(), limit=1)
    flow = lambda a, b: cv2.calcOpticalFlowFarneback(a, b, None, 0.5, 2, 9, 2, 5, 1.1, 0)
    case("Farneback", flow, grey, np.roll(grey, 2, 1), limit=0.3, beyond=0.02)
    # By images.
    case("PyrLK", lambda a, b: cv2.calcOpticalFlowPyrLK(a, b, points, None)[0], grey, np.roll(grey, 2, 1), limit=0.3, beyond=0.1)
    corners = lambda a: np.array(sorted(k.pt for k in cv2.FastFeatureDetector_create(40).detect(a, None)))
    case("FAST", corners, grey)
    case("MOG2", lambda a: cv2.createBackgroundSubtractorMOG2().apply(a), grey)


def fetch(result):
    return result.get() if isinstance(result, cv2.UMat) else result


def check(name, function, inputs, limit, beyond):
    cv2.ocl.setUseOpenCL(False)
    want = np.asarray(function(*inputs))
    cv2.ocl.setUseOpenCL(True)
    got = np.asarray(fetch(function(*[cv2.UMat(array) for array in inputs])))
    if got.size != want.size or want.size == 0:
        return f"{got.shape} for {want.shape}"
    apart = np.abs(got.reshape(want.shape).astype(np.float64) - want)
    share = (~(apart <= limit)).mean()
    return None if share <= beyond else f"{share:.2%} are off by more than {limit}, the worst by {apart.max()}"


def main():
    cv2.ocl.setUseOpenCL(True)
    assert cv2.ocl.haveOpenCL() and cv2.ocl.useOpenCL(), "OpenCV has no OpenCL device"
    print(cv2.ocl.Device_getDefault().name())
    grey, colour = pictures()
    kinds = [("bytes", grey), ("floats", grey.astype(np.float32) / 255)]
    if LONG:
        kinds += [("3 bytes", colour), ("3 floats", colour.astype(np.float32) / 255), ("shorts", (grey.astype(np.int16) - 128) * 37)]
    for kind, picture in kinds:
        filters(kind, picture)
        geometry(kind, picture)
    colours(colour)
    programs(grey, colour)
    failures = 0
    for name, *rest in CASES:
        problem = check(name, *rest)
        failures += problem is not None
        if problem:
            print(f"{name}: {problem}")
    print(f"{len(CASES) - failures} of {len(CASES)} functions as on the CPU")
    return failures != 0


sys.exit(main())
