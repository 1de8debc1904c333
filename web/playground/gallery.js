// The gallery: for each source, how it is launched and drawn. A scene is made anew for each program.

import { local } from './pumice-web/index.js';

/** A buffer of a device with so many bytes, or with the bytes of a typed array. */
function buffer(device, what) {
  const bytes = typeof what === 'number' ? what : what.byteLength;
  const made = device.createBuffer({
    size: Math.max(16, Math.ceil(bytes / 16) * 16),
    usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST,
  });
  if (typeof what !== 'number') device.queue.writeBuffer(made, 0, what);
  return made;
}

/** The same numbers on every machine, in [0, 1). */
function randoms(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * Each has a name, its source's file, its size, `still` if one frame is all, and `scene`. That gives `frame(encoder, number, input)`, which
 * records a frame and gives the buffer with the picture's pixels and what has to be done after it.
 */
export const GALLERY = [
  {
    id: 'mandelbrot',
    title: 'Mandelbrot set',
    file: 'gallery/mandelbrot.cl',
    width: 512,
    height: 384,
    scene({ device, program, width, height }) {
      const kernel = program.kernel('mandelbrot');
      const picture = buffer(device, width * height * 4);
      const centre = [-0.6, 0];
      return {
        frame(encoder, number, input) {
          const scale = 2.6 * 0.985 ** (number % 600);
          if (input.pointer && number > 0) {
            const follow = 0.03 * scale;
            centre[0] += (input.pointer[0] - 0.5) * (width / height) * follow;
            centre[1] += (0.5 - input.pointer[1]) * follow;
          } else if (number > 0) {
            centre[0] += (-0.7436439 - centre[0]) * 0.04;
            centre[1] += (0.1318259 - centre[1]) * 0.04;
          }
          const launch = kernel.enqueue(encoder, { global: [width, height], args: [picture, centre, scale, 200] });
          return { picture, launches: [launch] };
        },
      };
    },
  },
  {
    id: 'pathtracer',
    title: 'Path tracer',
    file: 'gallery/pathtracer.cl',
    width: 384,
    height: 256,
    scene({ device, program, width, height }) {
      const [render, develop] = [program.kernel('render'), program.kernel('develop')];
      const sum = buffer(device, width * height * 16);
      const picture = buffer(device, width * height * 4);
      return {
        frame(encoder, number) {
          const size = [width, height];
          return {
            picture,
            launches: [
              render.enqueue(encoder, { global: size, args: [sum, number, 1] }),
              develop.enqueue(encoder, { global: size, args: [sum, picture] }),
            ],
          };
        },
      };
    },
  },
  {
    id: 'nbody',
    title: 'N-body',
    file: 'gallery/nbody.cl',
    width: 512,
    height: 384,
    scene({ device, program, width, height }) {
      const count = 2048;
      const random = randoms(7);
      const [places, speeds] = [new Float32Array(4 * count), new Float32Array(4 * count)];
      for (let i = 0; i < count; i += 1) {
        // Two discs that turn, and approach each other.
        const side = i % 2 ? 1 : -1;
        const [r, phi] = [0.05 + 0.55 * random() ** 0.7, 2 * Math.PI * random()];
        places.set([side * 0.8 + r * Math.cos(phi), side * 0.15 + r * Math.sin(phi), 0.1 * (random() - 0.5), 1 / count], 4 * i);
        const speed = 0.62 * Math.sqrt(r / (r * r + 0.05));
        speeds.set([-speed * Math.sin(phi) - side * 0.12, speed * Math.cos(phi), 0, 0], 4 * i);
      }
      const [step, splat, develop] = ['step', 'splat', 'develop'].map((name) => program.kernel(name));
      const now = [buffer(device, places), buffer(device, places)];
      const speed = buffer(device, speeds);
      const [counts, picture] = [buffer(device, width * height * 4), buffer(device, width * height * 4)];
      return {
        frame(encoder, number) {
          const [from, to] = number % 2 ? [now[1], now[0]] : [now[0], now[1]];
          const size = [width, height];
          return {
            picture,
            launches: [
              step.enqueue(encoder, { global: count, local: 64, args: [from, speed, to, count, 0.012, local(64 * 16)] }),
              splat.enqueue(encoder, { global: count, args: [to, counts, ...size] }),
              develop.enqueue(encoder, { global: size, args: [counts, picture] }),
            ],
          };
        },
      };
    },
  },
  {
    id: 'life',
    title: 'Game of Life',
    file: 'gallery/life.cl',
    width: 256,
    height: 192,
    scene({ device, program, width, height }) {
      const random = randoms(3);
      const cells = Uint8Array.from({ length: width * height }, () => (random() < 0.3 ? 1 : 0));
      const [generation, develop] = [program.kernel('generation'), program.kernel('develop')];
      const boards = [buffer(device, cells), buffer(device, cells)];
      const picture = buffer(device, width * height * 4);
      return {
        frame(encoder, number) {
          const [now, next] = number % 2 ? [boards[1], boards[0]] : boards;
          const size = [width, height];
          return {
            picture,
            launches: [
              develop.enqueue(encoder, { global: size, args: [now, picture] }),
              generation.enqueue(encoder, { global: size, args: [now, next] }),
            ],
          };
        },
      };
    },
  },
  {
    id: 'filter',
    title: 'Image filter',
    file: 'gallery/filter.cl',
    width: 384,
    height: 256,
    takesPicture: true,
    slider: { name: 'Radius', least: 0, most: 6, value: 3 },
    still: true,
    scene({ device, program, width, height }) {
      const [scene, filter] = [program.kernel('scene'), program.kernel('filter')];
      const [source, picture] = [buffer(device, width * height * 4), buffer(device, width * height * 4)];
      return {
        frame(encoder, number, input) {
          const size = [width, height];
          const launches = [];
          if (input.pixels) device.queue.writeBuffer(source, 0, input.pixels);
          else launches.push(scene.enqueue(encoder, { global: size, args: [source] }));
          launches.push(filter.enqueue(encoder, { global: size, args: [source, picture, input.slider] }));
          return { picture, launches };
        },
      };
    },
  },
  {
    id: 'reduction',
    title: 'Reduction',
    file: 'gallery/reduction.cl',
    width: 512,
    height: 64,
    still: true,
    scene({ device, program }) {
      const count = 1 << 16;
      const group = 128;
      const random = randoms(11);
      const numbers = Uint32Array.from({ length: count }, () => Math.floor(random() * 1000));
      const kernel = program.kernel('reduce');
      const [input, sums] = [buffer(device, numbers), buffer(device, (count / group) * 4)];
      return {
        frame(encoder) {
          const launch = kernel.enqueue(encoder, { global: count, local: group, args: [input, sums, local(group * 4)] });
          return { launches: [launch], read: sums };
        },
        tell(bytes) {
          const found = new Uint32Array(bytes.buffer, 0, count / group);
          const total = found.reduce((sum, x) => sum + x, 0);
          const expected = numbers.reduce((sum, x) => sum + x, 0);
          const verdict = total === expected ? 'as JavaScript computes it' : `JavaScript computes ${expected}`;
          return { bars: found, text: `sum of ${count} numbers: ${total}, ${verdict}\n` };
        },
      };
    },
  },
  {
    id: 'sort',
    title: 'Bitonic sort',
    file: 'gallery/sort.cl',
    width: 512,
    height: 256,
    frames: 105,
    scene({ device, program, width, height }) {
      const count = 1 << 14;
      const random = randoms(5);
      const keys = Uint32Array.from({ length: count }, () => Math.floor(random() * 2 ** 32));
      const [bitonic, develop] = [program.kernel('bitonic'), program.kernel('develop')];
      const [data, picture] = [buffer(device, keys), buffer(device, width * height * 4)];
      const steps = [];
      for (let size = 2; size <= count; size *= 2) for (let distance = size / 2; distance >= 1; distance /= 2) steps.push([size, distance]);
      return {
        frame(encoder, number) {
          const launches = [];
          if (number > 0 && number <= steps.length) {
            launches.push(bitonic.enqueue(encoder, { global: count, args: [data, ...steps[number - 1]] }));
          }
          launches.push(develop.enqueue(encoder, { global: [width, height], args: [data, picture, count] }));
          return { picture, launches, done: number >= steps.length };
        },
      };
    },
  },
];
