// Tests of kernels' arguments in Chromium: `node arguments.mjs SITE`. Images from canvases and textures, one buffer twice, many launches.
// Ends with a line that counts them.

import { browser, serve } from './browser.mjs';

const server = await serve(process.argv[2]);
const chromium = await browser();
const page = await chromium.newPage();
await page.goto(`${server.url}/run.html`);
await page.waitForFunction(() => window.ready);

/** What the page has for each test. */
const tests = {
  'a canvas is a read_only image': async ({ pumice, device }) => {
    const canvas = new OffscreenCanvas(3, 2);
    const context = canvas.getContext('2d');
    context.fillStyle = '#ff8000';
    context.fillRect(0, 0, 3, 2);
    context.fillStyle = '#102030';
    context.fillRect(2, 1, 1, 1);
    const program = pumice.compile(`
      constant sampler_t nearest = CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
      kernel void k(read_only image2d_t in, global uchar4 *out) {
        int2 p = (int2)(get_global_id(0), get_global_id(1));
        out[p.y * get_image_width(in) + p.x] = convert_uchar4_sat_rte(read_imagef(in, nearest, p) * 255.0f);
      }`, { device });
    const sources = [canvas, await createImageBitmap(canvas), context.getImageData(0, 0, 3, 2)];
    const found = [];
    for (const source of sources) {
      const out = new Uint8Array(24);
      await program.kernel('k').run({ global: [3, 2], args: [source, out] });
      found.push([...out.slice(0, 4), ...out.slice(20)].join(' '));
    }
    return [found.join(', '), Array(3).fill('255 128 0 255 16 32 48 255').join(', ')];
  },
  'a texture is read and written': async ({ pumice, device }) => {
    const usage = GPUTextureUsage.COPY_SRC | GPUTextureUsage.COPY_DST;
    const texture = device.createTexture({ size: [5, 3], format: 'rgba8unorm', usage });
    device.queue.writeTexture({ texture }, Uint8Array.from({ length: 60 }, (_, i) => i), { bytesPerRow: 20 }, [5, 3]);
    const program = pumice.compile(`
      kernel void k(read_write image2d_t image) {
        int2 p = (int2)(get_global_id(0), get_global_id(1));
        if (p.x > 0) write_imagef(image, p, 1.0f - read_imagef(image, p));
      }`, { device, options: '-cl-std=CL3.0' });
    await program.kernel('k').run({ global: [5, 3], args: [texture] });
    const buffer = device.createBuffer({ size: 768, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
    const encoder = device.createCommandEncoder();
    encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow: 256 }, [5, 3]);
    device.queue.submit([encoder.finish()]);
    await buffer.mapAsync(GPUMapMode.READ);
    const bytes = new Uint8Array(buffer.getMappedRange());
    return [[...bytes.slice(0, 8), ...bytes.slice(512, 520)].join(' '), '0 1 2 3 251 250 249 248 40 41 42 43 211 210 209 208'];
  },
  'an Image with a linear sampler': async ({ pumice, device, Image, sampler }) => {
    const program = pumice.compile(`
      kernel void k(read_only image2d_t in, sampler_t s, write_only image2d_t out) {
        int i = get_global_id(0);
        write_imagef(out, (int2)(i, 0), read_imagef(in, s, (float2)(i * 0.25f, 0.5f)));
      }`, { device });
    const image = new Image(device, { order: 'r', type: 'float', size: [2, 1], data: Float32Array.of(0, 8) });
    const out = new Image(device, { order: 'r', type: 'half', size: [5, 1] });
    await program.kernel('k').run({ global: 5, args: [image, sampler({ normalized: true, filter: 'linear' }), out] });
    return [[...await out.read()].join(' '), [0, 0, 0x4400, 0x4800, 0x4800].join(' ')];
  },
  'packed channels are read and written': async ({ pumice, device, Image }) => {
    const program = pumice.compile(`
      kernel void k(read_only image2d_t in, write_only image2d_t out) {
        int2 p = (int2)(get_global_id(0), 0);
        write_imagef(out, p, read_imagef(in, p));
      }`, { device });
    const colours = Uint8Array.of(255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 132, 130, 132, 255);
    const image = new Image(device, { size: [4, 1], data: colours });
    const found = [];
    for (const type of ['unorm565', 'unorm555', 'unorm101010']) {
      const small = new Image(device, { order: 'rgb', type, size: [4, 1] });
      const back = new Image(device, { size: [4, 1] });
      await program.kernel('k').run({ global: 4, args: [image, small] });
      await program.kernel('k').run({ global: 4, args: [small, back] });
      const texels = await back.read();
      found.push(`${[...await small.read()].join(' ')}: ${[...texels.slice(0, 12)].join(' ') === [...colours.slice(0, 12)].join(' ') ? 'back' : texels.join(' ')} ${texels[13]}`);
    }
    const refused = (() => { try { return new Image(device, { order: 'rgb', size: [1, 1] }); } catch (error) { return error.message; } })();
    return [[...found, refused].join(', '), [
      '63488 2016 31 33808: back 130',
      '31744 992 31 16912: back 132',
      '1072693248 1047552 1023 556280338: back 130',
      "the channel order 'rgb' and the channel type 'unorm8' do not go together",
    ].join(', ')];
  },
  'objects of a C++ program have their values': async ({ pumice, device }) => {
    const program = pumice.compile(`
      int twice(int x) { return 2 * x; }
      struct S { int a; S(int x) : a(x) {} };
      int n = 3;
      S s(twice(n));
      int calls = twice(s.a);
      kernel void k(global int *p) { p[0] = s.a; p[1] = calls++; }
      kernel void other(global int *p) { p[0] += s.a; }`, { device, options: '-cl-std=CLC++1.0' });
    const numbers = Int32Array.of(0, 0);
    await program.kernel('other').run({ global: 1, args: [numbers] });
    const first = [...numbers].join(' ');
    await program.kernel('k').run({ global: 1, args: [numbers] });
    await program.kernel('k').run({ global: 1, args: [numbers] });
    return [`${program.kernels.length} ${program.initializers.length}: ${first}, ${[...numbers].join(' ')}`, '2 1: 6 0, 6 13'];
  },
  'images of a wrong kind are refused': async ({ pumice, device }) => {
    const program = pumice.compile('kernel void k(write_only image2d_t out) { write_imagef(out, (int2)(0, 0), (float4)(1)); }', { device });
    const refused = (value) => program.kernel('k').run({ global: 1, args: [value] }).then(() => 'ran', (error) => error.message);
    const found = [await refused(new OffscreenCanvas(1, 1)), await refused(new Uint8Array(4))];
    return [found.join('; '), "argument 'out' is an image: it is read_only; argument 'out' is an image: an Image, a GPUTexture, or what a canvas shows"];
  },
  'one buffer is two arguments': async ({ pumice, device }) => {
    const program = pumice.compile(`
      kernel void k(global int *a, global const int *b) { a[get_global_id(0)] += b[3 - get_global_id(0)]; }`, { device });
    const numbers = Int32Array.of(1, 2, 3, 4);
    await program.kernel('k').run({ global: 1, args: [numbers, numbers] });
    return [[...numbers].join(' '), '5 2 3 4'];
  },
  'work-groups that do not divide the NDRange': async ({ pumice, device }) => {
    const program = pumice.compile(`
      kernel void k(global int *out) {
        local int n;
        if (get_local_id(0) == 0) n = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        atomic_inc(&n);
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] = n * 10 + get_group_id(0);
      }`, { device, options: '-cl-std=CL2.0' });
    const out = new Int32Array(7);
    await program.kernel('k').run({ global: 7, local: 4, args: [out] });
    return [[...out].join(' '), '40 40 40 40 31 31 31'];
  },
  'forty thousand launches have addresses': async ({ pumice, device }) => {
    const program = pumice.compile('kernel void k(global int *p) { p[0]++; }', { device });
    const kernel = program.kernel('k');
    const numbers = new Int32Array(4);
    for (let n = 0; n < 40000; n += 1) {
      const encoder = device.createCommandEncoder();
      const launch = kernel.enqueue(encoder, { global: 1, args: [numbers] });
      launch.destroy();
    }
    await kernel.run({ global: 1, args: [numbers] });
    return [String(numbers[0]), '1'];
  },
};

const counts = { passed: 0, failed: 0 };
for (const [name, body] of Object.entries(tests)) {
  const [found, wanted] = await page.evaluate(async (text) => {
    try {
      const pumice = await import('./pumice-web/index.js');
      await pumice.load();
      const adapter = await navigator.gpu.requestAdapter();
      const device = await adapter.requestDevice();
      const { Image, sampler } = pumice;
      return await new Function(`return ${text}`)()({ pumice, device, Image, sampler });
    } catch (error) {
      return [String(error?.stack ?? error), ''];
    }
  }, body.toString());
  const good = found === wanted;
  counts[good ? 'passed' : 'failed'] += 1;
  console.log(`${good ? 'ok     ' : 'FAILED '} ${name}${good ? '' : `: ${found} instead of ${wanted}`}`);
}
await chromium.close();
server.close();
console.log(`web: ${counts.passed} passed, ${counts.failed} failed`);
process.exit(counts.failed ? 1 : 0);
