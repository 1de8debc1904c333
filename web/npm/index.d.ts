/** Loads the compiler. `wasm` is where the WebAssembly module is; without it, it is beside the package's own file. */
export function load(wasm?: string | URL | Response | BufferSource | WebAssembly.Module): Promise<{ compile: typeof compile }>;

/** Compiles a source. {@link load} must have been awaited. Errors of the source are diagnostics; an exception is thrown for build options that are none. */
export function compile(source: string, settings?: CompileSettings): Program;

/** Memory of a work-group, for an argument that is a `__local` pointer. */
export function local(bytes: number): Local;

/** The names of OpenCL's channel orders and types. Halves are given and read as their bits. The order `rgb` is for packed channels (`unorm565`), whose texels are given and read as words. */
export type ChannelOrder =
  | 'r' | 'a' | 'rg' | 'ra' | 'rgb' | 'rgba' | 'bgra' | 'argb' | 'abgr' | 'intensity' | 'luminance' | 'depth' | 'srgba' | 'sbgra';
export type ChannelType =
  | 'snorm8' | 'snorm16' | 'unorm8' | 'unorm16' | 'unorm565' | 'unorm555' | 'unorm101010' | 'int8' | 'int16' | 'int32' | 'uint8' | 'uint16' | 'uint32' | 'half' | 'float';

export interface ImageSettings {
  /** `rgba` without it. */
  order?: ChannelOrder;
  /** `unorm8` without it. */
  type?: ChannelType;
  /** Width, height and depth, as far as there are any; the layers of an array follow its dimensions. */
  size: number | number[];
  /** All channels, row by row; zeros without it. */
  data?: ArrayBufferView | null;
}

/** An image on a device: a buffer of texels in rows of a multiple of 256 bytes. */
export class Image {
  constructor(device: GPUDevice, settings: ImageSettings);
  readonly size: [number, number, number];
  readonly buffer: GPUBuffer;
  /** The number of its format: OpenCL's channel type and order. */
  readonly format: number;
  /** Writes all texels. */
  write(data: ArrayBufferView): void;
  /** All channels, row by row, after what was submitted: an array of the channels' type. */
  read(): Promise<ArrayBufferView>;
  destroy(): void;
}

export interface SamplerSettings {
  /** Coordinates from 0 to 1; false without it. */
  normalized?: boolean;
  /** `clamp_to_edge` without it. `repeat` and `mirrored_repeat` are for normalized coordinates. */
  addressing?: 'none' | 'clamp_to_edge' | 'clamp' | 'repeat' | 'mirrored_repeat';
  /** `nearest` without it. */
  filter?: 'nearest' | 'linear';
}

/** A sampler, for an argument of type sampler_t. */
export function sampler(settings?: SamplerSettings): Sampler;

export interface Sampler {
  sampler: number;
}

export interface CompileSettings {
  /** Build options, as clBuildProgram takes them: `-cl-std=CL3.0 -DN=4`. */
  options?: string;
  /** The name of the source, for `__FILE__`; `kernel.cl` without it. */
  file?: string;
  /** The device whose features and limits count. Without one, they are WebGPU's defaults, and kernels cannot be launched. */
  device?: GPUDevice | null;
}

/** A range of the source. Offsets and columns count UTF-16 code units, as strings do; lines and columns count from 1. */
export interface Range {
  start: number;
  end: number;
  line: number;
  column: number;
}

export interface Diagnostic {
  severity: 'error' | 'warning';
  /** A stable name, such as `undeclared-identifier`. `not-on-webgpu` is a kernel that WebGPU cannot run. */
  id: string;
  message: string;
  range: Range | null;
  notes: { message: string; range: Range | null }[];
  /** Changes that mend it, all of them together. */
  fixes: { range: Range; text: string }[];
}

export interface ArgReflection {
  name: string;
  type: string;
  kind: 'buffer' | 'local' | 'value' | 'image' | 'sampler';
  /** The size of a value in bytes. */
  size: number | null;
  /** The kernel may write to the buffer or image. */
  written: boolean;
}

export interface KernelReflection {
  name: string;
  args: ArgReflection[];
  requiredWorkGroupSize: [number, number, number] | null;
  workGroupSizeHint: [number, number, number] | null;
  /** Bytes of `__local` variables, without arguments. */
  localMemorySize: number;
  hasBarrier: boolean;
  /** What WebGPU lacks and the kernel has all the same, in words. */
  emulated: string[];
  /** `packed`: the kernel's buffers share few bindings, and pointers in memory are packed addresses. */
  bindingModel: 'descriptor' | 'packed';
  windows: number;
  followsPointers: boolean;
  prints: boolean;
  blockSize: number;
  /** The bindings of group 0. */
  bindings: { binding: number; kind: string; source: unknown }[];
  /** All of it (`KernelInfo` of pumice-lower). */
  info: unknown;
}

export class Program {
  readonly diagnostics: Diagnostic[];
  /** The source has no error, and WebGPU can run all of its kernels. */
  readonly ok: boolean;
  /** The OpenCL SPIR-V; no bytes if the source has errors. */
  readonly spirv: Uint8Array;
  /** The kernels that WebGPU can run. */
  readonly kernels: KernelReflection[];
  /** Hidden kernels that give the objects of a C++ program their values. The first launch of a kernel submits them. */
  readonly initializers: KernelReflection[];
  /** The OpenCL SPIR-V as a listing. */
  listing(): string;
  /** The WGSL of a kernel, with work-groups of 64 work-items unless it requires a size. */
  wgsl(kernel: string): string;
  /** The diagnostic of an error that a launch gave; null if the error names no line of the source. */
  explain(error: unknown): Diagnostic | null;
  /** A kernel to launch. */
  kernel(name: string): Kernel;
  /** Frees the compiler's memory for the program. */
  free(): void;
}

export interface Local {
  local: number;
}

export type Scalar = number | bigint | boolean;

/**
 * An argument: a GPUBuffer (with the usages STORAGE, COPY_SRC and COPY_DST), a typed array, or null for a pointer; a number, an array of them, or
 * bytes for a value; `local(bytes)` for a `__local` pointer; an Image, a GPUTexture (with the usages COPY_SRC, and COPY_DST if the kernel writes
 * it) or, for a read_only image, what a canvas shows; `sampler({ … })` for a sampler.
 */
export type Argument =
  | GPUBuffer | ArrayBufferView | ArrayBuffer | null | Scalar | Scalar[] | Local
  | Image | GPUTexture | ExternalImage | Sampler;

/** What `copyExternalImageToTexture` takes. */
export type ExternalImage =
  | ImageBitmap | ImageData | HTMLImageElement | HTMLVideoElement | VideoFrame | HTMLCanvasElement | OffscreenCanvas;

export interface LaunchSettings {
  /** Work-items by dimension. */
  global: number | number[];
  /** The work-group size; chosen without it. */
  local?: number | number[] | null;
  offset?: number | number[] | null;
  args: Argument[];
}

export class Kernel {
  readonly name: string;
  readonly reflection: KernelReflection;
  /** Records a launch in a command encoder. A typed array is copied to a buffer of the launch's own. */
  enqueue(encoder: GPUCommandEncoder, settings: LaunchSettings): Launch;
  /** Launches the kernel, waits, and copies what it wrote into the typed arrays that it was given. Gives the text of printf. */
  run(settings: LaunchSettings): Promise<string>;
}

export class Launch {
  /** The work-group size. */
  readonly local: [number, number, number];
  /** The WGSL of the launch. */
  readonly code: string;
  /** The text of the kernel's printf calls, once the commands were submitted. */
  printed(): Promise<string>;
  /** Destroys the launch's own buffers, once the commands were submitted. */
  destroy(): void;
}
