/**
 * Products of weights with vectors, in int8 as gru_mt/onnx_export/int8.py has them, or in fp32.
 *
 * Shapes: R rows, I inputs, O outputs.
 */

const MOST_ROWS = 16; // of one call of the kernel
const PAGE = 65_536; // bytes, of which WebAssembly's memory is made
const SPARE = 64; // bytes that the kernel may read after the last weights

/** Return a size in bytes that the next array can begin at. */
const aligned = (bytes) => (bytes + 15) & ~15;

/**
 * The memory of all int8 weights, and the product over it: the kernel's, or plain JavaScript's.
 *
 * `weights` are the bytes that write.py put together, and `linears` says where in them each is:
 * {precision, outputs, inputs, weight, scale, bias}, offsets in bytes; there may be no bias: null.
 */
export class Arithmetic {
  constructor(weights, linears, memory, kernel) {
    const buffer = memory ? memory.buffer : new ArrayBuffer(memorySize(linears));
    this.int8 = new Int8Array(buffer);
    this.int16 = new Int16Array(buffer);
    this.float32 = new Float32Array(buffer);
    this.kernel = kernel;
    this.weights = weights;
    this.linears = linears;
    this.end = 0;
    const outputs = largest(linears, (each) => each.outputs);
    this.zeros = this.allocate(4 * outputs + SPARE);
    this.factor = this.allocate(4 * MOST_ROWS);
    this.x = this.allocate(2 * MOST_ROWS * aligned(largest(linears, (each) => each.inputs)));
    this.y = this.allocate(4 * MOST_ROWS * aligned(outputs));
  }

  /** Return the arithmetic with the kernel of `wasm`, or without where the browser has no SIMD. */
  static async create(weights, linears, wasm) {
    try {
      const memory = new WebAssembly.Memory({ initial: memorySize(linears) / PAGE });
      const { instance } = await WebAssembly.instantiate(wasm, { page: { memory } });
      return new Arithmetic(weights, linears, memory, instance.exports.product);
    } catch {
      return new Arithmetic(weights, linears, null, null);
    }
  }

  /** Return the address of new memory. */
  allocate(bytes) {
    const start = this.end;
    this.end = aligned(start + bytes);
    return start;
  }

  /** Return the linear layer of this name; null where the model has none. */
  linear(name) {
    const found = this.linears[name];
    if (!found) return null;
    return found.precision === "int8"
      ? new Int8Linear(this, found)
      : new Float32Linear(this, found);
  }

  /** Return a copy of fp32 numbers of the file. */
  numbers(offset, count) {
    return new Float32Array(this.weights.slice(offset, offset + 4 * count));
  }
}

/** Return the largest of a size of all layers. */
const largest = (linears, size) =>
  Object.values(linears).reduce((most, each) => Math.max(most, size(each)), 0);

/** Return how much memory all layers and the scratch space take: whole pages of WebAssembly's. */
function memorySize(linears) {
  const sizes = Object.values(linears).flatMap(({ outputs, inputs }) => [
    outputs * (inputs + 8) + SPARE,
    2 * (4 * outputs + SPARE),
  ]);
  const scratch = [
    4 * largest(linears, ({ outputs }) => outputs) + SPARE,
    4 * MOST_ROWS,
    2 * MOST_ROWS * aligned(largest(linears, ({ inputs }) => inputs)),
    4 * MOST_ROWS * aligned(largest(linears, ({ outputs }) => outputs)),
  ];
  const bytes = [...sizes, ...scratch].reduce((sum, size) => sum + size + 48, 0);
  return PAGE * Math.ceil(bytes / PAGE);
}

/** A linear layer: `of` of its two kinds returns weight x + bias. */
class Linear {
  #buffer = new Float32Array(0);

  /** Return y_RO of x_RI, which the next call overwrites. */
  once(x, rows) {
    const size = rows * this.outputs;
    if (this.#buffer.length < size) this.#buffer = new Float32Array(size);
    return this.of(x, rows, this.#buffer.subarray(0, size));
  }
}

/** With int8 weights and inputs: each row of both has a scale of its own. */
class Int8Linear extends Linear {
  constructor(arithmetic, { outputs, inputs, weight, scale, bias }) {
    super();
    Object.assign(this, { arithmetic, outputs, inputs, width: (inputs + 7) & ~7 });
    const { int8, float32 } = arithmetic;
    this.weight = arithmetic.allocate(outputs * this.width + SPARE);
    const read = new Int8Array(arithmetic.weights, weight, outputs * inputs);
    for (let o = 0; o < outputs; o++) {
      int8.set(read.subarray(o * inputs, (o + 1) * inputs), this.weight + o * this.width);
    }
    this.scale = arithmetic.allocate(4 * outputs + SPARE);
    float32.set(arithmetic.numbers(scale, outputs), this.scale / 4);
    this.bias = bias === null ? arithmetic.zeros : arithmetic.allocate(4 * outputs + SPARE);
    if (bias !== null) float32.set(arithmetic.numbers(bias, outputs), this.bias / 4);
  }

  /** Return the layer of the outputs from `start` to the one before `end`. */
  slice(start, end) {
    const part = Object.assign(Object.create(Int8Linear.prototype), this);
    part.outputs = end - start;
    part.weight += start * this.width;
    part.scale += 4 * start;
    part.bias += this.bias === this.arithmetic.zeros ? 0 : 4 * start;
    return part;
  }

  /** Return row o of the weights, as fp32. */
  row(o) {
    const { int8, float32 } = this.arithmetic;
    const start = this.weight + o * this.width;
    const scale = float32[this.scale / 4 + o];
    return Float32Array.from(int8.subarray(start, start + this.inputs), (each) => each * scale);
  }

  /** Return y_RO of x_RI, written into an array that the caller may give. */
  of(x, rows, y = new Float32Array(rows * this.outputs)) {
    for (let first = 0; first < rows; first += MOST_ROWS) {
      this.some(x, first, Math.min(MOST_ROWS, rows - first), y);
    }
    return y;
  }

  some(x, first, count, y) {
    const { arithmetic, outputs, inputs, width } = this;
    for (let r = 0; r < count; r++) {
      quantise(arithmetic, x.subarray((first + r) * inputs, (first + r + 1) * inputs), r, width);
    }
    const product = arithmetic.kernel ?? plainProduct(arithmetic);
    const { x: x16, factor, y: written } = arithmetic;
    product(this.weight, this.scale, this.bias, x16, factor, written, count, width, outputs);
    const stride = (outputs + 3) & ~3;
    for (let r = 0; r < count; r++) {
      const start = written / 4 + r * stride;
      y.set(arithmetic.float32.subarray(start, start + outputs), (first + r) * outputs);
    }
  }
}

/** Write a row as whole numbers from -127 to 127, and the factor that made them so large. */
function quantise({ int16, float32, x, factor }, row, r, width) {
  let largest = 1e-30;
  for (let i = 0; i < row.length; i++) largest = Math.max(largest, Math.abs(row[i]));
  const scaled = Math.fround(127 / largest);
  const start = x / 2 + r * width;
  const half = 1.5 * 2 ** 52; // adding it rounds, and a half goes to the even neighbour
  for (let i = 0; i < row.length; i++)
    int16[start + i] = Math.fround(row[i] * scaled) + half - half;
  int16.fill(0, start + row.length, start + width);
  float32[factor / 4 + r] = scaled;
}

/** Return what kernel.wat computes, in plain JavaScript. */
function plainProduct({ int8, int16, float32 }) {
  return (weight, scale, bias, x, factor, y, rows, inputs, outputs) => {
    const stride = (outputs + 3) & ~3;
    for (let o = 0; o < outputs; o++) {
      const start = weight + o * inputs;
      for (let r = 0; r < rows; r++) {
        const read = x / 2 + r * inputs;
        let sum = 0;
        for (let i = 0; i < inputs; i++) sum += int8[start + i] * int16[read + i];
        const scaled = Math.fround(sum / float32[factor / 4 + r]) * float32[scale / 4 + o];
        float32[y / 4 + r * stride + o] = Math.fround(scaled) + float32[bias / 4 + o];
      }
    }
  };
}

/** In fp32, to compare with Python. */
class Float32Linear extends Linear {
  constructor(arithmetic, { outputs, inputs, weight, bias }) {
    super();
    Object.assign(this, { outputs, inputs });
    this.weight = arithmetic.numbers(weight, outputs * inputs);
    this.bias = bias === null ? new Float32Array(outputs) : arithmetic.numbers(bias, outputs);
  }

  /** Return the layer of the outputs from `start` to the one before `end`. */
  slice(start, end) {
    const part = Object.assign(Object.create(Float32Linear.prototype), this);
    part.outputs = end - start;
    part.weight = this.weight.subarray(start * this.inputs, end * this.inputs);
    part.bias = this.bias.subarray(start, end);
    return part;
  }

  /** Return row o of the weights. */
  row(o) {
    return this.weight.subarray(o * this.inputs, (o + 1) * this.inputs);
  }

  /** Return y_RO of x_RI, written into an array that the caller may give. */
  of(x, rows, y = new Float32Array(rows * this.outputs)) {
    const { outputs, inputs, weight, bias } = this;
    for (let r = 0; r < rows; r++) {
      for (let o = 0; o < outputs; o++) {
        let sum = bias[o];
        for (let i = 0; i < inputs; i++) sum += weight[o * inputs + i] * x[r * inputs + i];
        y[r * outputs + o] = sum;
      }
    }
    return y;
  }
}
