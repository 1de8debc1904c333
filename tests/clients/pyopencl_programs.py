"""PyOpenCL as a client: what people write with it, compared with NumPy. Run by scripts/clients."""

import sys

import numpy as np
import pyopencl as cl
import pyopencl.array as array
from pyopencl.elementwise import ElementwiseKernel
from pyopencl.reduction import ReductionKernel
from pyopencl.scan import InclusiveScanKernel

SAXPY = """
kernel void saxpy(global float *y, global const float *x, float a, uint n)
{
    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) y[i] += a * x[i];
}
struct point { float2 at; int weight; };
kernel void centre(global const struct point *points, global float2 *out, local float2 *shared)
{
    const size_t l = get_local_id(0);
    struct point p = points[get_global_id(0)];
    shared[l] = p.at * (float)p.weight;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
        if (l < half_size) shared[l] += shared[l + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) out[get_group_id(0)] = shared[0];
}
"""


def own_kernels(context, queue):
    random = np.random.default_rng(1)
    x, y = random.random(10007, np.float32), random.random(10007, np.float32)
    flags = cl.mem_flags
    device_x = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=x)
    device_y = cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=y)
    program = cl.Program(context, SAXPY).build()
    program.saxpy(queue, (1024,), None, device_y, device_x, np.float32(2.5), np.uint32(x.size))
    result = np.empty_like(y)
    cl.enqueue_copy(queue, result, device_y)
    np.testing.assert_allclose(result, y + np.float32(2.5) * x, rtol=1e-6)

    points = np.zeros(256, np.dtype({"names": ["at", "weight"], "formats": ["2f4", "i4"], "offsets": [0, 8],
                                     "itemsize": 16}))
    points["at"], points["weight"] = random.random((256, 2)), random.integers(-5, 5, 256)
    device_points = cl.Buffer(context, flags.READ_ONLY | flags.USE_HOST_PTR, hostbuf=points)
    sums = np.empty((4, 2), np.float32)
    device_sums = cl.Buffer(context, flags.WRITE_ONLY, sums.nbytes)
    program.centre(queue, (256,), (64,), device_points, device_sums, cl.LocalMemory(64 * 8))
    cl.enqueue_copy(queue, sums, device_sums)
    want = (points["at"] * points["weight"][:, None]).reshape(4, 64, 2).sum(axis=1)
    np.testing.assert_allclose(sums, want, rtol=1e-4, atol=1e-4)


def array_expressions(context, queue):
    random = np.random.default_rng(2)
    a, b = random.random(5000, np.float32), random.random(5000, np.float32)
    da, db = array.to_device(queue, a), array.to_device(queue, b)
    np.testing.assert_allclose((3 * da + db / 2 - da * db).get(), 3 * a + b / 2 - a * b, rtol=1e-5, atol=1e-6)
    assert abs(array.sum(da).get() - a.sum()) < 1e-2
    assert abs(array.dot(da, db).get() - a.dot(b)) < 1e-2
    assert array.max(da).get() == a.max()
    np.testing.assert_array_equal(da[100:4000].get(), a[100:4000])


def generated_kernels(context, queue):
    values = np.arange(1, 3001, dtype=np.int32)
    device = array.to_device(queue, values)
    out = array.empty_like(device)
    ElementwiseKernel(context, "int *in, int *out", "out[i] = in[i] % 7 == 0 ? -in[i] : in[i]")(device, out)
    want = np.where(values % 7 == 0, -values, values)
    np.testing.assert_array_equal(out.get(), want)
    total = ReductionKernel(context, np.int64, neutral="0", reduce_expr="a+b", map_expr="(long)x[i]*x[i]",
                            arguments="__global int *x")(device).get()
    assert total == (values.astype(np.int64) ** 2).sum()
    InclusiveScanKernel(context, np.int32, "a+b", neutral="0")(device)
    np.testing.assert_array_equal(device.get(), values.cumsum(dtype=np.int32))


def maps_and_events(context, queue):
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.ALLOC_HOST_PTR, 4096)
    mapped, _ = cl.enqueue_map_buffer(queue, buffer, cl.map_flags.WRITE, 0, 1024, np.uint32)
    mapped[:] = np.arange(1024)
    mapped.base.release(queue)
    gate = cl.UserEvent(context)
    copy = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4096)
    done = cl.enqueue_copy(queue, copy, buffer, wait_for=[gate])
    seen = np.zeros(1024, np.uint32)
    read = cl.enqueue_copy(queue, seen, copy, is_blocking=False, wait_for=[done])
    assert done.command_execution_status != cl.command_execution_status.COMPLETE
    gate.set_status(cl.command_execution_status.COMPLETE)
    read.wait()
    np.testing.assert_array_equal(seen, np.arange(1024))


def main():
    context = cl.Context(cl.get_platforms()[0].get_devices())
    queue = cl.CommandQueue(context)
    failed = 0
    for program in (own_kernels, array_expressions, generated_kernels, maps_and_events):
        try:
            program(context, queue)
            print(f"{program.__name__}: agrees")
        except Exception as error:  # every program is to be tried
            failed += 1
            print(f"{program.__name__}: {type(error).__name__}: {str(error)[:2000]}")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
