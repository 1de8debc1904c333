"""Bodies that attract each other, with PyOpenCL in several processes: MPI starts them and carries the positions between them.

    mpirun -n 4 python3 examples/bodies_mpi.py              1,024 bodies, 20 steps
    mpirun -n 4 python3 examples/bodies_mpi.py 65536 100    so many bodies and steps

Each process takes one device of the platform, in turn, and moves its share of the bodies. A step needs all positions: `Allgatherv` gives each process
those of the others. Process 0 compares the end with NumPy if there are few bodies, and checks that no momentum was lost.
"""

import sys
import time

import numpy as np
import pyopencl as cl
from mpi4py import MPI

SOURCE = """
kernel void move(global const float4 *all, int count, int first, global float4 *speeds, global float4 *moved, float dt)
{
    local float4 tile[64];
    const int own = get_global_id(0), me = get_local_id(0);
    const float4 here = all[min(first + own, count - 1)];
    float4 pull = 0.0f;
    for (int start = 0; start < count; start += 64) {
        tile[me] = start + me < count ? all[start + me] : (float4)(0.0f);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int n = 0; n < 64; n++) {
            const float4 d = tile[n] - here;
            const float r = rsqrt(d.x * d.x + d.y * d.y + d.z * d.z + 0.01f);
            pull += d * (tile[n].w * r * r * r);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float4 speed = speeds[own] + pull * dt;
    speed.w = 0.0f;
    speeds[own] = speed;
    moved[own] = here + speed * dt;
}
"""

STEP = 0.001


def start(count):
    """The positions, with the mass as the fourth number, and the speeds."""
    random = np.random.default_rng(1)
    bodies = random.normal(size=(count, 4))
    bodies[:, 3] = random.uniform(0.5, 1.5, count) / count
    speeds = random.normal(scale=0.1, size=(count, 4))
    speeds[:, 3] = 0
    return bodies.astype(np.float32), speeds.astype(np.float32)


def with_numpy(bodies, speeds, steps):
    """The same steps in double precision."""
    bodies, speeds = bodies.astype(float), speeds.astype(float)
    for _ in range(steps):
        apart = bodies[None, :, :3] - bodies[:, None, :3]
        near = (np.sum(apart**2, axis=2) + 0.01) ** -1.5
        speeds[:, :3] += STEP * np.einsum("ij,ijk->ik", near * bodies[None, :, 3], apart)
        bodies[:, :3] += STEP * speeds[:, :3]
    return bodies, speeds


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1024
    steps = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    world = MPI.COMM_WORLD
    rank, size = world.rank, world.size

    devices = cl.get_platforms()[0].get_devices()
    device = devices[rank % len(devices)]
    context = cl.Context([device])
    queue = cl.CommandQueue(context)
    move = cl.Program(context, SOURCE).build().move

    ends = [count * n // size for n in range(size + 1)]
    first, own = ends[rank], ends[rank + 1] - ends[rank]
    bodies, speeds = start(count)
    # Whole work-groups: those behind the end move copies of the last body, which nobody reads.
    padded = -(-own // 64) * 64
    mine = np.zeros((padded, 4), np.float32)
    mine[:own] = speeds[first : first + own]
    flags = cl.mem_flags
    on_device = cl.Buffer(context, flags.READ_ONLY, bodies.nbytes)
    speed_buffer = cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=mine)
    moved = cl.Buffer(context, flags.WRITE_ONLY, mine.nbytes)
    share = np.empty((own, 4), np.float32)
    counts = [4 * (ends[n + 1] - ends[n]) for n in range(size)]

    world.Barrier()
    begun = time.perf_counter()
    for _ in range(steps):
        cl.enqueue_copy(queue, on_device, bodies)
        move(queue, (padded,), (64,), on_device, np.int32(count), np.int32(first), speed_buffer, moved, np.float32(STEP))
        cl.enqueue_copy(queue, share, moved)
        world.Allgatherv([share, MPI.FLOAT], [bodies, counts, MPI.FLOAT])
    taken = world.allreduce(time.perf_counter() - begun, op=MPI.MAX)

    cl.enqueue_copy(queue, mine, speed_buffer)
    all_speeds = np.concatenate(world.allgather(mine[:own]))
    names = world.gather(device.name)
    if rank != 0:
        return 0
    print(f"{count} bodies, {steps} steps, {size} processes on {', '.join(sorted(set(names)))}")
    print(f"{taken:.3f} s, {count * count * steps / taken * 1e-9:.2f} thousand million pairs a second")
    old_bodies, old_speeds = start(count)
    good = np.array_equal(bodies[:, 3], old_bodies[:, 3])
    momentum = [np.sum(s[:, :3].astype(float) * old_bodies[:, 3:].astype(float), axis=0) for s in (old_speeds, all_speeds)]
    lost = np.abs(momentum[1] - momentum[0]).max()
    print(f"momentum lost: {lost:.1e}")
    good &= bool(lost < 1e-5)
    if count <= 4096:
        right = with_numpy(old_bodies, old_speeds, steps)
        error = max(np.abs(bodies - right[0]).max(), np.abs(all_speeds - right[1]).max())
        print(f"largest difference from NumPy: {error:.1e}")
        good &= bool(error < 1e-4)
    print("the result is right" if good else "the result is wrong")
    return 0 if good else 1


sys.exit(main())
