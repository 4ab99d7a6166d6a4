/** Marks in place of spans of a text, and the spans back: gru_mt/data/text/masking.py. */

import { LITERALS } from "./special.js";
import { size } from "./text.js";

export const ANY_MARK = `[${LITERALS[0]}-${LITERALS.at(-1)}]`;

/** What stands for a literal. */
export const MARK = new RegExp(ANY_MARK, "gu");

/** Return how many marks a text has. */
export function countMarks(text) {
  return text.match(MARK)?.length ?? 0;
}

/** Return spans, ascending, less those that a longer one overlaps, or an equal one before. */
export function disjoint(spans) {
  const length = (span) => size(span.text);
  const kept = [];
  for (const span of [...spans].sort((a, b) => length(b) - length(a) || a.start - b.start)) {
    let place = 0;
    for (let end = kept.length; place < end; ) {
      const middle = (place + end) >> 1;
      if (kept[middle].start <= span.start) place = middle + 1;
      else end = middle;
    }
    const isFree = place === 0 || kept[place - 1].end <= span.start;
    if (isFree && (place === kept.length || span.end <= kept[place].start)) {
      kept.splice(place, 0, span);
    }
  }
  return kept;
}

/**
 * Return {text, literals}: a text with a mark for each of its spans, and what stood there. They
 * are ascending and disjoint; literal i stands where LITERALS[i % 8] does.
 *
 * "a@b.org or c@d.org" -> "\ue010 or \ue011"; the ninth is "\ue010" again.
 */
export function mask(text, spans) {
  let masked = "";
  let end = 0;
  spans.forEach((span, i) => {
    masked += text.slice(end, span.start) + LITERALS[i % LITERALS.length];
    end = span.end;
  });
  return { text: masked + text.slice(end), literals: spans.map((span) => span.text) };
}

/**
 * Return which literal each mark in a text stands for.
 *
 * The j-th LITERALS[k], from 0, stands for literal k + 8 j.
 */
export function literalIndices(text) {
  const next = LITERALS.map((_, k) => k);
  return Array.from(text.matchAll(MARK), ([mark]) => {
    const k = LITERALS.indexOf(mark);
    const index = next[k];
    next[k] += LITERALS.length;
    return index;
  });
}

/** Return a text with its literals in place of marks. A mark without a literal stays. */
export function restore(text, literals) {
  const indices = literalIndices(text).values();
  return text.replace(MARK, (mark) => literals[indices.next().value] ?? mark);
}
