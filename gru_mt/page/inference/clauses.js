/** The clauses of a sentence: gru_mt/inference/preprocessing/clauses.py. */

import { mask } from "../text/placeholders.js";
import { PLACEHOLDER } from "../tokenizer/special.js";
import { pattern, strip } from "../text/normalize.js";
import { Sentence } from "./sentence.js";

const LEAST_WORDS = 3; // of a clause
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
