/**
 * One step of each recurrent cell, beside its equations: see gru_mt/model/cells.py, which this
 * mirrors.
 *
 * Shapes: R rows, H hidden units, G rows of stacked gates, Z features of the state.
 */

const sigmoid = (a) => 1 / (1 + Math.exp(-a));

/**
 * By the name of each cell: `gates` blocks of H rows in G, `states` blocks of H features in Z, and
 * `advance(input_RG, state_RZ, linear, rows)`, which returns the next state_RZ; `linear` is the
 * layer that multiplies the state.
 */
export const CELLS = {
  // h' = tanh(W x + U h + b)
  rnn: {
    gates: 1,
    states: 1,
    advance: (input, state, linear, rows) =>
      linear.once(state, rows).map((recurrent, k) => Math.tanh(input[k] + recurrent)),
  },
  // h' = max(0, W x + U h + b)
  rnn_relu: {
    gates: 1,
    states: 1,
    advance: (input, state, linear, rows) =>
      linear.once(state, rows).map((recurrent, k) => Math.max(0, input[k] + recurrent)),
  },
  // u = sigma(W_u x + U_u h + b_u), n = tanh(W_c x + U_c h + b_c), h' = u * n + (1 - u) * h
  gru_update: {
    gates: 2,
    states: 1,
    advance(input, state, linear, rows) {
      const recurrent = linear.once(state, rows);
      return byUnit(state, rows, 2, (h, g, size) => {
        const update = sigmoid(input[g] + recurrent[g]);
        const candidate = Math.tanh(input[g + size] + recurrent[g + size]);
        return h + update * (candidate - h);
      });
    },
  },
  // r, z = sigma(W x + U h + b), n = tanh(W x + U (r * h) + b), h' = (1 - z) * n + z * h
  gru_reset_before: {
    gates: 3,
    states: 1,
    advance(input, state, linear, rows) {
      const size = state.length / rows;
      const gates = linear.slice(0, 2 * size).of(state, rows);
      const reset = state.map((h, k) => {
        const row = Math.floor(k / size);
        return h * sigmoid(input[k + 2 * size * row] + gates[k + size * row]);
      });
      const recurrent = linear.slice(2 * size, 3 * size).of(reset, rows);
      return byUnit(state, rows, 3, (h, g, size, row, unit) => {
        const update = sigmoid(input[g + size] + gates[2 * size * row + size + unit]);
        const candidate = Math.tanh(input[g + 2 * size] + recurrent[size * row + unit]);
        return candidate + update * (h - candidate);
      });
    },
  },
  // r, z as above, n = tanh(W x + b_input + r * (U h + b_state)), h' = (1 - z) * n + z * h
  gru: {
    gates: 3,
    states: 1,
    advance(input, state, linear, rows) {
      const recurrent = linear.once(state, rows);
      return byUnit(state, rows, 3, (h, g, size) => {
        const reset = sigmoid(input[g] + recurrent[g]);
        const update = sigmoid(input[g + size] + recurrent[g + size]);
        const candidate = Math.tanh(input[g + 2 * size] + reset * recurrent[g + 2 * size]);
        return candidate + update * (h - candidate);
      });
    },
  },
  // i, f, o = sigma(W x + U h + b), g = tanh(W_g x + U_g h + b_g), c' = f * c + i * g,
  // h' = o * tanh(c'). Stacked: i, f, g, o. The state is h, and c after it.
  lstm: {
    gates: 4,
    states: 2,
    advance(input, state, linear, rows) {
      const size = state.length / rows / 2;
      const recurrent = linear.once(firstPart(state, rows, size), rows);
      const next = new Float32Array(state.length);
      for (let row = 0; row < rows; row++) {
        for (let unit = 0; unit < size; unit++) {
          const g = row * 4 * size + unit;
          const k = row * 2 * size + unit;
          const gate = (n) => input[g + n * size] + recurrent[g + n * size];
          const memory = sigmoid(gate(1)) * state[k + size] + sigmoid(gate(0)) * Math.tanh(gate(2));
          next[k] = sigmoid(gate(3)) * Math.tanh(memory);
          next[k + size] = memory;
        }
      }
      return next;
    },
  },
};

/** Return the next state by `advance(h, g, size, row, unit)`: g is the unit in the first gate. */
function byUnit(state, rows, gates, advance) {
  const size = state.length / rows;
  const next = new Float32Array(state.length);
  for (let row = 0; row < rows; row++) {
    for (let unit = 0; unit < size; unit++) {
      const k = row * size + unit;
      next[k] = advance(state[k], row * gates * size + unit, size, row, unit);
    }
  }
  return next;
}

/** Return the first `size` features of each row: of a state what other layers read. */
export function firstPart(state, rows, size) {
  const width = state.length / rows;
  if (width === size) return state;
  const part = new Float32Array(rows * size);
  for (let row = 0; row < rows; row++) {
    part.set(state.subarray(row * width, row * width + size), row * size);
  }
  return part;
}
