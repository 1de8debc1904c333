"""PyOpenCL's example gl_interop_demo.py, unchanged, on an X server without a screen: a kernel writes the vertices of a curve, OpenGL draws them.

    pyopencl_gl.py gl_interop_demo.py

Compares the window with the curve. Run by scripts/clients.
"""

import os
import struct
import subprocess
import sys
import tempfile
import time

import numpy as np

WIDTH, HEIGHT = 800, 160


def window(path):
    """The pixels of the server's screen: a file in the format of X window dumps."""
    with open(path, "rb") as file:
        data = file.read()
    head = struct.unpack(">25I", data[:100])
    start, width, height, pitch = head[0] + head[19] * 12, head[4], head[5], head[12]
    pixels = np.frombuffer(data[start : start + pitch * height], np.uint8)
    return pixels.reshape(height, pitch // 4, 4)[:, :width, :3][..., ::-1]


def is_curve(pixels):
    """Whether each column has blue pixels, and all of them at the heights that the sine has there."""
    blue = (pixels == [0, 0, 255]).all(axis=2)
    if not (blue | (pixels == 255).all(axis=2)).all() or not blue.any(axis=0)[1:-1].all():
        return False
    for x in range(2, WIDTH - 2):
        heights = np.sin(np.linspace(x - 1.5, x + 2.5, 50) / WIDTH * 16 * 3.1415)
        rows = (1 - heights) / 2 * HEIGHT
        found = np.nonzero(blue[:, x])[0]
        if found.min() < rows.min() - 2 or found.max() > rows.max() + 2:
            return False
    return True


def main(demo):
    with tempfile.TemporaryDirectory() as folder:
        reader, writer = os.pipe()
        screen = ["-screen", "0", f"{WIDTH}x{HEIGHT}x24", "+extension", "GLX", "-fbdir", folder]
        server = subprocess.Popen(["Xvfb", "-displayfd", str(writer), *screen], pass_fds=[writer])
        os.close(writer)
        display = os.fdopen(reader).readline().strip()
        program = subprocess.Popen([sys.executable, demo], env=dict(os.environ, DISPLAY=f":{display}"))
        good = False
        try:
            for _ in range(300):
                time.sleep(0.2)
                good = is_curve(window(os.path.join(folder, "Xvfb_screen0")))
                if good or program.poll() is not None:
                    break
        finally:
            program.kill()
            program.wait()
            server.terminate()
            server.wait()
    print("the curve is right" if good else "the window has not the curve")
    return 0 if good else 1


sys.exit(main(sys.argv[1]))
