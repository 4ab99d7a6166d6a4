/** Find what a translation copies as it is: gru_mt/data/text/placeholders.py. */

import { CLOCK, CODE, FORMATS, SIGNS, SUM } from "./formats.js";
import { LITERALS } from "./special.js";
import { ANY_LETTER, HAS_DIGIT, pattern, size, strip, stripStart, WORD } from "./text.js";

// What every literal has some of, and most sentences do not: quick.
const TRIGGERS = new RegExp(
  pattern`[^\s\w\m,.!?'"’“”„«»()…:;。，！？、–\-] | [\d_\ufe0f] | [.:;\(][^\s.] | [xX]D
    | [IVXLCDM]{2} | [a-z][A-Z] | [a-f]{8} | \s-
    | \u00b2 | \u00b3 | \u00b9 | [\u00bc-\u00be\u2070-\u2189]
    | (?: SELECT | UPDATE | INSERT | DELETE | CREATE | import )\s`,
  "u",
);
const CHUNK = new RegExp(pattern`[^\s${LITERALS[0]}-${LITERALS.at(-1)}]+`, "gu");
const SIGN_RUNS = new RegExp(pattern`\} | (?: (?!\})[${SIGNS}] )+`, "gu"); // each } closes its own {
const EVERY_PART = new RegExp(WORD, "gu");
const OUTER = "\"'“”„‘’«»(),.;:!?…"; // marks of a sentence around a word
const ENDING_MARKS = ".,;:!?";
const IS_NUMERIC = new RegExp(ANY_LETTER, "u"); // a superscript or a fraction, if it is a sign

/**
 * Return what a translation of `text` copies, as spans {start, end, text}, ascending.
 *
 * Of numbers, and of words with digits, it is those with three digits or more, prices and
 * percentages, and words that begin with a letter, as A4 and COVID-19; but no clock time:
 * "Call 555-1234 at 10:30" -> [{start: 5, end: 13, text: "555-1234"}].
 *
 * Signs are copied too, and with them a word that they join: "*so* r/ab" has *, * and r/ab. Only
 * where training `knows` all parts it has the signs alone: the / of "he/she".
 */
export function findLiterals(text, knows = null) {
  if (!TRIGGERS.test(text)) return [];
  if (CODE.test(text)) {
    const start = text.length - stripStart(text).length;
    const code = strip(text);
    return [{ start, end: start + code.length, text: code }];
  }
  const isInCapitals = text === text.toUpperCase();
  const spans = [...text.matchAll(FORMATS)]
    .filter(({ groups }) => !(isInCapitals && groups.roman) && !isModels(groups.digits))
    .map(({ 0: found, index }) => ({ start: index, end: index + found.length, text: found }));
  if (text.search(SIGN_RUNS) < 0) return spans;
  const rest = masked(text, spans);
  const found = [...rest.matchAll(CHUNK)].flatMap(({ 0: chunk, index }) =>
    withSigns(chunk, knows).map(([first, last]) => {
      return { start: index + first, end: index + last, text: chunk.slice(first, last) };
    }),
  );
  return [...spans, ...found].sort((a, b) => a.start - b.start);
}

/** Return a text with a mark in place of each character of its spans. */
function masked(text, spans) {
  const parts = spans.map(({ start, end }, n) => {
    const before = text.slice(spans[n - 1]?.end ?? 0, start);
    return before + LITERALS[0].repeat(end - start);
  });
  return parts.join("") + text.slice(spans.at(-1)?.end ?? 0);
}

/** Return whether a number, or a word with digits, is left to the model; undefined is none. */
function isModels(found) {
  if (!found) return false;
  const digits = found.match(/\p{Nd}/gu)?.length ?? 0;
  const isFew = digits < (/^\p{L}/u.test(found) ? 1 : 3) && !SUM.test(found);
  return isFew || CLOCK.test(found);
}

/** Return what is copied of some characters without a space: where each begins and ends. */
function withSigns(chunk, knows) {
  const signs = [...chunk.matchAll(SIGN_RUNS)].map(({ 0: run, index }) => {
    return [index, index + run.length];
  });
  if (signs.length === 0) return [];
  const found = chunk.match(EVERY_PART) ?? [];
  const hasDigit = HAS_DIGIT.test(chunk);
  if (found.length === 0 && !hasDigit) return [[0, endBefore(chunk, ENDING_MARKS) || chunk.length]];
  const first = startAfter(chunk, OUTER);
  const last = endBefore(chunk, OUTER);
  const left = signs[0][0] === first ? signs[0][1] : first;
  const right = signs.at(-1)[1] === last ? signs.at(-1)[0] : last;
  let isWhole;
  if (signs.some(([start, end]) => left <= start && end <= right)) {
    const areKnown = knows !== null && found.every((word) => size(word) > 1 && knows(word));
    isWhole = hasDigit || !areKnown;
  } else {
    // C#, ^d+$ and /ɪ/, but *a* and *so*
    const isShort = right < last && found.every((word) => size(word) === 1);
    isWhole = isShort && chunk.slice(first, left) !== chunk.slice(right, last);
    isWhole ||= knows !== null && !found.some((word) => knows(word));
  }
  isWhole ||= signs.some(([start, end]) => IS_NUMERIC.test(chunk.slice(start, end)));
  return isWhole ? [[first, last]] : signs;
}

/** Return where a text begins after some of `marks`. */
function startAfter(text, marks) {
  let start = 0;
  while (start < text.length && marks.includes(text[start])) start++;
  return start;
}

/** Return where a text ends before some of `marks`. */
function endBefore(text, marks) {
  let end = text.length;
  while (end > 0 && marks.includes(text[end - 1])) end--;
  return end;
}
