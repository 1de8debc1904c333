// The bytes of kernel arguments: numbers and vectors by the names of OpenCL C's types.

/** Bytes, and how a DataView writes a number of them. */
const SCALARS = {
  bool: [1, 'setUint8'],
  char: [1, 'setInt8'],
  uchar: [1, 'setUint8'],
  short: [2, 'setInt16'],
  ushort: [2, 'setUint16'],
  int: [4, 'setInt32'],
  uint: [4, 'setUint32'],
  size_t: [4, 'setUint32'],
  ptrdiff_t: [4, 'setInt32'],
  intptr_t: [4, 'setInt32'],
  uintptr_t: [4, 'setUint32'],
  long: [8, 'setBigInt64'],
  ulong: [8, 'setBigUint64'],
  half: [2, null],
  float: [4, 'setFloat32'],
  double: [8, 'setFloat64'],
};

/** The names with `unsigned` in front, and without `int`. */
function plainName(type) {
  const name = type.replace(/\b(const|volatile|signed)\b/g, '').trim().replace(/\s+/g, ' ');
  const unsigned = /^unsigned( char| short| int| long)?$/.exec(name);
  if (unsigned) return `u${(unsigned[1] ?? ' int').trim()}`;
  return name;
}

/** The half with the value nearest to a number, as bits. */
function halfBits(value) {
  const single = new Uint32Array(new Float32Array([value]).buffer)[0];
  const sign = (single >>> 16) & 0x8000;
  const magnitude = single & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00;
  const absolute = Math.abs(value);
  if (absolute >= 65520) return sign | 0x7c00;
  if (absolute < 2 ** -14) return sign | roundToEven(absolute * 2 ** 24);
  const exponent = (magnitude >>> 23) - 127;
  const fraction = roundToEven((absolute / 2 ** exponent - 1) * 1024);
  return sign | (((exponent + 15) << 10) + fraction);
}

function roundToEven(value) {
  const below = Math.floor(value);
  const rest = value - below;
  return below + (rest > 0.5 || (rest === 0.5 && below % 2 === 1) ? 1 : 0);
}

/**
 * The bytes of a value argument.
 *
 * `value` is a number, a bigint, a boolean, an array of them for a vector, or bytes (a typed array or an ArrayBuffer) for a structure.
 */
export function valueBytes(type, size, value) {
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) {
    const bytes = value instanceof ArrayBuffer
      ? new Uint8Array(value)
      : new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    // A vector of three lanes has the size of four.
    if (bytes.length !== size && !(bytes.length * 4 === size * 3)) {
      throw new TypeError(`${bytes.length} bytes for an argument of type '${type}', which has ${size}`);
    }
    const whole = new Uint8Array(size);
    whole.set(bytes);
    return whole;
  }
  const parts = /^([a-z_]+?)(2|3|4|8|16)?$/.exec(plainName(type));
  const scalar = parts && SCALARS[parts[1]];
  if (!scalar) throw new TypeError(`an argument of type '${type}' is given as bytes (a typed array or an ArrayBuffer)`);
  const lanes = Number(parts[2] ?? 1);
  const numbers = Array.isArray(value) ? value : [value];
  if (numbers.length !== lanes) throw new TypeError(`${numbers.length} numbers for an argument of type '${type}'`);
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  const [width, method] = scalar;
  numbers.forEach((number, lane) => {
    if (!['number', 'bigint', 'boolean'].includes(typeof number)) {
      throw new TypeError(`a ${typeof number} for an argument of type '${type}'`);
    }
    const at = lane * width;
    if (method === null) view.setUint16(at, halfBits(Number(number)), true);
    else if (method.startsWith('setBig')) view[method](at, BigInt(number), true);
    else if (width < 8) view[method](at, Number(number), true);
    else view[method](at, Number(number), true);
  });
  return bytes;
}
