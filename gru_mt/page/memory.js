/** The short texts of the training part, and how people translated them: gru_mt/data/memory.py. */

import { isShouted } from "./lexicon.js";
import { ANY_LETTER, pattern, WORD } from "./text.js";

const MOST_TRANSLATIONS = 4; // of a text
const SAME_MARKS = new Map(
  [
    ["。．｡।॥۔։።။។", "."],
    ["！", "!"],
    ["？؟፧", "?"],
    ["‥⋯", "…"],
    ["，、،", ","],
    ["；؛", ";"],
    ["：", ":"],
  ].flatMap(([marks, same]) => Array.from(marks, (mark) => [mark, same])),
);
const FINAL_MARKS = new Set([..." .!?…,;:", ...SAME_MARKS.keys()]);
const FIRST_MARKS = new Set(" ¿¡");
const FIRST_LETTER = new RegExp(pattern`^((?: (?!['’]) [^\p{L}\p{N}] )*)(${ANY_LETTER})`, "u");
const FIRST_WORD = new RegExp(`^${WORD}`, "u");

/** Return {body, mark, key} of a text: what is between its marks, the final one, and its key. */
function marked(text) {
  let start = 0;
  while (FIRST_MARKS.has(text[start])) start++;
  let end = text.length;
  while (end > start && FINAL_MARKS.has(text[end - 1])) end--;
  const body = text.slice(start, end);
  const marks = text.slice(end).replaceAll(" ", "");
  const mark = marks.replace(/./gu, (each) => SAME_MARKS.get(each) ?? each);
  const key = body.replace(/[’‘`´]/g, "'").toLowerCase();
  return { body, mark: mark.replace(/\.{2,}/g, "…"), key };
}

/** The short texts of the training part with their translations. */
export class TranslationMemory {
  #pairs = new Map(); // {source, target, times} by the key of their sources
  #marks; // what stands before and after a text, by the source's mark
  #names; // first words that keep their capital

  /** Take pairs, marks and names as Python's class does. */
  constructor(pairs, marks, names) {
    for (const pair of pairs) {
      const { key } = marked(pair.source);
      if (!this.#pairs.has(key)) this.#pairs.set(key, []);
      this.#pairs.get(key).push(pair);
    }
    this.#marks = new Map(marks);
    this.#names = new Set(names);
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
   * Those of exactly this text come first, as they stand in training, with the same mark before
   * the rest. The others are of texts that differ in case, final mark or apostrophes, and follow
   * the text in both: "hello." -> "bonjour."
   */
  find(text) {
    const wanted = marked(text);
    const group = (wanted.key && this.#pairs.get(wanted.key)) || [];
    const counts = new Map();
    for (const { target, times } of group) {
      const { key } = marked(target);
      counts.set(key, (counts.get(key) ?? 0) + times);
    }
    const exact = group.filter(({ source }) => source === text);
    const hasOther = ({ source }) => Number(marked(source).mark !== wanted.mark);
    const count = ({ target }) => counts.get(marked(target).key);
    const others = [...group].sort((a, b) => hasOther(a) - hasOther(b) || count(b) - count(a));
    const found = new Map();
    const add = (pair, translation) => {
      const { key } = marked(pair.target);
      if (!found.has(key)) found.set(key, translation);
    };
    const isOther = ({ target }) => Number(marked(target).mark !== wanted.mark);
    exact.sort((a, b) => isOther(a) - isOther(b) || b.times - a.times);
    for (const pair of exact) add(pair, pair.target);
    for (const pair of others) add(pair, this.#following(wanted, pair));
    return [...found.values()].slice(0, MOST_TRANSLATIONS);
  }

  /** Return a pair's target with the capitals and the final mark of what is wanted. */
  #following(wanted, pair) {
    const source = marked(pair.source).body;
    let { body } = marked(pair.target);
    if (wanted.body !== source) {
      if (isShouted(wanted.body)) return this.#marked(body.toUpperCase(), wanted.mark);
      if (isShouted(source) && isShouted(body)) body = body.toLowerCase();
    }
    const first = FIRST_LETTER.exec(wanted.body)?.[2];
    const start = FIRST_LETTER.exec(body);
    if (first && start) {
      const [whole, before, letter] = start;
      const word = body.slice(before.length).match(FIRST_WORD)[0];
      const rest = body.slice(whole.length);
      if (first !== first.toLowerCase()) body = before + letter.toUpperCase() + rest;
      else if (first !== first.toUpperCase() && !this.#names.has(word))
        body = before + letter.toLowerCase() + rest;
    }
    return this.#marked(body, wanted.mark);
  }

  /** Return a text with a mark as the target side writes it: "!!" -> " !!" in French. */
  #marked(body, mark) {
    if (!mark) return body;
    const opening = this.#marks.get(mark[0])?.[0] ?? "";
    const closing = Array.from(mark, (each) => this.#marks.get(each)?.[1] ?? each).join("");
    return opening + body + (closing.startsWith(" ") ? " " : "") + closing.replaceAll(" ", "");
  }
}
