/** Short training texts and their translations: gru_mt/data/text/translation_memory.py. */

import { ANY_LETTER, APOSTROPHES, FINAL_MARKS, isAllCaps, pattern } from "./normalize.js";
import { withPlainMarks, WORD } from "./normalize.js";

const MOST_TRANSLATIONS = 4; // of a text
const LAST_MARKS = ` ${FINAL_MARKS}`;
const FIRST_MARKS = new Set(" ¿¡");
const FIRST_LETTER = new RegExp(pattern`^((?: (?!['’]) [^\p{L}\p{N}] )*)(${ANY_LETTER})`, "u");
const FIRST_WORD = new RegExp(`^${WORD}`, "u");

/** Return a final mark in its plain form: " ！" -> "!" and "..." -> "…". */
function plainMark(closing) {
  return withPlainMarks(closing.replaceAll(" ", "")).replace(/\.{2,}/g, "…");
}

/** Return a text in its parts: {opening, body, closing, mark, key}. */
function divided(text) {
  let start = 0;
  while (FIRST_MARKS.has(text[start])) start++;
  let end = text.length;
  while (end > start && LAST_MARKS.includes(text[end - 1])) end--;
  const body = text.slice(start, end);
  const [opening, closing] = [text.slice(0, start), text.slice(end)];
  const key = body.replace(APOSTROPHES, "'").toLowerCase();
  return { opening, body, closing, mark: plainMark(closing), key };
}

/**
 * Return pairs, those of the most frequent translations first, and then as they stand.
 *
 * Of pairs that differ in the mark of one translation, "Bonjour !" and "Bonjour.", that with
 * `mark` comes first.
 */
function bestFirst(pairs, mark) {
  const counts = new Map();
  const targets = new Map(pairs.map((pair) => [pair, divided(pair.target)]));
  for (const [{ times }, { key }] of targets) counts.set(key, (counts.get(key) ?? 0) + times);
  const keys = [...counts.keys()].sort((a, b) => counts.get(b) - counts.get(a));
  const positions = new Map(keys.map((key, position) => [key, position]));
  const hasOther = (pair) => Number(targets.get(pair).mark !== mark);
  const position = (pair) => positions.get(targets.get(pair).key);
  return [...pairs].sort((a, b) => position(a) - position(b) || hasOther(a) - hasOther(b));
}

/** The short texts of the training split with their translations. */
export class TranslationMemory {
  #pairs = new Map(); // {source, target, times} by the key of their sources
  #marks; // what stands before and after a text, by the source's mark
  names; // first words that keep their capital

  /** Take pairs, marks and names as Python's class does. */
  constructor(pairs, marks, names) {
    for (const pair of pairs) {
      const { key } = divided(pair.source);
      if (!this.#pairs.has(key)) this.#pairs.set(key, []);
      this.#pairs.get(key).push(pair);
    }
    this.#marks = new Map(marks);
    this.names = new Set(names);
  }

  /** Return the memory that Python's `to_bytes` wrote: marks, names and pairs. */
  static from(text) {
    const lines = text.split("\n").slice(1, -1);
    const namesAt = lines.indexOf("") + 1;
    const pairsAt = lines.indexOf("", namesAt) + 1;
    let last = "";
    const pairs = lines.slice(pairsAt).map((line) => {
      const [source, target, times = "1"] = line.split("\t");
      last = source || last;
      return { source: last, target, times: Number(times) };
    });
    const marks = lines.slice(0, namesAt - 1).map((line) => {
      const [mark, ...around] = line.split("\t");
      return [mark, around];
    });
    return new TranslationMemory(pairs, marks, lines.slice(namesAt, pairsAt - 1));
  }

  /**
   * Return the translations of a clean text, best first; none where it is not known.
   *
   * Those of exactly this text come first, as they stand in training. The others are of texts
   * that differ in case, final mark or apostrophes, those with the same mark before the rest,
   * and follow the text in both: "hello." -> "bonjour."
   */
  find(text) {
    const wanted = divided(text);
    const group = (wanted.key && this.#pairs.get(wanted.key)) || [];
    const exact = group.filter(({ source }) => source === text);
    const hasOther = ({ source }) => Number(divided(source).mark !== wanted.mark);
    const byMark = bestFirst(group, wanted.mark).sort((a, b) => hasOther(a) - hasOther(b));
    const found = new Map();
    const add = (pair, translation) => {
      const { key } = divided(pair.target);
      if (!found.has(key)) found.set(key, translation);
    };
    for (const pair of bestFirst(exact, wanted.mark)) add(pair, pair.target);
    for (const pair of byMark) add(pair, this.#following(wanted, pair));
    return [...found.values()].slice(0, MOST_TRANSLATIONS);
  }

  /** Return a pair's target with the capitals and the final mark of what is wanted. */
  #following(wanted, pair) {
    const { opening, body, closing, mark } = divided(pair.target);
    const [before, marks] = mark === wanted.mark ? [opening, closing] : this.#around(wanted.mark);
    const after = wanted.closing.includes("…") ? marks.replaceAll("...", "…") : marks;
    return before + this.#cased(body, wanted.body, divided(pair.source).body) + after;
  }

  /** Return the translation of `source` with the capitals of `wanted`, all without marks. */
  #cased(body, wanted, source) {
    if (wanted !== source) {
      if (isAllCaps(wanted)) return body.toUpperCase();
      if (isAllCaps(source) && isAllCaps(body)) body = body.toLowerCase();
    }
    const first = FIRST_LETTER.exec(wanted)?.[2];
    const start = FIRST_LETTER.exec(body);
    if (!first || !start) return body;
    const [whole, before, letter] = start;
    const rest = body.slice(whole.length);
    if (first !== first.toLowerCase()) return before + letter.toUpperCase() + rest;
    const isName = this.names.has(body.slice(before.length).match(FIRST_WORD)[0]);
    const isSmall = first !== first.toUpperCase() && !isName;
    return isSmall ? before + letter.toLowerCase() + rest : body;
  }

  /** Return what stands around a translation for a mark: "!!" -> ["", " !!"] in French. */
  #around(mark) {
    const [first = "", ...others] = mark;
    const around = (each) => this.#marks.get(each) ?? ["", each];
    const [opening, closing] = around(first);
    const written = others.map((each) => {
      const more = around(each)[1].trim();
      return plainMark(more) === each ? more : "";
    });
    return [opening, closing + written.join("")];
  }
}
