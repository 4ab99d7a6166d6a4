/** Which known words a typo stands for: gru_mt/data/text/spelling.py. */

import { isAllCaps, isLower, pattern } from "./normalize.js";

export const LONGEST_TYPO = 40; // letters of a word that is compared with the known ones
export const SHORT = 4; // letters: a shorter word is near to too many
const LONG = 7; // letters: a longer word is near to hardly any
export const STARTERS = 300; // words: a short typo, or one that may be a name, is of these
const USUAL = 1_000;
const SHORTER = 60; // words: the shorter of two without a space is of these
export const COMMON = 4_000; // words that a typo of less than LONG letters stands for
const LEAST_STEM = 3; // letters
const LONGEST_ENDING = 4;
const PRODUCTIVE = 0.0005; // share of the known words that an ending makes of other ones
const MOST_LETTERS = 40; // that a typo may have lost
const KEY_ROWS = [
  ...["qwertyuiop", "asdfghjkl", "zxcvbnm"],
  ...["йцукенгшщзхъ", "фывапролджэ", "ячсмитьбю"],
];
// q -> w, w -> qe
const BESIDE = new Map(
  KEY_ROWS.flatMap((row) =>
    Array.from(row, (key, n) => [key, (row[n - 1] ?? "") + (row[n + 1] ?? "")]),
  ),
);
const FORMS = new Map([
  ["u", "u"],
  ["r", pattern`r(?= \x20u(?!\w) ) | (?<= (?<!\w)u\x20 )r`], // a radius r stays
  ["z.b.", "[zZ].[bB]."],
]);
const IS_WORD = new RegExp(pattern`^[\w']+$`, "u");
const MANY = new RegExp(pattern`(\w)\1{2,}`, "gu");

/** The words that short forms stand for which training lacks, or hardly has. */
export class Shorthand extends Map {
  #signed; // what finds those of one letter, or with signs

  /** Take the words by their short forms, as Python has them. */
  constructor(texts) {
    super(Object.entries(texts));
    const found = [...this.keys()].filter((short) => FORMS.has(short) || !IS_WORD.test(short));
    const either = found.map((short) => {
      const [first, ...rest] = short;
      return FORMS.get(short) ?? `[${first}${first.toUpperCase()}]${rest.join("")}`;
    });
    const spaced = either.join("|").replaceAll(".", "\\. ?"); // z. B.
    this.#signed = new RegExp(
      pattern`(?<![\w\m'’.&/\-])` +
        `(?:${spaced || "(?!)"})(?<! )` +
        pattern`(?! [\w\m'’&/\-] | \.\w )`,
      "gu",
    );
  }

  /** Return a text with words for what a letter or signs stand for: "u", "w/o", "e.g.". */
  writtenOut(text) {
    if (isAllCaps(text)) return text;
    return text.replace(this.#signed, (found) => {
      const full = this.get(found.replaceAll(" ", "").toLowerCase());
      return isLower(found[0]) ? full : full[0].toUpperCase() + full.slice(1);
    });
  }
}

/** The known words, and the typos that stand for them. All words are in small letters. */
export class Spelling {
  #ranks; // of the known words: the most frequent one has 0
  #endings = new Set(); // each with the letter before it: -ed after k as in walked
  #letters; // those of most words
  #unaccented = new Map(); // deja -> déjà

  /** Take the known words with their ranks, the most frequent first. */
  constructor(ranks) {
    this.#ranks = ranks;
    const letters = new Map();
    const endings = new Map();
    for (const word of ranks.keys()) {
      for (const letter of word) countOne(letters, letter);
      for (const ending of this.#endingsOf(word)) countOne(endings, ending);
      const short = unaccented(word);
      const isNew = !ranks.has(short) && !this.#unaccented.has(short);
      if (isNew) this.#unaccented.set(short, word);
    }
    const byCount = [...letters].sort(([, a], [, b]) => b - a);
    this.#letters = byCount.slice(0, MOST_LETTERS).map(([letter]) => letter);
    const least = Math.max(2, PRODUCTIVE * ranks.size);
    for (const [ending, count] of endings) if (count >= least) this.#endings.add(ending);
  }

  /**
   * Return the known word that an unknown one is a typo of; undefined for none.
   *
   * A typo has two letters swapped, one doubled or more often, one hit beside its key, or one
   * dropped. What explains it is tried in this order; then the most frequent word is taken, of
   * the `most` frequent ones. A typo may also lack the accents. A word with a known stem is
   * none: dogs may well be right where only dog is known.
   */
  corrected(word, most = null) {
    const letters = [...word];
    if (letters.length < SHORT - 1 || letters.length > LONGEST_TYPO) return undefined;
    const sure = this.#first([...swapped(letters), ...undoubled(letters)], STARTERS);
    if (sure) return sure;
    const short = word.replace(MANY, "$1"); // soooo, noooo
    if (short !== word) return this.#first([short, word.replace(MANY, "$1$1")]);
    if (this.hasStem(word)) return undefined;
    const all = this.#ranks.size;
    const least = letters.length < SHORT ? STARTERS : letters.length < LONG ? COMMON : all;
    const limit = most ?? least;
    const isShort = letters.length === SHORT;
    const keys = letters.length < SHORT ? 0 : isShort ? Math.min(limit, USUAL) : limit;
    return (
      this.#first(swapped(letters), limit) ??
      this.#first(undoubled(letters), limit) ??
      this.#first(this.#beside(letters), keys) ??
      this.#first(this.#completed(letters), limit) ??
      this.#unaccented.get(word)
    );
  }

  /** Return the most frequent known word that has one letter for two alike of `word`. */
  undoubled(word) {
    return this.#first(undoubled([...word]));
  }

  /** Return the two frequent words that `word` is without a space; undefined for none. */
  divided(word) {
    const letters = [...word];
    let best; // {rank, text}
    for (let index = 2; index < Math.min(letters.length, LONGEST_TYPO) - 1; index++) {
      const parts = [letters.slice(0, index).join(""), letters.slice(index).join("")];
      const ranks = parts.map((part) => this.#ranks.get(part) ?? USUAL);
      const shorter = letters.length - index < index ? 1 : 0;
      if (Math.max(...ranks) >= USUAL || ranks[shorter] >= SHORTER) continue;
      const found = { rank: Math.max(...ranks), text: parts.join(" ") };
      const isBetter = !best || found.rank < best.rank;
      if (isBetter || (found.rank === best.rank && found.text < best.text)) best = found;
    }
    return best?.text;
  }

  /** Return whether a word is a known one with an ending of many known words. */
  hasStem(word) {
    return this.#endingsOf(word).some((ending) => this.#endings.has(ending));
  }

  /** Return the endings that make a word of known ones, each with the letter before it. */
  #endingsOf(word) {
    const letters = [...word];
    const found = [];
    for (let n = 1; n <= Math.min(LONGEST_ENDING, letters.length - LEAST_STEM); n++) {
      const index = letters.length - n;
      if (this.#ranks.has(letters.slice(0, index).join(""))) {
        found.push(letters.slice(index - 1).join(""));
      }
    }
    return found;
  }

  /** Return the most frequent one of `words`, if it is one of the `most` frequent ones. */
  #first(words, most = this.#ranks.size) {
    let first;
    let least = most;
    for (const word of words) {
      const rank = this.#ranks.get(word) ?? most;
      if (rank < least) [first, least] = [word, rank];
    }
    return first;
  }

  /** Return letters with each as one beside its key, but for one ending as another. */
  #beside(letters) {
    const before = letters.at(-2) ?? "";
    return letters.flatMap((letter, index) => {
      const isLast = index === letters.length - 1;
      const hasEnding = isLast && this.#endings.has(before + letter);
      const keys = Array.from(BESIDE.get(letter) ?? "");
      const others = keys.filter((key) => !(hasEnding && this.#endings.has(before + key)));
      return others.map((key) => letters.with(index, key).join(""));
    });
  }

  /** Return what may have lost a letter, but no ending. */
  #completed(letters) {
    const last = letters.at(-1) ?? "";
    return Array.from({ length: letters.length + 1 }, (_, index) => index).flatMap((index) => {
      const isLast = index === letters.length;
      const lost = this.#letters.filter((each) => !(isLast && this.#endings.has(last + each)));
      const [head, tail] = [letters.slice(0, index).join(""), letters.slice(index).join("")];
      return lost.map((letter) => head + letter + tail);
    });
  }
}

function countOne(counts, key) {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function swapped(letters) {
  return letters.slice(1).map((letter, i) => {
    return [...letters.slice(0, i), letter, letters[i], ...letters.slice(i + 2)].join("");
  });
}

function undoubled(letters) {
  return letters.flatMap((letter, i) =>
    i > 0 && letter === letters[i - 1]
      ? [[...letters.slice(0, i), ...letters.slice(i + 1)].join("")]
      : [],
  );
}

/** Return a text without the accents on its letters: "déjà" -> "deja". */
function unaccented(text) {
  return Array.from(text, (letter) => [...letter.normalize("NFD")][0]).join("");
}
