/**
 * Search for the best translations of one sentence: gru_mt/inference/search.py, constraints.py and
 * `Incremental.likeliest`.
 *
 * Shapes: R live hypotheses, V target vocabulary, K continuations of each.
 */

import { EOS, BOS, PLACEHOLDER_IDS, FIRST_OTHER } from "../tokenizer/special.js";

const LATE = 3; // nats that a hypothesis costs which would end without what it requires

/**
 * What a search carries from token to token: the decoder's states, and of each live hypothesis
 * what attention read so far and which placeholders it still requires.
 */
class BeamState {
  constructor(states, read, required) {
    Object.assign(this, { states, read, required });
  }

  /** Return the state of the hypotheses that `rows` names; it may repeat some. */
  select(rows) {
    const count = this.required.length;
    const states = this.states.map((state) => {
      const size = state.length / count;
      const picked = new Float32Array(rows.length * size);
      rows.forEach((row, n) => picked.set(state.subarray(row * size, (row + 1) * size), n * size));
      return picked;
    });
    return new BeamState(
      states,
      rows.map((row) => this.read[row]),
      rows.map((row) => this.required[row]),
    );
  }
}

/**
 * Return what a search begins with, for a source of these ids, and its step function:
 * `step(lastIds, state, room, count)` returns {logProbs, ids, state} with the K likeliest next
 * tokens of each hypothesis, where `room` is how many tokens may still be written.
 */
export function copyingModel(model, ids) {
  const source = model.encode(ids);
  const required = PLACEHOLDER_IDS.map((token) => ids.filter((id) => id === token).length);
  const start = new BeamState(source.states, [null], [required]);

  function step(lastIds, state, room, count) {
    const rows = lastIds.length;
    const { readout, states, weights } = model.step(lastIds, state.states, source);
    const logits = model.logits(readout, rows);
    const size = logits.length / rows;
    const found = lastIds.map((_, r) =>
      likeliest(logits.subarray(r * size, (r + 1) * size), count),
    );
    const required = state.required.map((counts, r) =>
      counts.map((left, m) => left - (lastIds[r] === PLACEHOLDER_IDS[m] ? 1 : 0)),
    );
    found.forEach(({ logProbs }, r) => {
      applyRules(logProbs, required[r], room);
      if (lastIds[r] === BOS) logProbs[0] = -Infinity; // no translation is empty
    });
    const read = state.read.map((before, r) => {
      const weight = weights.subarray(r * source.length, (r + 1) * source.length);
      return { before, weight };
    });
    return {
      logProbs: found.map((each) => each.logProbs),
      ids: found.map((each) => each.ids),
      state: new BeamState(states, read, required),
    };
  }

  return { start, step };
}

/** Return the weights of each step, first to last; null where the model has no attention. */
export function attentionOf(read) {
  const rows = [];
  for (let each = read; each; each = each.before) rows.unshift(each.weight);
  return rows.length && rows[0].length ? rows : null;
}

/**
 * Return {logProbs, ids}: <eos>, the placeholders and the `count` likeliest others of logits_V.
 */
export function likeliest(logits, count) {
  let most = -Infinity;
  for (let v = EOS; v < logits.length; v++) if (logits[v] > most) most = logits[v];
  let sum = 0;
  for (let v = EOS; v < logits.length; v++) sum += Math.exp(logits[v] - most);
  const total = most + Math.log(sum);
  const best = []; // of the others, the likeliest first
  for (let v = FIRST_OTHER; v < logits.length; v++) {
    if (best.length === count && logits[v] <= logits[best[count - 1]]) continue;
    let position = best.length;
    while (position && logits[best[position - 1]] < logits[v]) position--;
    best.splice(position, 0, v);
    if (best.length > count) best.pop();
  }
  const ids = [EOS, ...PLACEHOLDER_IDS, ...best];
  return { logProbs: ids.map((id) => logits[id] - total), ids };
}

/**
 * Change the log-probabilities of `likeliest` by the rules for placeholders, with which every
 * translation has each placeholder exactly as often as its source. One that is not required is
 * impossible. While one is required, <eos> is impossible, and its probability goes to the required
 * ones in proportion to their own; where it is the likeliest, all lose LATE. With room only for
 * these and <eos>, these are written.
 */
export function applyRules(logProbs, required, room) {
  const placeholders = required.map((_, m) => m + 1); // their columns; <eos> has the first
  for (const k of placeholders) if (required[k - 1] === 0) logProbs[k] = -Infinity;
  const left = required.reduce((sum, each) => sum + each, 0);
  if (left === 0) return;
  const wantsEnd = logProbs.every((each) => each <= logProbs[0]);
  const both = (columns) => logSumExp(columns.map((k) => logProbs[k]));
  const more = both([0, ...placeholders]) - both(placeholders);
  for (const k of placeholders) logProbs[k] += more;
  logProbs[0] = -Infinity;
  if (wantsEnd) logProbs.forEach((each, k) => (logProbs[k] = each - LATE));
  if (room <= left + 1) logProbs.fill(-Infinity, 1 + placeholders.length);
}

function logSumExp(values) {
  const most = Math.max(...values);
  return most + Math.log(values.reduce((sum, each) => sum + Math.exp(each - most), 0));
}

/**
 * Return the sequences found, best first: {ids, logProb, score, lowest, ended, coverage, attention}
 * each, as `Hypothesis` in search.py has them, and attention's weights of each step.
 *
 * `margin` drops continuations that are more than so many nats below the best one. `pause` is
 * awaited before each step: it may throw, which ends the search.
 */
export async function beamSearch({ start, step }, limit, decoding, margin, pause) {
  const found = [];
  let live = [{ ids: [], logProb: 0, lowest: Infinity }];
  let state = start;
  for (let length = 1; live.length; length++) {
    await pause();
    const width = decoding.beam_size - found.length;
    const lastIds = live.map(({ ids }) => ids.at(-1) ?? BOS);
    const next = step(lastIds, state, limit - length + 1, width);
    const chosen = choose(live, next, width, margin);
    const open = [];
    for (const each of chosen) {
      const ended = each.ids.at(-1) === EOS;
      if (ended || length >= limit) found.push(finished(each, ended, next.state, decoding));
      else open.push(each);
    }
    live = open;
    state = next.state.select(open.map(({ row }) => row));
  }
  return found.sort((a, b) => b.score - a.score);
}

/** Return the `width` best continuations of all that are possible, those within the margin. */
function choose(live, { logProbs, ids }, width, margin) {
  const possible = live.flatMap((hypothesis, row) =>
    ids[row].flatMap((id, k) => {
      const logProb = hypothesis.logProb + logProbs[row][k];
      return logProb > -Infinity ? [{ row, id, logProb, own: logProbs[row][k] }] : [];
    }),
  );
  possible.sort((a, b) => b.logProb - a.logProb);
  return possible
    .slice(0, width)
    .filter(({ logProb }) => logProb >= possible[0].logProb - margin)
    .map(({ row, id, logProb, own }) => ({
      row,
      logProb,
      ids: [...live[row].ids, id],
      lowest: Math.min(live[row].lowest, own),
    }));
}

function finished({ row, ids, logProb, lowest }, ended, state, decoding) {
  const attention = attentionOf(state.read[row]);
  const readOf = (_, s) => attention.reduce((sum, weights) => sum + weights[s], 0);
  return {
    ids: ended ? ids.slice(0, -1) : ids,
    logProb,
    score: logProb / ids.length ** decoding.length_penalty,
    lowest,
    ended,
    coverage: attention && Array.from(attention[0], readOf),
    attention,
  };
}
