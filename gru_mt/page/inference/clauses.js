/** The clauses of a sentence: gru_mt/inference/preprocessing/clauses.py. */

import { mask } from "../text/placeholders.js";
import { PLACEHOLDER } from "../tokenizer/special.js";
import { isCapitalised, pattern, strip } from "../text/normalize.js";
import { ENDS, Sentence } from "./sentence.js";

const LEAST_WORDS = 3; // of a clause
const MOST_WORDS = 6; // of a quotation
const QUOTES = `"“”„«»「」『』`;
const BETWEEN_CLAUSES = new Set([";", "-", "--", "–", "—"]);

const SPACES = new RegExp(pattern`\s+`, "u");
const STOP = new RegExp(pattern`\s?(?<!\.)\.$`, "u");

/** Return the placeholder tokens of the marks between clauses, as matches. */
function marksOf({ text, placeholders }) {
  const tokens = [...text.matchAll(PLACEHOLDER)];
  return tokens.filter((_, n) => BETWEEN_CLAUSES.has(placeholders[n]));
}

/**
 * Return the clauses of a sentence with its marks as placeholders, or the sentence alone.
 *
 * The placeholders of a clause are the tokens of the whole sentence, for `joinedClauses`.
 */
export function clausesOf(sentence) {
  const marks = marksOf(sentence);
  const ends = [...marks.map(({ index }) => index), sentence.text.length];
  const starts = [0, ...marks.map(({ index }) => index + 1)];
  const texts = starts.map((start, n) => strip(sentence.text.slice(start, ends[n])));
  const isShort = texts.some((text) => text.split(SPACES).length < LEAST_WORDS);
  if (!marks.length || isShort) return [sentence];
  return texts.map((typed, n) => {
    const tokens = Array.from(typed.matchAll(PLACEHOLDER), ({ 0: text, index }) => {
      return { start: index, end: index + 1, text };
    });
    const of = { before: "", after: "", typed, noSpace: [new Set(), new Set()], tags: [] };
    return new Sentence({
      ...{ ...sentence, ...of, ...mask(typed, tokens) },
      case: n > 0 ? "small" : "model",
    });
  });
}

/** Return the translations of clauses as the model's text for the whole sentence. */
export function joinedClauses(sentence, translations) {
  const marks = marksOf(sentence);
  const joined = translations.map((text, n) =>
    n < marks.length ? `${text.replace(STOP, "")} ${marks[n][0]} ` : text,
  );
  return joined.join("");
}

/** Return the quotations of a sentence with its marks as placeholders, if several are short. */
export function quotationsOf(sentence) {
  return [...quotationTexts(sentence).values()].map((text) => {
    const of = { before: "", after: "", typed: text, text, placeholders: [], tags: [] };
    const own = isCapitalised(text) ? "capital" : "model";
    const shape = sentence.case === "capitals" ? "capitals" : own;
    return new Sentence({ ...sentence, ...of, noSpace: [new Set(), new Set()], case: shape });
  });
}

/** Return a sentence that has the translations of its quotations as placeholders. */
export function withQuotations(sentence, translations) {
  const [left, right] = sentence.noSpace;
  const numbers = [...quotationTexts(sentence).keys()];
  const quotations = new Map(numbers.map((number, n) => [number, translations[n]]));
  const spans = [];
  const renumbered = [...sentence.text.matchAll(PLACEHOLDER)].map(({ index }, number) => {
    const mark = sentence.placeholders[number];
    const text = quotations.get(number - 1)?.replace(STOP, "");
    if (text === undefined) return spans.push({ start: index, end: index + 1, text: mark }) - 1;
    const span = spans.at(-1); // of the mark that opens it
    span.text += (right.has(number - 1) ? "" : " ") + text + (left.has(number) ? "" : " ") + mark;
    span.end = index + 1;
    return spans.length - 1;
  });
  const outer = (side, isInner) => {
    const kept = [...side].filter((number) => !isInner(number));
    return new Set(kept.map((number) => renumbered[number]));
  };
  const tags = sentence.tags.map((pair) => pair.map((number) => renumbered[number]));
  return new Sentence({
    ...{ ...sentence, ...mask(sentence.text, spans) },
    noSpace: [
      outer(left, (number) => quotations.has(number - 1)),
      outer(right, (number) => quotations.has(number)),
    ],
    tags: tags.filter(([first, last]) => first !== last),
  });
}

/** Return the quotations by the numbers of the placeholders that open them; none of speech. */
function quotationTexts({ text, placeholders }) {
  const positions = Array.from(text.matchAll(PLACEHOLDER), ({ index }) => index);
  const quotes = [...placeholders.keys()].filter((number) => QUOTES.includes(placeholders[number]));
  const found = new Map();
  for (let n = 0; n + 1 < quotes.length; n += 2) {
    const [first, last] = quotes.slice(n, n + 2);
    const inside = strip(text.slice(positions[first] + 1, positions[last]));
    const isShort = /\p{L}/u.test(inside) && inside.split(SPACES).length <= MOST_WORDS;
    if (last === first + 1 && isShort) found.set(first, inside);
  }
  const isSpeech = [...found.values()].some((inside) => [...ENDS, ","].includes(inside.at(-1)));
  return found.size < 2 || quotes.length % 2 || isSpeech ? new Map() : found;
}
