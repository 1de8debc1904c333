"""Calls what OpenCV does on OpenCL, with many types of pixels, so that it builds its programs; for scripts/corpus.

What a call returns does not matter here, and calls that a type of pixels does not have raise: they are counted.
"""

import cv2
import numpy as np

SIZE = 64
TYPES = (np.uint8, np.int16, np.uint16, np.float32, np.int32, np.float64)
random = np.random.default_rng(1)
counts = {"done": 0, "raised": 0}


def image(shape, kind):
    whole = np.dtype(kind).kind in "iu"
    return cv2.UMat(random.integers(0, 200, shape).astype(kind) if whole else random.random(shape).astype(kind))


def call(function, *args, **more):
    try:
        function(*args, **more)
        counts["done"] += 1
    except (cv2.error, AttributeError, TypeError, ValueError):
        counts["raised"] += 1


def arithmetic(a, b, mask):
    for f in (cv2.add, cv2.subtract, cv2.multiply, cv2.divide, cv2.absdiff, cv2.min, cv2.max):
        call(f, a, b)
    for f in (cv2.bitwise_and, cv2.bitwise_or, cv2.bitwise_xor):
        call(f, a, b)
    call(cv2.add, a, b, mask=mask)
    call(cv2.bitwise_not, a)
    call(cv2.addWeighted, a, 0.5, b, 0.5, 1)
    call(cv2.compare, a, b, cv2.CMP_GT)
    call(cv2.inRange, a, b, b)
    call(cv2.convertScaleAbs, a)
    for kind in (cv2.NORM_L2, cv2.NORM_INF, cv2.NORM_L1):
        call(cv2.norm, a, kind)
        call(cv2.norm, a, b, kind)
    call(cv2.sumElems, a)
    call(cv2.meanStdDev, a)
    call(cv2.normalize, a, None, 0, 1, cv2.NORM_MINMAX)
    call(cv2.reduce, a, 0, cv2.REDUCE_SUM, dtype=cv2.CV_32F)
    call(cv2.reduce, a, 1, cv2.REDUCE_MAX)
    call(cv2.setIdentity, a)
    call(cv2.copyTo, a, mask)
    call(cv2.mulTransposed, a, True)


def geometry(a):
    call(cv2.flip, a, 1)
    call(cv2.flip, a, -1)
    call(cv2.transpose, a)
    call(cv2.repeat, a, 2, 2)
    for size, how in ((32, cv2.INTER_LINEAR), (100, cv2.INTER_CUBIC), (21, cv2.INTER_AREA), (99, cv2.INTER_NEAREST)):
        call(cv2.resize, a, (size, size), interpolation=how)
    affine = np.float32([[1, 0.1, 2], [0.1, 1, 3]])
    perspective = np.float32([[1, 0.1, 2], [0.1, 1, 3], [0.001, 0.001, 1]])
    maps = image((SIZE, SIZE), np.float32), image((SIZE, SIZE), np.float32)
    for how in (cv2.INTER_NEAREST, cv2.INTER_LINEAR, cv2.INTER_CUBIC):
        call(cv2.warpAffine, a, affine, (SIZE, SIZE), flags=how)
        call(cv2.warpPerspective, a, perspective, (SIZE, SIZE), flags=how)
        call(cv2.remap, a, *maps, how)
    for border in (cv2.BORDER_REFLECT, cv2.BORDER_CONSTANT, cv2.BORDER_REPLICATE, cv2.BORDER_WRAP):
        call(cv2.copyMakeBorder, a, 2, 2, 2, 2, border)
    call(cv2.pyrDown, a)
    call(cv2.pyrUp, a)


def filters(a):
    square = np.ones((3, 3), np.float32)
    line = np.ones(3, np.float32)
    call(cv2.blur, a, (3, 3))
    call(cv2.boxFilter, a, -1, (5, 5))
    call(cv2.sqrBoxFilter, a, -1, (3, 3))
    call(cv2.GaussianBlur, a, (5, 5), 1.5)
    call(cv2.GaussianBlur, a, (3, 3), 0)
    call(cv2.filter2D, a, -1, square)
    call(cv2.sepFilter2D, a, -1, line, line)
    call(cv2.erode, a, square)
    call(cv2.dilate, a, np.ones((5, 5)))
    call(cv2.morphologyEx, a, cv2.MORPH_GRADIENT, square)
    call(cv2.medianBlur, a, 3)
    call(cv2.medianBlur, a, 5)
    call(cv2.bilateralFilter, a, 5, 50, 50)
    call(cv2.Laplacian, a, -1)
    call(cv2.Laplacian, a, -1, ksize=3)
    call(cv2.Sobel, a, -1, 1, 0)
    call(cv2.Scharr, a, -1, 0, 1)
    for how in range(5):
        call(cv2.threshold, a, 50, 200, how)


def channels(a, b, shape, kind):
    call(cv2.LUT, image(shape, np.uint8), np.arange(256, dtype=np.uint8))
    for f in (cv2.accumulate, cv2.accumulateSquare):
        call(f, a, image(shape, np.float32))
    call(cv2.accumulateWeighted, a, image(shape, np.float32), 0.1)
    call(cv2.accumulateProduct, a, b, image(shape, np.float32))
    call(cv2.integral, a)
    if len(shape) > 2:
        call(cv2.split, a)
        call(cv2.extractChannel, a, 1)
        call(cv2.mixChannels, [a], [b], [0, 1])
        call(cv2.insertChannel, image(shape[:2], kind), a, 1)


def one_channel(a, b, kind):
    call(cv2.merge, [a, b, a])
    call(cv2.minMaxLoc, a)
    call(cv2.countNonZero, a)
    call(cv2.pow, a, 2.0)
    call(cv2.pow, a, 0.5)
    for how in range(6):
        call(cv2.matchTemplate, a, image((8, 8), kind), how)
    call(cv2.cornerHarris, a, 2, 3, 0.04)
    call(cv2.cornerMinEigenVal, a, 3)
    call(cv2.preCornerDetect, a, 3)
    call(cv2.goodFeaturesToTrack, a, 10, 0.01, 5)
    call(cv2.Canny, a, 50, 100)
    call(cv2.equalizeHist, a)
    call(cv2.calcHist, [a], [0], None, [256], [0, 256])
    call(cv2.calcBackProject, [a], [0], image((256, 1), np.float32), [0, 256], 1)
    call(cv2.adaptiveThreshold, a, 255, 0, 0, 3, 1)
    call(cv2.HoughLines, a, 1, 0.01, 50)
    call(cv2.HoughLinesP, a, 1, 0.01, 50)


def floating(a, b, kind, alone):
    for f in (cv2.exp, cv2.log, cv2.sqrt):
        call(f, a)
    for f in (cv2.phase, cv2.magnitude, cv2.cartToPolar, cv2.polarToCart):
        call(f, a, b)
    call(cv2.patchNaNs, a)
    call(cv2.gemm, image((SIZE, SIZE), kind), image((SIZE, SIZE), kind), 1, None, 0)
    if alone:
        call(cv2.dft, a)
        call(cv2.dft, a, flags=cv2.DFT_COMPLEX_OUTPUT)
        pairs = image((SIZE, SIZE, 2), kind), image((SIZE, SIZE, 2), kind)
        call(cv2.idft, pairs[0])
        call(cv2.mulSpectrums, *pairs, 0)


def colours():
    for code in (getattr(cv2, n) for n in dir(cv2) if n.startswith("COLOR_")):
        for kind in (np.uint8, np.float32):
            for shape in ((SIZE + SIZE // 2, SIZE), *((SIZE, SIZE, n) for n in (2, 3, 4))):
                call(cv2.cvtColor, image(shape, kind), code)


def whole():
    a, b = image((SIZE, SIZE), np.uint8), image((SIZE, SIZE), np.uint8)
    colour, large = image((SIZE, SIZE, 3), np.uint8), image((200, 200), np.uint8)
    call(cv2.calcOpticalFlowFarneback, a, b, None, 0.5, 3, 15, 3, 5, 1.2, 0)
    call(cv2.calcOpticalFlowPyrLK, a, b, image((10, 1, 2), np.float32), None)
    call(lambda: cv2.createBackgroundSubtractorMOG2().apply(colour))
    call(lambda: cv2.createBackgroundSubtractorKNN().apply(colour))
    call(cv2.fastNlMeansDenoising, a)
    call(cv2.fastNlMeansDenoisingColored, colour)
    call(lambda: cv2.ORB_create().detectAndCompute(large, None))
    call(lambda: cv2.AKAZE_create().detectAndCompute(large, None))
    call(lambda: cv2.FastFeatureDetector_create().detect(large))
    for n in (32, 64):
        points = image((10, n), np.float32), image((20, n), np.float32)
        call(lambda: cv2.BFMatcher(cv2.NORM_L2).knnMatch(*points, 2))
    call(lambda: cv2.DISOpticalFlow_create(0).calc(a, b, None))
    call(lambda: cv2.createCLAHE().apply(a))
    call(lambda: cv2.StereoBM_create(16, 15).compute(a, b))
    call(cv2.undistort, a, np.eye(3), np.zeros(5))


def main():
    cv2.ocl.setUseOpenCL(True)
    for kind in TYPES:
        for n in (1, 3, 4):
            shape = (SIZE, SIZE) if n == 1 else (SIZE, SIZE, n)
            a, b = image(shape, kind), image(shape, kind)
            arithmetic(a, b, image((SIZE, SIZE), np.uint8))
            geometry(a)
            filters(a)
            channels(a, b, shape, kind)
            if n == 1:
                one_channel(a, b, kind)
            if np.dtype(kind).kind == "f":
                floating(a, b, kind, n == 1)
    colours()
    whole()
    print(counts)


if __name__ == "__main__":
    main()
