/**
 * Search for the best translations of one sentence: gru_mt/inference/search.py, constraints.py and
 * `Incremental.likeliest`.
 *
 * Shapes: R live hypotheses, V target vocabulary, K continuations of each.
 */

import { EOS, BOS, PLACEHOLDER_IDS, FIRST_OTHER } from "../tokenizer/special.js";

const LATE = 3; // nats that a hypothesis costs which would end without what it requires

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
 * Return the sequences found for a source of these ids, best first: {ids, logProb, score, lowest,
 * ended, coverage, attention} each, as `Hypothesis` in search.py has them, and attention's weights
 * of each step.
 *
 * `margin` drops continuations that are more than so many nats below the best one. `pause` is
 * awaited before each step: it may throw, which ends the search.
 */
export async function beamSearch(model, ids, limit, decoding, margin, pause) {
  const source = model.encode(ids);
  const required = PLACEHOLDER_IDS.map((token) => ids.filter((id) => id === token).length);
  const found = [];
  let live = [{ ids: [], logProb: 0, lowest: Infinity, read: null, required }];
  let { states } = source;
  for (let room = limit; live.length; room--) { // tokens that may still be written
    await pause();
    const width = decoding.beam_size - found.length;
    const lastIds = live.map((hypothesis) => hypothesis.ids.at(-1) ?? BOS);
    const next = model.step(lastIds, states, source);
    const logits = model.output.once(next.readout, live.length); // which the next call overwrites
    const possible = live.flatMap((hypothesis, row) => {
      const required = hypothesis.required.map(
        (left, m) => left - (lastIds[row] === PLACEHOLDER_IDS[m] ? 1 : 0),
      );
      const { logProbs, ids } = likeliest(rowOf(logits, row, live.length), width);
      applyRules(logProbs, required, room);
      if (lastIds[row] === BOS) logProbs[0] = -Infinity; // no translation is empty
      const read = { before: hypothesis.read, weight: rowOf(next.weights, row, live.length) };
      return ids.map((id, k) => ({
        ...{ row, read, required, ids: [...hypothesis.ids, id] },
        logProb: hypothesis.logProb + logProbs[k],
        lowest: Math.min(hypothesis.lowest, logProbs[k]),
      }));
    });
    const best = possible.filter(({ logProb }) => logProb > -Infinity);
    best.sort((a, b) => b.logProb - a.logProb);
    const open = [];
    for (const each of best.slice(0, width)) {
      if (each.logProb < best[0].logProb - margin) break;
      const ended = each.ids.at(-1) === EOS;
      if (ended || room <= 1) found.push(finished(each, ended, decoding));
      else open.push(each);
    }
    states = next.states.map((state) => {
      const size = state.length / live.length;
      const picked = new Float32Array(open.length * size);
      open.forEach(({ row }, n) => picked.set(rowOf(state, row, live.length), n * size));
      return picked;
    });
    live = open;
  }
  return found.sort((a, b) => b.score - a.score);
}

/** Return one of the `count` rows of an array. */
function rowOf(array, row, count) {
  const size = array.length / count;
  return array.subarray(row * size, (row + 1) * size);
}

function finished({ ids, logProb, lowest, read }, ended, decoding) {
  const attention = attentionOf(read);
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
