// OpenCL C on WebGPU. The compiler is WebAssembly (./wasm); this file makes WebGPU's objects.

import init, { compile as compileSource } from './wasm/pumice_web.js';
import { imageArgument } from './image.js';
import { valueBytes } from './values.js';

export { Image, sampler } from './image.js';

/** The bytes of a printf buffer. */
const PRINTF_BYTES = 1 << 20;
/** Packed addresses are multiples of this. */
const PACKED_ALIGNMENT = 65536;
/** Buffers that reach no farther are copied together for a launch in the packed model. */
const SMALL_BYTES = 4 << 20;
/** The end of packed addresses. */
const PACKED_END = 2 ** 31;
/** WebGPU's names of a GPUDevice's limits, and those of the compiler's settings. */
const LIMITS = [
  'maxStorageBufferBindingSize',
  'maxStorageBuffersPerShaderStage',
  'maxComputeWorkgroupStorageSize',
  'maxComputeInvocationsPerWorkgroup',
];

let loading = null;

/**
 * Loads the compiler. Later calls give the same promise.
 *
 * `wasm` is where the WebAssembly module is: a URL, a Response or bytes. Without it, it is beside this file.
 */
export function load(wasm) {
  loading ??= init(wasm === undefined ? undefined : { module_or_path: wasm }).then(() => ({ compile }));
  return loading;
}

/** What a compilation is told of a GPUDevice. */
function adapterOf(device) {
  if (!device) return {};
  const adapter = { features: [...device.features] };
  const { subgroupMinSize: least, subgroupMaxSize: most } = device.adapterInfo ?? {};
  if (least && most) adapter.subgroupSizes = [least, most];
  if (/swiftshader/i.test(device.adapterInfo?.architecture ?? '')) adapter.driver = 'swiftshader';
  for (const name of LIMITS) adapter[name] = Number(device.limits[name]);
  adapter.maxComputeWorkgroupSize = ['X', 'Y', 'Z'].map((d) => device.limits[`maxComputeWorkgroupSize${d}`]);
  adapter.maxComputeWorkgroupsPerDimension = device.limits.maxComputeWorkgroupsPerDimension;
  return adapter;
}

/**
 * Compiles a source. `load` must have been awaited.
 *
 * Errors of the source are diagnostics. An exception is thrown for build options that are none.
 */
export function compile(source, { options = '', file = 'kernel.cl', device = null } = {}) {
  const compiled = compileSource(source, JSON.stringify({ options, file, adapter: adapterOf(device) }));
  return new Program(compiled, device, source, file);
}

/** A compiled source. */
export class Program {
  #compiled;
  #device;
  #data = null;
  #source;
  #file;
  #initialized = false;

  constructor(compiled, device, source, file) {
    this.#compiled = compiled;
    this.#device = device;
    this.#source = source;
    this.#file = file;
    this.diagnostics = JSON.parse(compiled.messages());
    this.spirv = compiled.spirv();
    this.kernels = JSON.parse(compiled.kernels());
    this.initializers = JSON.parse(compiled.initializers());
  }

  /** The source has no error, and WebGPU can run all of its kernels. */
  get ok() {
    return !this.diagnostics.some((d) => d.severity === 'error');
  }

  /** The OpenCL SPIR-V as a listing. */
  listing() {
    return this.#compiled.listing();
  }

  /** The WGSL of a kernel, with work-groups of 64 work-items unless it requires a size. */
  wgsl(name) {
    return this.#compiled.wgsl(name);
  }

  /**
   * The diagnostic of an error that a launch gave, such as a barrier that WebGPU takes for one in control flow that is not uniform. Null if the
   * error names no line of the source.
   */
  explain(error) {
    const text = String(error?.message ?? error);
    // The browser quotes the line of WGSL, which has the source's line in a comment.
    const quoted = /error: (.*)\n.*\/\/ (.*):(\d+)$/m.exec(text);
    if (!quoted || quoted[2] !== this.#file) return null;
    const line = Number(quoted[3]);
    const lines = this.#source.split('\n');
    if (line < 1 || line > lines.length) return null;
    const indent = lines[line - 1].search(/\S|$/);
    const start = lines.slice(0, line - 1).reduce((sum, l) => sum + l.length + 1, indent);
    const range = { start, end: start + lines[line - 1].trim().length, line, column: indent + 1 };
    return { severity: 'error', id: 'not-on-webgpu', message: `WebGPU refuses this: ${quoted[1]}`, range, notes: [], fixes: [] };
  }

  /** A kernel to launch. */
  kernel(name) {
    const reflection = this.kernels.find((k) => k.name === name);
    if (!reflection) {
      const refusal = this.diagnostics.find((d) => d.severity === 'error');
      throw new Error(`no kernel '${name}'${refusal ? `: ${refusal.message}` : ''}`);
    }
    if (!this.#device) throw new Error('the program was compiled without a GPUDevice');
    return new Kernel(this, reflection, this.#device, this.#compiled);
  }

  /** The buffers of the program's constants and variables, and their packed addresses. */
  data() {
    if (!this.#data) {
      const sizes = [false, true].map((variables) => this.#compiled.data(variables, 1, 1).length);
      const buffers = sizes.map((size) => size && makeBuffer(this.#device, size));
      const addresses = buffers.map((buffer) => (buffer ? addressOf(this.#device, buffer) : 0));
      buffers.forEach((buffer, n) => {
        if (!buffer) return;
        const bytes = this.#compiled.data(n === 1, ...addresses);
        this.#device.queue.writeBuffer(buffer, 0, padded(bytes));
      });
      this.#data = { constants: buffers[0], globals: buffers[1], addresses };
    }
    return this.#data;
  }

  /** Gives the objects of a C++ program their values, before its first launch. These commands are submitted at once. */
  initialize() {
    if (this.#initialized) return;
    this.#initialized = true;
    for (const reflection of this.initializers) {
      const encoder = this.#device.createCommandEncoder();
      const kernel = new Kernel(this, reflection, this.#device, this.#compiled);
      const launch = kernel.enqueue(encoder, { global: 1, local: 1, args: [] });
      this.#device.queue.submit([encoder.finish()]);
      launch.destroy();
    }
  }

  /** The program's variables hold pointers to them or to its constants, or may do so after its initialisers. */
  hasPointersInVariables() {
    if (this.initializers.length) return true;
    const [here, there] = [this.#compiled.data(true, 256, 512), this.#compiled.data(true, 1024, 2048)];
    return here.some((byte, n) => byte !== there[n]);
  }

  /** Frees the compiler's memory for the program. Its kernels that have been launched go on; others cannot be. */
  free() {
    this.#compiled.free();
  }
}

/** Memory of a work-group, for an argument that is a `__local` pointer. */
export function local(bytes) {
  return { local: bytes };
}

/** A kernel of a program on a GPUDevice. */
export class Kernel {
  #program;
  #compiled;
  #device;
  #pipelines = new Map();
  #shapes = new Map();

  constructor(program, reflection, device, compiled) {
    this.#program = program;
    this.#compiled = compiled;
    this.#device = device;
    /** Its reflection. */
    this.reflection = reflection;
    this.name = reflection.name;
  }

  /** The pipeline for a key, with the bindings that its WGSL has. */
  #pipeline(key) {
    let found = this.#pipelines.get(key);
    if (!found) {
      const code = this.#compiled.text(this.name, key);
      const module = this.#device.createShaderModule({ code, label: this.name });
      const pipeline = this.#device.createComputePipeline({
        label: this.name,
        layout: 'auto',
        // The only one. Its name is another than the kernel's where that is a word of WGSL's.
        compute: { module },
      });
      const bindings = new Map();
      for (const [, binding, space] of code.matchAll(/@group\(0\) @binding\((\d+)\)\s+var(<[^>]*>)?/g)) {
        bindings.set(Number(binding), space ?? '');
      }
      found = { pipeline, bindings, module, code };
      this.#pipelines.set(key, found);
    }
    return found;
  }

  /**
   * Records a launch in a command encoder.
   *
   * `args` has a GPUBuffer, a typed array (copied to a buffer of its own), null, a number, an array of numbers, `local(bytes)`, bytes, an Image,
   * a GPUTexture, a canvas or `sampler(…)` for each argument of the kernel.
   */
  enqueue(encoder, { global, local: size = null, offset = null, args }) {
    const device = this.#device;
    const { args: kinds } = this.reflection;
    if (args.length !== kinds.length) {
      throw new TypeError(`kernel '${this.name}' takes ${kinds.length} arguments, ${args.length} are given`);
    }
    this.#program.initialize();
    const launch = new Launch(this.#compiled, this.name, device);
    const given = args.map((value, n) => argument(device, encoder, kinds[n], value, launch));
    const dimensions = (numbers) => (typeof numbers === 'number' ? [numbers] : [...numbers]);
    const request = { global: dimensions(global), args: [] };
    if (size !== null) request.local = dimensions(size);
    if (offset !== null) request.offset = dimensions(offset);
    if (this.reflection.prints) launch.makePrintf(encoder);
    const data = this.#program.data();
    [request.constants, request.globals] = data.addresses;
    const [model, shape] = this.#shape(given, launch);
    const { bindings: descriptors } = shape;
    const packed = shape.bindingModel === 'packed';
    request.model = model;
    const windows = packed ? this.#windows(shape, encoder, given, launch) : null;
    if (!packed) for (const arg of given) if (arg.buffer) arg.address = addressOf(device, arg.buffer);
    request.args = given.map(({ kind, buffer, bytes, address, format, size: texels, bits }) => {
      if (kind === 'image') return { kind, address: address ?? 0, format, size: texels };
      if (kind === 'sampler') return { kind, bits };
      if (kind === 'buffer') return { kind, address: address ?? 0, size: buffer ? buffer.size : 0 };
      return kind === 'local' ? { kind, bytes } : { kind, bytes: [...bytes] };
    });
    if (windows) {
      request.windows = [0, 1, 2, 3].map((n) => windows.starts[n] ?? 0);
      [request.constants, request.globals] = windows.data;
      request.printf = windows.printf;
    }
    const prepared = JSON.parse(this.#compiled.prepare(this.name, JSON.stringify(request)));
    launch.local = prepared.local;
    const source = ({ source: from }, block) => {
      if (from === 'argument_block') return launch.upload(Uint8Array.from(block));
      if (from === 'constants') return data.constants;
      if (from === 'globals') return data.globals;
      if (from === 'printf') return launch.printf;
      if (from === 'sequence') return sequenceOf(device);
      if (from.argument !== undefined) return given[from.argument].buffer ?? launch.upload(new Uint8Array(16));
      if (from.window !== undefined) return windows.buffers[from.window] ?? launch.upload(new Uint8Array(16));
      throw new Error(`no such binding: ${JSON.stringify(from)}`);
    };
    for (const { key, groups, block } of prepared.parts) {
      const { pipeline, bindings, code } = this.#pipeline(key);
      launch.code ||= code;
      const entries = descriptors
        .filter(({ binding }) => bindings.has(binding))
        .map((descriptor) => ({ binding: descriptor.binding, resource: { buffer: source(descriptor, block) } }));
      if (groups.some((n) => n === 0)) continue;
      const pass = encoder.beginComputePass({ label: this.name });
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
      pass.dispatchWorkgroups(...groups);
      pass.end();
    }
    windows?.after.forEach((copy) => encoder.copyBufferToBuffer(...copy));
    launch.end(encoder);
    return launch;
  }

  /**
   * How the buffers of a launch are bound, and the reflection of that form. WebGPU has no buffer in two bindings of a dispatch that may write it: a
   * launch with such arguments takes the packed model, in which the two share a binding. What has more buffers than there are windows takes one
   * window, and so do small buffers: a kernel with one window is much smaller.
   */
  #shape(given, launch) {
    const written = (n) => this.reflection.args[n].written;
    const twice = (buffer, n) => given.some((other, m) => other.buffer === buffer && m !== n && (written(n) || written(m)));
    const shared = this.reflection.bindingModel !== 'packed' && given.some(({ buffer }, n) => buffer && twice(buffer, n));
    const [model, shape] = shared ? ['packed', this.#form('packed')] : ['own', this.reflection];
    if (shape.bindingModel !== 'packed' || shape.windows < 2) return [model, shape];
    const all = this.#buffers(given, launch);
    const whole = all.length < 2 || all.length > shape.windows || this.#spanOf(all).end <= SMALL_BYTES;
    return whole ? ['whole', this.#form('whole')] : [model, shape];
  }

  #form(model) {
    if (!this.#shapes.has(model)) this.#shapes.set(model, JSON.parse(this.#compiled.packed(this.name, model === 'whole')));
    return this.#shapes.get(model);
  }

  /** The buffers of a launch in the packed model. */
  #buffers(given, launch) {
    const program = this.#program.data();
    const all = [...given.map((arg) => arg.buffer), program.constants, program.globals, launch.printf];
    return [...new Set(all.filter(Boolean))];
  }

  /** The buffers of a launch in the packed model: each a window, or copies of all in one. */
  #windows(shape, encoder, given, launch) {
    const device = this.#device;
    const program = this.#program.data();
    const all = this.#buffers(given, launch);
    const addresses = new Map(all.map((buffer) => [buffer, addressOf(device, buffer)]));
    const count = shape.windows;
    const after = [];
    let windows;
    if (all.length <= count) {
      windows = all.sort((a, b) => addresses.get(a) - addresses.get(b));
    } else {
      // All buffers are copied into one for the launch, and back after it.
      const { places, start, end } = this.#places(shape, all, addresses);
      const whole = launch.make(end);
      const base = start ?? addressOf(device, whole);
      all.forEach((buffer, n) => addresses.set(buffer, base + places[n]));
      const [constants, globals] = [program.constants, program.globals].map((buffer) => addresses.get(buffer) ?? 0);
      all.forEach((buffer, n) => {
        // The program's constants may have pointers to each other, which are others here.
        const moved = buffer === program.constants && start === null;
        const from = moved ? launch.upload(this.#compiled.data(false, constants, globals)) : buffer;
        encoder.copyBufferToBuffer(from, 0, whole, places[n], Math.min(from.size, buffer.size));
        if (buffer !== program.constants) after.push([whole, places[n], buffer, 0, buffer.size]);
      });
      windows = [whole];
      addresses.set(whole, base);
    }
    for (const arg of given) if (arg.buffer) arg.address = addresses.get(arg.buffer);
    const of = (buffer) => (buffer ? addresses.get(buffer) : 0);
    return {
      buffers: windows,
      starts: windows.map((buffer) => addresses.get(buffer)),
      data: [of(program.constants), of(program.globals)],
      printf: of(launch.printf),
      after,
    };
  }

  /** The first address of buffers, and how far they reach from there. */
  #spanOf(all) {
    const addresses = all.map((buffer) => addressOf(this.#device, buffer));
    const start = Math.min(...addresses);
    return { start, end: Math.max(...all.map((buffer, n) => addresses[n] + buffer.size)) - start };
  }

  /**
   * The places of buffers that are copied into one, which ends at `end`: as far from each other as their addresses are, which begin at `start`, so
   * that pointers in memory stay right; or one after the other, if there are none and the former is too large.
   */
  #places(shape, all, addresses) {
    const limits = this.#device.limits;
    const { start, end } = this.#spanOf(all);
    if (end <= Math.min(limits.maxStorageBufferBindingSize, limits.maxBufferSize)) {
      return { places: all.map((buffer) => addresses.get(buffer) - start), start, end };
    }
    if (shape.followsPointers || (this.#program.data().globals && this.#program.hasPointersInVariables())) {
      throw new Error(`kernel '${this.name}' follows pointers in memory, and has ${all.length} buffers that are too far from each other: WebGPU takes ${shape.windows} here`);
    }
    let next = 0;
    const places = all.map((buffer) => {
      const at = next;
      next = Math.ceil((next + buffer.size) / 256) * 256;
      return at;
    });
    return { places, start: null, end: next };
  }

  /**
   * Launches the kernel at once, waits for it, and copies what it wrote into the typed arrays that it was given.
   *
   * Gives the text of its printf calls.
   */
  async run(what) {
    const device = this.#device;
    const encoder = device.createCommandEncoder();
    const launch = this.enqueue(encoder, what);
    const staged = launch.copies
      .filter((copy) => this.reflection.args[what.args.indexOf(copy.array)]?.written)
      .map(({ array, buffer }) => {
        const staging = device.createBuffer({ size: buffer.size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
        encoder.copyBufferToBuffer(buffer, 0, staging, 0, buffer.size);
        return { array, staging };
      });
    device.queue.submit([encoder.finish()]);
    for (const { array, staging } of staged) {
      await staging.mapAsync(GPUMapMode.READ);
      const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
      bytes.set(new Uint8Array(staging.getMappedRange(), 0, array.byteLength));
      staging.destroy();
    }
    if (!staged.length) await device.queue.onSubmittedWorkDone();
    const text = await launch.printed();
    launch.destroy();
    return text;
  }
}

/** A launch that was recorded. */
export class Launch {
  #compiled;
  #kernel;
  #device;
  #made = [];
  #later = [];
  #staging = null;

  constructor(compiled, kernel, device) {
    this.#compiled = compiled;
    this.#kernel = kernel;
    this.#device = device;
    /** The typed arrays that were copied to buffers. */
    this.copies = [];
    this.printf = null;
    /** The work-group size. */
    this.local = null;
    /** The WGSL of the launch. */
    this.code = '';
  }

  /** A buffer of the launch's own. */
  make(size) {
    const buffer = makeBuffer(this.#device, size);
    this.#made.push(buffer);
    return buffer;
  }

  /** Destroys an object with the launch. */
  own(object) {
    this.#made.push(object);
  }

  /** Commands that follow the launch. */
  later(record) {
    this.#later.push(record);
  }

  /** A buffer of the launch's own with bytes in it. */
  upload(bytes) {
    const buffer = this.make(bytes.byteLength);
    this.#device.queue.writeBuffer(buffer, 0, padded(bytes));
    return buffer;
  }

  makePrintf() {
    this.printf = this.make(PRINTF_BYTES);
    this.#device.queue.writeBuffer(this.printf, 0, this.#compiled.printfHeader(this.#kernel, PRINTF_BYTES));
  }

  /** Records what follows the launch. */
  end(encoder) {
    for (const record of this.#later) record(encoder);
    if (!this.printf) return;
    this.#staging = this.#device.createBuffer({
      size: PRINTF_BYTES,
      usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
    });
    encoder.copyBufferToBuffer(this.printf, 0, this.#staging, 0, PRINTF_BYTES);
  }

  /** The text of the kernel's printf calls, once the commands were submitted. */
  async printed() {
    if (!this.#staging) return '';
    await this.#staging.mapAsync(GPUMapMode.READ);
    const bytes = new Uint8Array(this.#staging.getMappedRange()).slice();
    this.#staging.destroy();
    this.#staging = null;
    return new TextDecoder().decode(this.#compiled.printed(this.#kernel, bytes));
  }

  /** Destroys the launch's buffers and textures. The commands must have been submitted. */
  destroy() {
    for (const object of this.#made) {
      releaseAddress(this.#device, object);
      object.destroy();
    }
    this.#made = [];
  }
}

function makeBuffer(device, size) {
  return device.createBuffer({
    size: Math.max(16, Math.ceil(size / 16) * 16),
    usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST,
  });
}

/** Bytes whose number is a multiple of 4, as writeBuffer takes them. */
function padded(array) {
  const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  if (bytes.length % 4 === 0) return bytes;
  const whole = new Uint8Array(Math.ceil(bytes.length / 4) * 4);
  whole.set(bytes);
  return whole;
}

/** An argument as the launch has it. */
function argument(device, encoder, reflection, value, launch) {
  const { kind, type, size, name } = reflection;
  const wrong = (what) => new TypeError(`argument '${name}' is ${what}`);
  if (kind === 'value') return { kind, bytes: valueBytes(type, size, value) };
  if (kind === 'local') {
    const bytes = typeof value === 'number' ? value : value?.local;
    if (!Number.isInteger(bytes) || bytes < 0) throw wrong('a __local pointer: local(bytes)');
    return { kind, bytes };
  }
  if (kind === 'sampler') {
    if (!Number.isInteger(value?.sampler)) throw wrong('a sampler: sampler({ … })');
    return { kind, bits: value.sampler };
  }
  if (kind === 'image') {
    try {
      return imageArgument(device, encoder, reflection, value, launch);
    } catch (error) {
      throw wrong(`an image: ${error.message}`);
    }
  }
  if (value === null) return { kind, buffer: null };
  if (ArrayBuffer.isView(value)) {
    const known = launch.copies.find((copy) => copy.array === value);
    const buffer = known ? known.buffer : launch.upload(value);
    if (!known) launch.copies.push({ array: value, buffer });
    return { kind, buffer };
  }
  if (value instanceof GPUBuffer) return { kind, buffer: value };
  throw wrong('a buffer: a GPUBuffer, a typed array or null');
}

/** Packed addresses: numbers that stand for the places of a device's buffers. No two buffers overlap, and none moves as long as it is there. */
const packed = new WeakMap();
/** Gives back the addresses of buffers that nobody has any more. */
const gone = new FinalizationRegistry(({ space, address, size }) => giveBack(space, address, size));

function giveBack(space, address, size) {
  if (!space.free.has(size)) space.free.set(size, []);
  space.free.get(size).push(address);
}

function addressOf(device, buffer) {
  let space = packed.get(device);
  if (!space) packed.set(device, (space = { next: PACKED_ALIGNMENT, addresses: new WeakMap(), free: new Map() }));
  let address = space.addresses.get(buffer);
  if (address === undefined) {
    const size = Math.ceil(buffer.size / PACKED_ALIGNMENT) * PACKED_ALIGNMENT;
    address = space.free.get(size)?.pop();
    if (address === undefined) {
      if (space.next + size > PACKED_END) throw new Error('no packed addresses are left for this buffer');
      address = space.next;
      space.next += size;
    }
    space.addresses.set(buffer, address);
    gone.register(buffer, { space, address, size }, buffer);
  }
  return address;
}

/** Gives back the address of a buffer that is destroyed. */
function releaseAddress(device, buffer) {
  const space = packed.get(device);
  const address = space?.addresses.get(buffer);
  if (address === undefined) return;
  space.addresses.delete(buffer);
  gone.unregister(buffer);
  giveBack(space, address, Math.ceil(buffer.size / PACKED_ALIGNMENT) * PACKED_ALIGNMENT);
}

/** The word of a device for sequential consistency. */
const sequences = new WeakMap();

function sequenceOf(device) {
  if (!sequences.has(device)) sequences.set(device, makeBuffer(device, 16));
  return sequences.get(device);
}
