// Images and samplers of kernels. An image is a buffer of texels in rows, as the kernels have it; textures and canvases are copied to one.

/** The bytes of which rows are multiples, those of WebGPU's copies between buffers and textures. */
const ROW_ALIGNMENT = 256;

/** OpenCL's channel orders: their numbers and channels. */
const ORDERS = {
  r: [0x10b0, 1],
  a: [0x10b1, 1],
  rg: [0x10b2, 2],
  ra: [0x10b3, 2],
  rgb: [0x10b4, 1],
  rgba: [0x10b5, 4],
  bgra: [0x10b6, 4],
  argb: [0x10b7, 4],
  intensity: [0x10b8, 1],
  luminance: [0x10b9, 1],
  depth: [0x10bd, 1],
  srgba: [0x10c1, 4],
  sbgra: [0x10c2, 4],
  abgr: [0x10c3, 4],
};

/** OpenCL's channel types: their numbers, and arrays of such channels; for the order `rgb`, whose channels are packed, of such texels. */
const TYPES = {
  snorm8: [0x10d0, Int8Array],
  snorm16: [0x10d1, Int16Array],
  unorm8: [0x10d2, Uint8Array],
  unorm16: [0x10d3, Uint16Array],
  unorm565: [0x10d4, Uint16Array],
  unorm555: [0x10d5, Uint16Array],
  unorm101010: [0x10d6, Uint32Array],
  int8: [0x10d7, Int8Array],
  int16: [0x10d8, Int16Array],
  int32: [0x10d9, Int32Array],
  uint8: [0x10da, Uint8Array],
  uint16: [0x10db, Uint16Array],
  uint32: [0x10dc, Uint32Array],
  half: [0x10dd, Uint16Array],
  float: [0x10de, Float32Array],
};

/** OpenCL's formats of WebGPU's textures. */
const TEXTURES = {
  r8unorm: ['r', 'unorm8'],
  r8snorm: ['r', 'snorm8'],
  r8uint: ['r', 'uint8'],
  r8sint: ['r', 'int8'],
  r16unorm: ['r', 'unorm16'],
  r16snorm: ['r', 'snorm16'],
  r16uint: ['r', 'uint16'],
  r16sint: ['r', 'int16'],
  r16float: ['r', 'half'],
  rg8unorm: ['rg', 'unorm8'],
  rg8snorm: ['rg', 'snorm8'],
  rg8uint: ['rg', 'uint8'],
  rg8sint: ['rg', 'int8'],
  r32uint: ['r', 'uint32'],
  r32sint: ['r', 'int32'],
  r32float: ['r', 'float'],
  rg16unorm: ['rg', 'unorm16'],
  rg16snorm: ['rg', 'snorm16'],
  rg16uint: ['rg', 'uint16'],
  rg16sint: ['rg', 'int16'],
  rg16float: ['rg', 'half'],
  rgba8unorm: ['rgba', 'unorm8'],
  'rgba8unorm-srgb': ['srgba', 'unorm8'],
  rgba8snorm: ['rgba', 'snorm8'],
  rgba8uint: ['rgba', 'uint8'],
  rgba8sint: ['rgba', 'int8'],
  bgra8unorm: ['bgra', 'unorm8'],
  'bgra8unorm-srgb': ['sbgra', 'unorm8'],
  rg32uint: ['rg', 'uint32'],
  rg32sint: ['rg', 'int32'],
  rg32float: ['rg', 'float'],
  rgba16unorm: ['rgba', 'unorm16'],
  rgba16snorm: ['rgba', 'snorm16'],
  rgba16uint: ['rgba', 'uint16'],
  rgba16sint: ['rgba', 'int16'],
  rgba16float: ['rgba', 'half'],
  rgba32uint: ['rgba', 'uint32'],
  rgba32sint: ['rgba', 'int32'],
  rgba32float: ['rgba', 'float'],
};

/** OpenCL's addressing modes by name. */
const ADDRESSING = { none: 0, clamp_to_edge: 1, clamp: 2, repeat: 3, mirrored_repeat: 4 };

/** A sampler, for an argument of type sampler_t. */
export function sampler({ normalized = false, addressing = 'clamp_to_edge', filter = 'nearest' } = {}) {
  if (!(addressing in ADDRESSING)) throw new TypeError(`no addressing mode: '${addressing}'`);
  if (filter !== 'nearest' && filter !== 'linear') throw new TypeError(`no filter: '${filter}'`);
  if (!normalized && (addressing === 'repeat' || addressing === 'mirrored_repeat')) {
    throw new TypeError(`'${addressing}' is for normalized coordinates`);
  }
  return { sampler: (normalized ? 1 : 0) | (ADDRESSING[addressing] << 1) | ((filter === 'linear' ? 2 : 1) << 4) };
}

/** A format by its names: its number for kernels, its channels, the bytes of a texel, and arrays of its channels. */
function formatOf(order, type) {
  if (!(order in ORDERS)) throw new TypeError(`no channel order: '${order}'`);
  if (!(type in TYPES)) throw new TypeError(`no channel type: '${type}'`);
  const packed = ['unorm565', 'unorm555', 'unorm101010'].includes(type);
  if (packed !== (order === 'rgb')) throw new TypeError(`the channel order '${order}' and the channel type '${type}' do not go together`);
  const [[orderNumber, channels], [typeNumber, Channels]] = [ORDERS[order], TYPES[type]];
  return { number: ((typeNumber << 16) | orderNumber) >>> 0, channels, Channels, bytes: channels * Channels.BYTES_PER_ELEMENT };
}

/** The bytes of a row, and the rows of an image. */
function rowsOf(format, [width, height, depth]) {
  const used = width * format.bytes;
  return { used, pitch: Math.ceil(used / ROW_ALIGNMENT) * ROW_ALIGNMENT, rows: height * depth };
}

/** An image for kernels on a GPUDevice. */
export class Image {
  #device;
  #format;

  /**
   * `size` has the width, the height and the depth, as far as there are any; the layers of an array follow its dimensions. `data` is a typed
   * array of all channels, row by row; zeros without it.
   */
  constructor(device, { order = 'rgba', type = 'unorm8', size, data = null }) {
    this.#device = device;
    this.#format = formatOf(order, type);
    const numbers = typeof size === 'number' ? [size] : [...size];
    if (numbers.length < 1 || numbers.length > 3 || numbers.some((n) => !Number.isInteger(n) || n < 1)) {
      throw new TypeError('the size of an image is one to three numbers of texels');
    }
    /** Width, height and depth. */
    this.size = [0, 1, 2].map((n) => numbers[n] ?? 1);
    const { pitch, rows } = rowsOf(this.#format, this.size);
    /** The buffer of its texels, with rows of a multiple of 256 bytes. */
    this.buffer = device.createBuffer({
      size: pitch * rows,
      usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST,
    });
    if (data) this.write(data);
  }

  /** The format's number: channel type and order. */
  get format() {
    return this.#format.number;
  }

  /** Writes all texels: a typed array of all channels, row by row. */
  write(data) {
    const { used, pitch, rows } = rowsOf(this.#format, this.size);
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    if (bytes.length !== used * rows) throw new TypeError(`${bytes.length} bytes for an image of ${used * rows}`);
    const padded = new Uint8Array(pitch * rows);
    for (let row = 0; row < rows; row += 1) padded.set(bytes.subarray(row * used, (row + 1) * used), row * pitch);
    this.#device.queue.writeBuffer(this.buffer, 0, padded);
  }

  /** All channels, row by row, as a typed array, after what was submitted; halves as their bits. */
  async read() {
    const { used, pitch, rows } = rowsOf(this.#format, this.size);
    const staging = this.#device.createBuffer({ size: this.buffer.size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
    const encoder = this.#device.createCommandEncoder();
    encoder.copyBufferToBuffer(this.buffer, 0, staging, 0, this.buffer.size);
    this.#device.queue.submit([encoder.finish()]);
    await staging.mapAsync(GPUMapMode.READ);
    const padded = new Uint8Array(staging.getMappedRange());
    const bytes = new Uint8Array(used * rows);
    for (let row = 0; row < rows; row += 1) bytes.set(padded.subarray(row * pitch, row * pitch + used), row * used);
    staging.destroy();
    return new this.#format.Channels(bytes.buffer);
  }

  /** Destroys its buffer. */
  destroy() {
    this.buffer.destroy();
  }
}

/** Returns whether a value is what a canvas or the like shows. */
function isExternal(value) {
  const kinds = ['ImageBitmap', 'ImageData', 'HTMLImageElement', 'HTMLVideoElement', 'VideoFrame', 'HTMLCanvasElement', 'OffscreenCanvas'];
  return kinds.some((name) => name in globalThis && value instanceof globalThis[name]);
}

/** A texture with what a canvas or the like shows now. */
function textureOf(device, source) {
  const width = source.videoWidth ?? source.displayWidth ?? source.naturalWidth ?? source.width;
  const height = source.videoHeight ?? source.displayHeight ?? source.naturalHeight ?? source.height;
  const usage = GPUTextureUsage.COPY_SRC | GPUTextureUsage.COPY_DST | GPUTextureUsage.RENDER_ATTACHMENT;
  const texture = device.createTexture({ size: [width, height], format: 'rgba8unorm', usage });
  device.queue.copyExternalImageToTexture({ source }, { texture }, [width, height]);
  return texture;
}

/**
 * An image argument for a launch: its buffer, format and size. A texture is copied to a buffer by commands before the launch, and back after it
 * where the kernel writes the image.
 */
export function imageArgument(device, encoder, { type, written }, value, launch) {
  if (value instanceof Image) return { kind: 'image', buffer: value.buffer, format: value.format, size: value.size };
  let texture = value;
  if (isExternal(value)) {
    if (written) throw new TypeError('it is read_only');
    texture = textureOf(device, value);
    launch.own(texture);
  }
  if (!('GPUTexture' in globalThis) || !(texture instanceof GPUTexture)) {
    throw new TypeError('an Image, a GPUTexture, or what a canvas shows');
  }
  if (!(texture.format in TEXTURES)) throw new TypeError(`of no format that OpenCL has: ${texture.format}`);
  const format = formatOf(...TEXTURES[texture.format]);
  const size = [texture.width, texture.height, texture.depthOrArrayLayers];
  if (texture.dimension === '2d' && size[2] > 1 && !type.includes('array')) throw new TypeError('an array of images');
  const { pitch, rows } = rowsOf(format, size);
  const buffer = launch.make(pitch * rows);
  const there = { buffer, bytesPerRow: pitch, rowsPerImage: size[1] };
  encoder.copyTextureToBuffer({ texture }, there, size);
  if (written) launch.later((commands) => commands.copyBufferToTexture(there, { texture }, size));
  return { kind: 'image', buffer, format: format.number, size };
}
