/**
 * The encoder and a step of the decoder, of one sentence: gru_mt/model/recurrent.py, attention.py,
 * seq2seq.py and incremental.py, without training.
 *
 * Shapes: S source tokens, R live hypotheses, E embedding, H decoder units, Z state of a layer, C
 * encoder units (both directions), G rows of stacked gates, V target vocabulary, X rows of all
 * weights that read the context.
 */

import { CELLS, firstPart } from "./cells.js";

const EMBEDDING_SCALE = 2;

/** A translation model. */
export class Model {
  /** Take the metadata of write.py (cell, layers, directions, attention) and an `Arithmetic`. */
  constructor(metadata, arithmetic) {
    Object.assign(this, metadata);
    const linear = (name) => arithmetic.linear(name);
    this.targetEmbedding = linear("target_embedding");
    this.output = linear("output") ?? this.targetEmbedding;
    this.sourceEmbedding = linear("source_embedding") ?? this.targetEmbedding;
    this.encoder = Array.from({ length: this.encoderLayers * this.directions }, (_, k) => ({
      input: linear(`encoder.${k}.input`),
      state: linear(`encoder.${k}.state`),
    }));
    this.key = linear("attention.key");
    this.query = linear("attention.query");
    this.score = linear("attention.score");
    this.bridge = linear("bridge");
    this.token = linear("decoder.0.token");
    this.source = linear("decoder.0.source");
    this.decoder = Array.from({ length: this.decoderLayers }, (_, l) => ({
      below: linear(`decoder.${l}.below`),
      state: linear(`decoder.${l}.state`),
    }));
    this.value = linear("value");
    this.readout = linear("readout");
    const { gates, states } = CELLS[this.cell];
    this.size = this.decoder[0].state.outputs / gates;
    this.stateSize = states * this.size;
  }

  /**
   * Return what the decoder reads of a source that is closed by <eos>, and its first states:
   * {length, key_SH, value_SX, input_G, states}, where states has state_Z of each layer.
   */
  encode(ids) {
    const length = ids.length;
    let x = embed(this.sourceEmbedding, ids);
    let last = null;
    for (let layer = 0; layer < this.encoderLayers; layer++) {
      const first = layer * this.directions;
      const ways = this.encoder.slice(first, first + this.directions);
      const outputs = ways.map((way, k) => this.#run(way, x, length, k === 1));
      const size = outputs[0].length / length;
      last = sideBySide(
        [at(outputs[0], length - 1, size), ...outputs.slice(1).map((each) => at(each, 0, size))],
        1,
      );
      x = sideBySide(outputs, length);
    }
    const { value, source } = this;
    return {
      length,
      key: this.key ? this.key.of(x, length) : x,
      value: value && value.of(x, length),
      input: source && source.of(last, 1),
      states: this.#firstStates(last),
    };
  }

  /** Return output_SH of one direction of a layer over x_SI. */
  #run({ input, state }, x, length, isBack) {
    const { states, advance } = CELLS[this.cell];
    const projected = input.once(x, length);
    const size = state.inputs;
    const output = new Float32Array(length * size);
    let memory = new Float32Array(states * size);
    for (let step = 0; step < length; step++) {
      const time = isBack ? length - 1 - step : step;
      memory = advance(at(projected, time, input.outputs), memory, state, 1);
      output.set(memory.subarray(0, size), time * size);
    }
    return output;
  }

  /** Return the states in which the decoder's layers begin, of the encoder's last state. */
  #firstStates(last) {
    if (this.bridge) {
      const all = this.bridge.of(last, 1).map(Math.tanh);
      return this.decoder.map((_, layer) => at(all, layer, this.stateSize));
    }
    return this.decoder.map(() => {
      const state = new Float32Array(this.stateSize); // of an LSTM the second half is zero
      state.set(last);
      return state;
    });
  }

  /**
   * Return {readout, states, weights}: readout_RE after the tokens lastIds, which `output` takes,
   * the next state_RZ of each layer, and attention's weight_RS.
   */
  step(lastIds, states, source) {
    const rows = lastIds.length;
    const { advance } = CELLS[this.cell];
    const input = this.token.once(embed(this.targetEmbedding, lastIds), rows);
    if (source.input) addToEach(input, source.input, rows);
    const next = [advance(input, states[0], this.decoder[0].state, rows)];
    const below = firstPart(next[0], rows, this.size);
    const weights = this.#attend(below, source, rows);
    const context = source.value && weightedSum(weights, source.value, rows, source.length);
    let sum = below;
    let start = 0; // of the part of the context that a layer reads
    for (let layer = 1; layer < this.decoder.length; layer++) {
      const { below: read, state } = this.decoder[layer];
      const projected = read.once(sum, rows);
      if (context) addPart(projected, context, rows, start);
      start += read.outputs;
      next.push(advance(projected, states[layer], state, rows));
      const above = firstPart(next[layer], rows, this.size);
      sum = sum.map((each, k) => each + above[k]);
    }
    if (!this.readout) return { readout: sum, states: next, weights };
    const readout = this.readout.once(sum, rows);
    if (context) addPart(readout, context, rows, start);
    return { readout: readout.map(Math.tanh), states: next, weights };
  }

  /** Return weight_RS of the query_RH over a source's keys; nothing without attention. */
  #attend(queries, { key, length }, rows) {
    if (this.attention === "none") return new Float32Array(0);
    const size = key.length / length;
    const mixed = this.query && this.query.of(queries, rows);
    const scores = new Float32Array(rows * length);
    for (let r = 0; r < rows; r++) {
      for (let s = 0; s < length; s++) {
        scores[r * length + s] = mixed
          ? this.#additive(at(mixed, r, size), at(key, s, size))
          : dot(at(queries, r, size), at(key, s, size));
      }
      softmax(at(scores, r, length));
    }
    return scores;
  }

  /** Return v . tanh(U q + W m) of the products U q and W m (Bahdanau et al. 2015). */
  #additive(query, key) {
    return this.score.of(
      query.map((each, k) => Math.tanh(each + key[k])),
      1,
    )[0];
  }
}

/** Return the scaled rows of an embedding, one after another. */
function embed(embedding, ids) {
  const rows = new Float32Array(ids.length * embedding.inputs);
  ids.forEach((id, n) => {
    rows.set(
      embedding.row(id).map((each) => EMBEDDING_SCALE * each),
      n * embedding.inputs,
    );
  });
  return rows;
}

/** Return row n of rows that are `size` long, without copying it. */
function at(rows, n, size) {
  return rows.subarray(n * size, (n + 1) * size);
}

/** Return [a b] in each row of a and b, and so on: `rows` rows. */
function sideBySide(parts, rows) {
  if (parts.length === 1) return parts[0];
  const sizes = parts.map((part) => part.length / rows);
  const width = sizes.reduce((sum, size) => sum + size, 0);
  const whole = new Float32Array(rows * width);
  for (let row = 0; row < rows; row++) {
    let start = row * width;
    parts.forEach((part, k) => {
      whole.set(at(part, row, sizes[k]), start);
      start += sizes[k];
    });
  }
  return whole;
}

function dot(a, b) {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k] * b[k];
  return sum;
}

/** Make scores to weights that sum to 1. */
function softmax(scores) {
  const most = scores.reduce((a, b) => Math.max(a, b), -Infinity);
  let sum = 0;
  for (let k = 0; k < scores.length; k++) sum += scores[k] = Math.exp(scores[k] - most);
  for (let k = 0; k < scores.length; k++) scores[k] /= sum;
}

/** Return context_RX: the sum of value_SX by weight_RS. */
function weightedSum(weights, values, rows, length) {
  const size = values.length / length;
  const context = new Float32Array(rows * size);
  for (let r = 0; r < rows; r++) {
    for (let s = 0; s < length; s++) {
      const weight = weights[r * length + s];
      for (let k = 0; k < size; k++) context[r * size + k] += weight * values[s * size + k];
    }
  }
  return context;
}

function addToEach(rowsOf, added, rows) {
  for (let r = 0; r < rows; r++) {
    for (let k = 0; k < added.length; k++) rowsOf[r * added.length + k] += added[k];
  }
}

/** Add to each row of `sums` the part of the same row of context_RX that begins at `start`. */
function addPart(sums, context, rows, start) {
  const size = sums.length / rows;
  const width = context.length / rows;
  for (let r = 0; r < rows; r++) {
    for (let k = 0; k < size; k++) sums[r * size + k] += context[r * width + start + k];
  }
}
