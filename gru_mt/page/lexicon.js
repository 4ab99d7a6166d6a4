/** The words of the source side, and how each is mostly written: gru_mt/data/lexicon.py. */

import { LITERALS } from "./special.js";
import { isCapitalised, isLower, isTitle, isUpper, pattern, size } from "./text.js";
import { ANY_LETTER, SPACELESS, WORD } from "./text.js";

const LONGEST_TYPO = 40; // letters of a word that is compared with the known ones
const LEAST_LETTERS = 4; // of a word that may have a typo; shorter ones are near to too many
const MOST_COMMON = 200; // words that a translation may well leave out: "there", "much"
const COMMON = 4_000; // words, the most frequent ones, that a typo may stand for
const MOST_LETTERS = 40; // that a typo may have lost

const EVERY_WORD = new RegExp(WORD, "gu");
const JOINED = new RegExp(pattern`['’](${WORD})`, "uy");
const TYPED = new RegExp(pattern`(?<![\w\m'’]) ${WORD} (?![\w\m'’])`, "gu");
const NAME = new RegExp(pattern`${WORD} (?: ['’\-](?=${ANY_LETTER})${WORD} )*`, "gu");
// The first word of a sentence or a quotation; or none, so time is linear.
const START = new RegExp(
  pattern`(?: ^ | [.!?…:]['"”»)]*\s | ["“„«]\s? )
    [^\w${LITERALS[0]}-${LITERALS.at(-1)}]* (${WORD})?`,
  "gu",
);

/** Return the words of a text: runs of letters, and each letter of a script without spaces. */
export function words(text) {
  return text.replace(SPACELESS, " $& ").match(EVERY_WORD) ?? [];
}

/** Return where the first words of sentences begin. */
function sentenceStarts(text) {
  const starts = new Set();
  for (const { 0: found, 1: word, index } of text.matchAll(START)) {
    if (word) starts.add(index + found.length - word.length);
  }
  return starts;
}

/**
 * Return whether a text is in capitals: two or more, most of its letters, and no small one.
 *
 * A foreign name in a script without case does not shout: "我在IBM工作".
 */
export function isShouted(text) {
  if (text !== text.toUpperCase()) return false;
  const letters = text.match(/\p{L}/gu) ?? [];
  const cased = letters.filter((letter) => letter.toLowerCase() !== letter.toUpperCase());
  return cased.length > Math.max(1, letters.length >> 1) && cased.every(isUpper);
}

/** The words of the training source side. */
export class Lexicon {
  #forms; // the usual form of each word, by its small letters; the most frequent words first
  #ranks = new Map(); // 0 for the most frequent word
  #withApostrophe = new Map(); // dont -> don't
  #letters; // those of most words

  /** Take the words' usual forms, the most frequent first, and whether names are copied. */
  constructor(forms, copiesNames) {
    this.copiesNames = copiesNames;
    this.#forms = new Map(forms.map((form) => [form.toLowerCase(), form]));
    const counts = new Map();
    for (const low of this.#forms.keys()) {
      this.#ranks.set(low, this.#ranks.size);
      const short = low.replaceAll("'", "");
      const isNew = !this.#forms.has(short) && !this.#withApostrophe.has(short);
      if (isNew) this.#withApostrophe.set(short, low);
      for (const letter of low) counts.set(letter, (counts.get(letter) ?? 0) + 1);
    }
    const byCount = [...counts].sort(([, a], [, b]) => b - a);
    this.#letters = byCount.slice(0, MOST_LETTERS).map(([letter]) => letter);
  }

  /** Return the lexicon that Python's `to_bytes` wrote: a header, then a form a line. */
  static from(text) {
    const [header, ...forms] = text.split("\n").slice(0, -1);
    return new Lexicon(forms, header.endsWith("copied"));
  }

  /** Return whether the training part has the word, in whatever case. */
  has(word) {
    return this.#forms.has(word.toLowerCase());
  }

  /** Return whether the training part has each word of a text. */
  hasAll(text) {
    return words(text).every((word) => this.has(word));
  }

  /** Return whether the word is one of the few that most sentences are made of. */
  isCommon(word) {
    return this.#ranks.get(word.toLowerCase()) < MOST_COMMON;
  }

  /**
   * Return a text as the model reads it: each word as it is mostly written.
   *
   * Text in capitals, in title case or without a capital gets each word's usual form: "TOM ET
   * ZBIGNIEW" -> "Tom et Zbigniew". In other text first words of sentences and known words in
   * capitals do: "See Tom. You SAID no" -> "see Tom. you said no".
   */
  truecased(text) {
    if (isShouted(text)) return this.usual(text.replace(EVERY_WORD, capitalised));
    if (text === text.toLowerCase() || this.#isTitled(text)) return this.usual(text);
    const starts = sentenceStarts(text);
    return text.replace(EVERY_WORD, (word, start) =>
      starts.has(start) ? this.#usual(word, start, text) : this.#calmed(word),
    );
  }

  /** Return a text with each known word in its usual form, but not the O of O'Sullivan. */
  usual(text) {
    return text.replace(EVERY_WORD, (word, start) => this.#usual(word, start, text));
  }

  #usual(word, start, text) {
    JOINED.lastIndex = start + word.length;
    const name = JOINED.exec(text)?.[1];
    const isPart = name && isCapitalised(name) && !this.has(name);
    return isPart ? word : this.#form(word);
  }

  /** Return the usual form of a word; an unknown one as it is. */
  #form(word) {
    return this.#forms.get(word.toLowerCase()) ?? word;
  }

  /**
   * Return a text with what is not known as a known word, where one is near.
   *
   * That is one with an apostrophe more (dont -> don't), or else the most frequent of the COMMON
   * words that differ by a letter (see `near`), but not by one more at its end: dogs may well be
   * right where only dog is known. A capitalised word may be a name and stays, unless it begins
   * a sentence or has its capital of itself too: Im -> I'm. Where most words are unknown, the
   * text is of another language, and none is taken for a typo.
   */
  respelled(text) {
    const starts = sentenceStarts(text);
    const found = words(text);
    const unknown = found.filter((word) => !this.has(word)).length;
    const isForeign = unknown > Math.max(1, found.length >> 1);

    return text.replace(TYPED, (word, start) => {
      if (this.has(word)) return word;
      let known = this.#withApostrophe.get(word.toLowerCase());
      const mayBeName = isCapitalised(word) && !starts.has(start);
      if (mayBeName && (!known || isLower(this.usual(known)))) return word;
      if (!known && !isForeign && size(word) >= LEAST_LETTERS) known = this.#mended(word);
      return known ? this.usual(known) : word;
    });
  }

  /** Return the most frequent of the COMMON words that a word may stand for; undefined for none. */
  #mended(word) {
    const shorter = [...word].slice(0, -1).join("").toLowerCase();
    const rank = (each) => this.#ranks.get(each);
    return [...this.near(word)]
      .filter((each) => rank(each) < COMMON && each !== shorter)
      .sort((a, b) => rank(a) - rank(b))[0];
  }

  /**
   * Return whether long words are capitalised, and one of the others than the first need not.
   *
   * So "The Old Man and the Sea" is in title case. "Das Haus" is not, if nouns have capitals,
   * nor is "In the US".
   */
  #isTitled(text) {
    const found = text.match(EVERY_WORD) ?? [];
    const long = found.filter((word) => size(word) > 3);
    const needNot = (word) => isTitle(word) && size(word) > 1 && isLower(this.#form(word));
    return (long.length ? long : found).every(isCapitalised) && found.slice(1).some(needNot);
  }

  /** Return a word in its usual form, if it is in capitals. */
  #calmed(word) {
    return size(word) > 2 && isUpper(word) ? this.#form(word) : word;
  }

  /**
   * Return the capitalised words of a text that were never seen, as spans, if names are copied.
   *
   * Parts that hyphens and apostrophes join are one name: Jean-Luc, O'Sullivan. Parts in small
   * letters before and after it are not: l'Okcydent, Zbigniew's. The first word of a sentence
   * may be a known word with a typo, and then it is no name.
   */
  unseenNames(text) {
    if (!this.copiesNames) return [];
    const starts = sentenceStarts(text);
    return [...text.matchAll(NAME)].flatMap(({ 0: joined, index }) => {
      const parts = [...joined.matchAll(EVERY_WORD)].filter(([part]) => isCapitalised(part));
      const unseen = parts.filter(([part]) => size(part) > 1 && !this.has(part));
      if (unseen.length === 0) return [];
      const last = parts.at(-1);
      const start = index + parts[0].index;
      const end = index + last.index + last[0].length;
      const name = text.slice(start, end);
      const mayBeTypo = unseen.length === 1 && unseen[0][0] === name && starts.has(start);
      return mayBeTypo && this.near(name).size ? [] : [{ start, end, text: name }];
    });
  }

  /**
   * Return the known words, in small letters, that differ from `word` by one letter.
   *
   * A letter is swapped with the next, dropped, added or changed.
   */
  near(word) {
    const low = [...word.toLowerCase()].slice(0, LONGEST_TYPO);
    const tries = [];
    for (let place = 0; place <= low.length; place++) {
      const head = low.slice(0, place).join("");
      const [tail, others, rest] = [0, 1, 2].map((count) => low.slice(place + count).join(""));
      if (others) tries.push(head + low[place + 1] + low[place] + rest);
      if (tail) tries.push(head + others);
      for (const letter of this.#letters) tries.push(head + letter + tail, head + letter + others);
    }
    return new Set(tries.filter((each) => this.#forms.has(each)));
  }
}

/** Return a word with its first letter as it is, and the others small: "ÉTÉ" -> "Été". */
function capitalised(word) {
  const [first, ...others] = word;
  return first + others.join("").toLowerCase();
}
