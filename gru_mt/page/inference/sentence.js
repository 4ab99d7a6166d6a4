/** A sentence as read and as shown: gru_mt/inference/preprocessing/sentence.py. */

import { contracted } from "../text/dates.js";
import { mask, placeholderIndices, restore } from "../text/placeholders.js";
import { PLACEHOLDER, PLACEHOLDER_TOKENS } from "../tokenizer/special.js";
import { nested, tagPairs } from "./tags.js";
import { ANY_LETTER, beginsCased, endsCased, expression, inWord } from "../text/normalize.js";
import { pattern, plainDigits, SPACELESS, stripEnd, stripStart } from "../text/normalize.js";
import { withPlainMarks, WORD } from "../text/normalize.js";

// What `findPlaceholders` leaves to the model: 7, 12, 10:30, 1.5, 5th, 7-0, -5.
const UNSPACED =
  "\\u0e00-\\u109f\\u1100-\\u11ff\\u1780-\\u17ff\\u1950-\\u1aaf\\u2e80-\\ud7ff" +
  "\\uf900-\\ufaff\\uff66-\\uff9f"; // letters of scripts without spaces
const LETTER_OF_WORD = pattern`(?: (?![${UNSPACED}])${ANY_LETTER} | [\m] )`;
const FEW_LETTERS = pattern`${LETTER_OF_WORD}{1,3}(?!${LETTER_OF_WORD})`;
const SHORT_NUMBER = pattern`(?: (?<![^\s(])[\-−] )? \d++ (?: [.,:/–\-]\d+ )*+
  (?: ${FEW_LETTERS} | (?![\m]) )`;
const PLACEHOLDER_OR_NUMBER = expression(`${PLACEHOLDER.source}|${SHORT_NUMBER}`);
const LATIN = "[A-Za-zÀ-ɏ]"; // a dash may be the verb of a Russian sentence
const ENDED = `(?:${LATIN}|[0-9)"”»]|${PLACEHOLDER.source})`;
const MARKS = [ // in a source, and in a translation
  ["[\"“”„«»「」『』]", "[\"“”„«»「」『』]"],
  ["[(（]", "[(（]"],
  ["[)）]", "[)）]"],
  [
    pattern`(?<=${ENDED}\x20)(?:--|[\-–—])(?=\x20[^Ͱ-᷿])|(?<=${LATIN})—(?=${LATIN})`,
    pattern`\s(?:--|[\-–—])\s|—`,
  ],
  [pattern`(?<=${ENDED});|(?<=${ENDED}\x20);`, "[;；]"],
].map((pair) => pair.map((each) => new RegExp(each, "gu")));
const OR_MARK = expression(
  pattern`\(${SHORT_NUMBER}\)` + `|${PLACEHOLDER.source}|${SHORT_NUMBER}|` +
    MARKS.map(([own]) => own.source).join("|"),
);
const HOLLOW = new RegExp(pattern`\s["“«]\s?[,.;]`, "u"); // a quotation that has lost its words
const OPENED = new RegExp(pattern`(?<![^\s])["“”„«»「」『』\(]\w+`, "gu");
const DIGIT_RUNS = new RegExp(pattern`\d+`, "gu");
const OTHERWISE = expression(pattern`(?<!\d)\d++\s?(?=[月万萬亿億만억])`, "gu"); // May, 30,000
// A sign, a score.
const JOINED_DIGITS = new RegExp(pattern`(?<![^\s(])[\-−]\d+ | \d+ (?: [–\-]\d+ )+`, "gu");
const BROKEN_NUMBER = new RegExp(pattern`\d[A-Za-zÀ-ɏЀ-ӿ]{4,} | \d\s?[!?]\s?\d+`, "gu"); // or torn: 1 !5
const DIGIT_WITH_LETTERS = new RegExp(pattern`\d${FEW_LETTERS}`, "gu");
const ELLIPSIS = new RegExp(pattern`(?<![\s.…?!])\s* ( (?: \.{2} | … ) [.…]* )$`, "u");
const AFTER_QUOTE = new RegExp(pattern`([.!?…]\s?["”»]\s+)(${WORD})`, "gu"); // "Stop!" she said.
const OTHER_STOP = /[。．｡।॥۔։።\u104b\u17d4]$/u;
const LAST_COMMA = new RegExp(pattern`(?<=[^\s,]),$`, "u");
const LAST_STOP = new RegExp(
  pattern`(?: \s?(?: [,、，] | (?<![.…])[.。．｡।॥۔։።\u104b\u17d4] ) )?$`,
  "u",
);
const BETWEEN_MARKS = /(?<=[?!])\s+(?=[?!])/gu;
const ASKS = /[?？؟፧]/u;
const END_MARKS = /(?<![?？؟፧!！])[?？؟፧!！]+[.…]*$/u;
const FIRST_WRITTEN_WORD = new RegExp(pattern`^[^\p{L}\p{N}]*(${WORD})`, "u");
const LETTER_OR_NUMBER = /[\p{L}\p{N}]/u;

export const ENDS = [".", "!", "?", "…"];

/** What is before the first letter of a text; placeholder tokens are none. */
export const BEGINNING = /^[^\p{L}\p{N}]*/u;

/** A sentence as it stands in its line, and as the model reads it. */
export class Sentence {
  /**
   * Take {source, gap, before, after, typed, text, placeholders, noSpace, tags, case,
   * spellingCorrected, terms, isPart}.
   *
   * `gap` are the spaces after it, `before` and `after` its frame: see `core`. `typed` is without
   * its frame, as it was written, masked; `text` is masked and truecased;
   * `placeholders` are what its tokens become in a translation; `noSpace` has two sets of
   * placeholders: those that a word touches on their left, and on their right. `case` is
   * "capitals", "capital" or "small" where a translation has that, or "model". `spellingCorrected`
   * tells whether a word was taken for one with a typo, `isPart` whether it is a part of a sentence
   * that is too long. `terms` are placeholders that get a capital where a translation begins.
   */
  constructor(parts) {
    Object.assign(this, parts);
  }

  /** Whether it has nothing to translate, no letter outside placeholders: "10." or "a@b.org". */
  get isCopied() {
    const isLetter = /^\p{Ll}$/u.test(this.text) && this.case === "capital"; // M, L
    return isLetter || !/\p{L}/u.test(this.text);
  }

  /**
   * Return the model's text as it is shown: placeholders put back, in capitals if wanted.
   *
   * `names` are words that keep their capital where it is to be small.
   */
  finished(text, names = new Set()) {
    if (this.case === "capitals") text = text.toUpperCase();
    if (this.case === "capital") text = this.#begun(text, (letter) => letter.toUpperCase());
    if (this.case === "small" && !names.has(FIRST_WRITTEN_WORD.exec(text)?.[1])) {
      text = this.#begun(text, (letter) => letter.toLowerCase());
    }
    const words = [...this.typed.matchAll(AFTER_QUOTE)].map(([, , word]) => word);
    if (words.length && words.every((word) => /^\p{Ll}/u.test(word))) {
      text = text.replace(AFTER_QUOTE, (whole, mark, word) =>
        names.has(word) ? whole : mark + word.replace(/^[^]/u, (letter) => letter.toLowerCase()),
      );
    }
    if (this.typed.includes("…")) text = text.replaceAll("...", "…");
    const typed = this.typed.replace(LAST_COMMA, "");
    const ellipsis = ELLIPSIS.exec(typed);
    if (ellipsis) text = text.replace(OTHER_STOP, "…");
    if (ellipsis) text = text.replace(/(?<!\.)\.$|(?<![\s!?.…])\s?!$/u, ellipsis[1]);
    if (typed !== this.typed && !/[!?！？]$/.test(text)) {
      text = text.replace(LAST_STOP, text.search(SPACELESS) < 0 ? "," : "、");
    }
    text = text.replace(BETWEEN_MARKS, "");
    const [marks] = END_MARKS.exec(this.typed) ?? [""];
    if (marks.length > 1) text = text.replace(END_MARKS, (end) => inScriptOf(end, marks));
    return this.before + this.#withPlaceholders(text) + this.after;
  }

  /** Return a text with its first letter changed, but after a placeholder that was elsewhere. */
  #begun(text, change) {
    const [before] = BEGINNING.exec(text);
    const isMoved = before.search(PLACEHOLDER) >= 0 && !PLACEHOLDER_TOKENS.includes(this.text[0]);
    const rest = text.slice(before.length);
    return isMoved ? text : before + rest.replace(/^[^]/u, change);
  }

  #withPlaceholders(text) {
    if (this.placeholders.length === 0) return text;
    const between = this.text.split(PLACEHOLDER);
    const isFull = ([first, last]) =>
      LETTER_OR_NUMBER.test(between.slice(first + 1, last + 1).join(""));
    const full = new Set(this.tags.filter(isFull).map(([first]) => first));
    const indices = placeholderIndices(text);
    const { texts, order } = nested(text.split(PLACEHOLDER), indices, this.tags, full);
    for (let position = 1; position < order.length; position++) {
      // As far apart as in the source.
      const [first, second] = order.slice(position - 1, position + 1);
      const isNext = second === first + 1 && second < between.length;
      if (isNext && !stripStart(texts[position]) && !stripStart(between[second])) {
        texts[position] = between[second];
      }
    }
    const tokens = text.match(PLACEHOLDER) ?? [];
    const [left, right] = this.noSpace;
    let hasBegun = /\p{L}/u.test(texts[0]);
    return order.reduce((whole, index, k) => {
      const follows = /^ ?$/.test(between[index]?.slice(-1) ?? "x");
      const hasEnded = ENDS.includes(whole.at(-1)) && follows;
      const begun = hasEnded ? `${whole} ` : whole; // "Où sont-ils ?Oksana"
      const copied = this.placeholders[index] ?? tokens[k];
      const isFirst = this.terms.has(copied) && !hasBegun;
      const placeholder = isFirst ? copied[0].toUpperCase() + copied.slice(1) : copied;
      hasBegun ||= inWord(placeholder) || /\p{L}/u.test(texts[k + 1]);
      const isApart = /^\s+$/u.test(texts[k]);
      const [before, shown] = isApart ? [begun, placeholder] : contracted(begun, placeholder);
      return joined(joined(before, shown, left.has(index)), texts[k + 1], right.has(index));
    }, texts[0]);
  }

  /**
   * Return the sentence with its short numbers as placeholders too, or also its `marks`.
   *
   * Those are quotation marks, brackets, semicolons, and dashes between words.
   */
  withNumbers({ marks = false } = {}) {
    const old = []; // the new position of each placeholder
    const matches = this.text.matchAll(marks ? OR_MARK : PLACEHOLDER_OR_NUMBER);
    const spans = Array.from(matches, ({ 0: found, index }, position) => {
      const isToken = PLACEHOLDER_TOKENS.includes(found);
      const cased = this.case === "capitals" ? found.toUpperCase() : found; // 5PM
      const text = isToken ? this.placeholders[old.length] : cased;
      if (isToken) old.push(position);
      return { start: index, end: index + found.length, text };
    });
    const { text, placeholders } = mask(this.text, spans);
    const isOld = (number) => old.includes(number);
    const around = tagPairs(text, placeholders).filter((pair) => !pair.some(isOld));
    const { text: free, noSpace } = freed(text);
    this.noSpace.forEach((side, n) => side.forEach((index) => noSpace[n].add(old[index])));
    const tags = [...this.tags.map((pair) => pair.map((index) => old[index])), ...around];
    return new Sentence({ ...this, text: free, placeholders, noSpace, tags });
  }

  /**
   * Return whether a translation, as it is shown, has the digits of all numbers, as often.
   *
   * Those with letters have all of them and no more, and no others have many: no 5p or 5pmir for
   * 5pm.
   */
  keepsNumbers(text) {
    const whole = this.#whole;
    const found = digitCounts(text);
    const wanted = digitCounts(whole.replace(OTHERWISE, ""));
    const hasAll = [...wanted].every(([run, count]) => found.get(run) === count);
    const numbers = this.text.match(JOINED_DIGITS) ?? [];
    const words = this.text.match(DIGIT_WITH_LETTERS) ?? [];
    const isOther = ([digit, letter, ...more]) =>
      new RegExp(`${digit}${letter}(?!${more.join("")}(?!${LETTER_OF_WORD}))`, "iu").test(text);
    const isGlued = (text.match(BROKEN_NUMBER) ?? []).some((word) => !whole.includes(word));
    const hasJoined = numbers.every((number) => text.includes(number));
    return hasAll && hasJoined && !words.some(isOther) && !isGlued;
  }

  /** Return whether it also has all of MARKS, no half of "", and no "(very" of the source. */
  keepsAll(text) {
    const kinds = MARKS.filter(([own]) => this.text.search(own) >= 0).map(([, found]) => found);
    const count = (part) => kinds.map((kind) => part.match(kind)?.length ?? 0).join();
    const hasHalf = (part) => (part.match(/"/g)?.length ?? 0) % 2;
    const isOpened = (this.text.match(OPENED) ?? []).some((opened) => text.includes(opened));
    const isLeft = isOpened || HOLLOW.test(text);
    const isSame = count(text) === count(this.#whole) && hasHalf(text) === hasHalf(this.#whole);
    return this.keepsNumbers(text) && !isLeft && (kinds.length === 0 || isSame);
  }

  get #whole() {
    return [this.before, this.text, ...this.placeholders, this.after].join(" ");
  }

  /** Return tokens with placeholders put back. */
  shown(tokens) {
    if (this.placeholders.length === 0 || tokens.length === 0) return tokens;
    return restore(tokens.join("\n"), this.placeholders).split("\n");
  }
}

/** Return how often a text has each of its numbers. */
function digitCounts(text) {
  const counts = new Map();
  for (const run of plainDigits(text).match(DIGIT_RUNS) ?? []) {
    counts.set(run, (counts.get(run) ?? 0) + 1);
  }
  return counts;
}

/** Return two texts as one: without a space if noSpace, and with one between two words. */
function joined(left, right, noSpace) {
  if (noSpace) return stripEnd(left) + stripStart(right);
  return endsCased(left) && beginsCased(right) ? `${left} ${right}` : left + right;
}

/** Return a text as the model reads it: "Who?!" -> "Who?", and "So… yes…" -> "So... yes.". */
export function withOneMark(text) {
  text = text.replace(LAST_COMMA, "");
  if (text.search(SPACELESS) < 0) text = text.replace(ELLIPSIS, ".").replaceAll("…", "...");
  return text.replace(END_MARKS, (marks) => ASKS.exec(marks)?.[0] ?? marks[0]);
}

/** Return marks in the script of the marks that end a translation: "？" and "?!" -> "？！". */
function inScriptOf(end, marks) {
  const plain = withPlainMarks(marks);
  if ("？！".includes(end[0])) return plain.replaceAll("?", "？").replaceAll("!", "！");
  return ASKS.test(end[0]) ? plain.replaceAll("?", end[0]) : plain;
}

/**
 * Return {text, noSpace}: a text with a space between placeholder tokens and words beside them.
 *
 * So the model reads "<b>here</b>" as a word between two placeholders, and not as the end of one.
 */
export function freed(text) {
  const noSpace = [new Set(), new Set()];
  let placeholder = 0;
  const free = text.replace(PLACEHOLDER, (token, start) => {
    const touches = [endsCased(text.slice(0, start)), beginsCased(text.slice(start + 1))];
    noSpace.filter((_, side) => touches[side]).forEach((side) => side.add(placeholder));
    placeholder++;
    return (touches[0] ? " " : "") + token + (touches[1] ? " " : "");
  });
  return { text: free, noSpace };
}
