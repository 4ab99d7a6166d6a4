/** Replace what a translation copies by placeholder tokens: gru_mt/data/text/placeholders.py. */

import { CLOCK, CODE, FORMATS, SIGNS, SUM } from "./patterns.js";
import { PLACEHOLDER, PLACEHOLDER_TOKENS } from "../tokenizer/special.js";
import { ANY_LETTER, EVERY_WORD, HAS_DIGIT, pattern, size, strip } from "./normalize.js";
import { SPACELESS, stripStart } from "./normalize.js";

// What every placeholder has some of, and most sentences do not: quick.
const TRIGGERS = new RegExp(
  pattern`[^\s\w\m,.!?'"’“”„«»()…:;。，！？、–\-] | [\d_\ufe0f] | [.:;\(][^\s.] | [xX]D
    | [IVXLCDM]{2} | [a-z][A-Z] | [a-f]{8} | \.{5} | \s-
    | \u00b2 | \u00b3 | \u00b9 | [\u00bc-\u00be\u2070-\u2189]
    | (?: SELECT | UPDATE | INSERT | DELETE | CREATE | import )\s`,
  "u",
);
const HAS_UNIT = new RegExp( // 3D, 5kW, 1e-5, 2x4, 5 pm, 3 m: known from "I'm", but as no unit
  pattern`(?!\d[AP]M$)\d(?: [a-zµ]?[A-Z] | e-\d ) | \d${ANY_LETTER}+[^\w]?\d
    | \d\s(?: [apAP]\.?\s?[mM]\.? | [mgls] )$`,
  "u",
);
const CHUNK = new RegExp( // but "big.|5" is of two cells, and "5|He is" too
  pattern`(?: (?! (?<=[.!?…])\| | \|[A-Z][a-z]*\s[a-z] ) [^\s${PLACEHOLDER_TOKENS[0]}-${PLACEHOLDER_TOKENS.at(-1)}] )+ | \|`,
  "gu",
);
const SIGN_RUNS = new RegExp(pattern`\} | (?: (?!\})[${SIGNS}] )+`, "gu"); // each } closes its own {
const OUTER = "\"'“”„‘’«»(),.;:!?…"; // marks of a sentence around a word
const ENDING_MARKS = ".,;:!?";
// A superscript or a fraction, if it is a sign; but after punctuation it is of a footnote.
const NUMERIC = new RegExp(pattern`(?<![.,;:!?"'”’»\)])${ANY_LETTER}`, "uy");

/** Return how many placeholder tokens a text has. */
export function countPlaceholders(text) {
  return text.match(PLACEHOLDER)?.length ?? 0;
}

/** Return spans, ascending, less those that a longer one overlaps, or an equal one before. */
export function disjoint(spans) {
  const length = ({ isDate, start, end, text }) => (isDate ? end - start : size(text));
  const kept = [];
  for (const span of [...spans].sort((a, b) => length(b) - length(a) || a.start - b.start)) {
    let index = 0;
    for (let end = kept.length; index < end; ) {
      const middle = (index + end) >> 1;
      if (kept[middle].start <= span.start) index = middle + 1;
      else end = middle;
    }
    const isFree = index === 0 || kept[index - 1].end <= span.start;
    if (isFree && (index === kept.length || span.end <= kept[index].start)) {
      kept.splice(index, 0, span);
    }
  }
  return kept;
}

/**
 * Return {text, placeholders}: a text with a token for each span, and what stood there. They
 * are ascending and disjoint; placeholder i stands where PLACEHOLDER_TOKENS[i % 8] does.
 *
 * "a@b.org or c@d.org" -> "\ue010 or \ue011"; the ninth is "\ue010" again.
 */
export function mask(text, spans) {
  let masked = "";
  let end = 0;
  spans.forEach((span, i) => {
    masked += text.slice(end, span.start) + PLACEHOLDER_TOKENS[i % PLACEHOLDER_TOKENS.length];
    end = span.end;
  });
  return { text: masked + text.slice(end), placeholders: spans.map((span) => span.text) };
}

/**
 * Return which placeholder each token in a text stands for.
 *
 * The j-th PLACEHOLDER_TOKENS[k], from 0, stands for placeholder k + 8 j.
 */
export function placeholderIndices(text) {
  const next = PLACEHOLDER_TOKENS.map((_, k) => k);
  return Array.from(text.matchAll(PLACEHOLDER), ([token]) => {
    const k = PLACEHOLDER_TOKENS.indexOf(token);
    const index = next[k];
    next[k] += PLACEHOLDER_TOKENS.length;
    return index;
  });
}

/** Return a text with its placeholders in place of tokens. A token without a placeholder stays. */
export function restore(text, placeholders) {
  const indices = placeholderIndices(text).values();
  return text.replace(PLACEHOLDER, (token) => placeholders[indices.next().value] ?? token);
}

/**
 * Return what a translation of `text` copies, as spans {start, end, text}, ascending.
 *
 * Of numbers, and of words with digits, it is those with three digits or more, prices and
 * percentages, and words that begin with a letter, as A4 and COVID-19, or that have letters that
 * no training sentence `knows`, as 5pm; but no clock time: "Call 555-1234 at 10:30" ->
 * [{start: 5, end: 13, text: "555-1234"}].
 *
 * Signs are copied too, and with them a word that they join: "*so* r/ab" has *, * and r/ab. Only
 * where all parts are known it has the signs alone: the / of "he/she".
 */
export function findPlaceholders(text, knows = null) {
  if (!TRIGGERS.test(text)) return [];
  if (CODE.test(text)) {
    const start = text.length - stripStart(text).length;
    const code = strip(text);
    return [{ start, end: start + code.length, text: code }];
  }
  const isInCapitals = text === text.toUpperCase();
  const spans = [...text.matchAll(FORMATS)]
    .filter(({ groups: { roman, digits } }) => {
      return !(isInCapitals && roman) && !isModels(digits, knows, isInCapitals);
    })
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

/** Return a text with a token in place of each character of its spans. */
function masked(text, spans) {
  const parts = spans.map(({ start, end }, n) => {
    const before = text.slice(spans[n - 1]?.end ?? 0, start);
    return before + PLACEHOLDER_TOKENS[0].repeat(end - start);
  });
  return parts.join("") + text.slice(spans.at(-1)?.end ?? 0);
}

/** Return whether a number, or a word with digits, is left to the model; undefined is none. */
function isModels(found, knows, isInCapitals) {
  if (!found) return false;
  const digits = found.match(/\p{Nd}/gu)?.length ?? 0;
  const words = found.match(EVERY_WORD) ?? [];
  if (digits && knows && !words.every((word) => knows(word))) return false;
  const hasUnit = !isInCapitals && HAS_UNIT.test(found);
  const isFew = digits < (/^\p{L}/u.test(found) || hasUnit ? 1 : 3) && !SUM.test(found);
  return isFew || CLOCK.test(found);
}

/** Return what is copied of some characters without a space: where each begins and ends. */
function withSigns(chunk, knows) {
  const signs = [...chunk.matchAll(SIGN_RUNS)].map(({ 0: run, index }) => {
    return [index, index + run.length];
  });
  if (signs.length === 0) return [];
  const found = chunk.match(EVERY_WORD) ?? [];
  const hasDigit = HAS_DIGIT.test(chunk);
  if (found.length === 0 && !hasDigit) return [[0, endBefore(chunk, ENDING_MARKS) || chunk.length]];
  if (chunk.search(SPACELESS) >= 0) return signs; // it may be a whole sentence
  const first = startAfter(chunk, OUTER);
  const last = endBefore(chunk, OUTER);
  const left = signs[0][0] === first ? signs[0][1] : first;
  const right = signs.at(-1)[1] === last ? signs.at(-1)[0] : last;
  let isWhole;
  if (signs.some(([start, end]) => left <= start && end <= right)) {
    const areKnown = knows !== null && found.every((word) => size(word) > 1 && knows(word));
    isWhole = hasDigit || !areKnown || chunk.includes("@");
  } else {
    // C#, ^d+$ and /ɪ/, but *a* and *so*
    const isShort = right < last && found.every((word) => size(word) === 1);
    isWhole = isShort && chunk.slice(first, left) !== chunk.slice(right, last);
    isWhole ||= knows !== null && !found.some((word) => knows(word));
  }
  isWhole ||= signs.some(([start]) => {
    NUMERIC.lastIndex = start;
    return NUMERIC.test(chunk);
  });
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
