/** From a line to its sentences, and from a model's text back: gru_mt/inference/sentence.py. */

import { isShouted, words } from "./lexicon.js";
import { findLiterals, literalIndices, MARK, mask, restore, tagPairs } from "./literals.js";
import { LITERALS } from "./special.js";
import { clean, inWord, ANY_LETTER, narrow, normal, pattern } from "./text.js";
import { strip, stripEnd, stripStart } from "./text.js";

// Words without a final mark are no sentence: "Cat" has the source's capital.
const PHRASE_WORDS = 2;
// What `literals` leaves to the model: 7, 12, 10:30, 1.5, 5th, 5pm.
const SHORT_NUMBER = pattern`(?<![\w\m.,:/\-]) \d{1,2} (?: [.,:/\-]\d{1,2} )*
  (?: ${ANY_LETTER} | [\m] ){0,3} (?! [\w\m:] | [.,/\-]\d )`;
const SHORT_NUMBERS = new RegExp(SHORT_NUMBER, "gu");
const MARK_OR_NUMBER = new RegExp(`${MARK.source}|${SHORT_NUMBER}`, "gu");
// "5pmer" has none.
const DIGIT_RUNS = new RegExp(pattern`\d+ (?! \d | (?: ${ANY_LETTER} | [\m] ){4} )`, "gu");
const LINE_ENDS = new RegExp(pattern`\r\n | [\n-\r \x1c-\x1e \x85 \u2028 \u2029]`, "gu");
// Of a word in a script with spaces: a letter with case, or a digit, as ² and ① are too.
const CASED = pattern`[
  \p{CWL} \p{CWU} \d \xb2 \xb3 \xb9 \u1369-\u1371 \u19da \u2070 \u2074-\u2079 \u2080-\u2089
  \u2460-\u2468 \u2474-\u247c \u2488-\u2490 \u24ea \u24f5-\u24fd \u24ff \u2776-\u277e
  \u2780-\u2788 \u278a-\u2792 \u{10a40}-\u{10a43} \u{10e60}-\u{10e68} \u{11052}-\u{1105a}
  \u{1f100}-\u{1f10a}
]`;
const CASED_FIRST = new RegExp(`^${CASED}`, "u");
const CASED_LAST = new RegExp(`${CASED}$`, "u");

/** A sentence as it stands in its line, and as the model reads it. */
export class Sentence {
  /**
   * Take {source, gap, text, literals, glued, case, respelled, plain}.
   *
   * `gap` are the spaces after it; `text` is masked, in its usual case; `literals` are what its
   * marks become in a translation; `glued` has two sets of literals: those that a word touches on
   * their left, and on their right. `case` is "capitals" or "capital" where a translation has
   * that, or "model". `respelled` tells whether a word was taken for one with a typo. `plain` is
   * the clean text as it was typed, or null where it has literals.
   */
  constructor(parts) {
    Object.assign(this, parts);
  }

  /** Whether it has nothing to translate, no letter outside literals: "10." or "a@b.org". */
  get isCopied() {
    return !/\p{L}/u.test(this.text);
  }

  /** Return the model's text as it is shown: literals put back, in capitals if wanted. */
  finished(text) {
    if (this.case === "capitals") text = text.toUpperCase();
    if (this.case === "capital") text = text.replace(/^./su, (first) => first.toUpperCase());
    const [first, ...others] = text.split(MARK);
    const marks = text.match(MARK) ?? [];
    const indices = literalIndices(text);
    for (const pair of tagPairs(this.literals)) {
      // A tag that closes comes after the one that opens.
      const places = pair.map((index) => indices.indexOf(index)).sort((a, b) => a - b);
      if (places[0] >= 0) places.forEach((place, side) => (indices[place] = pair[side]));
    }
    const before = Array.from(this.text.matchAll(MARK), ({ index }) => this.text[index - 1] ?? " ");
    const [left, right] = this.glued;
    return indices.reduce((whole, index, k) => {
      const hasEnded = /[.!?…]$/.test(whole.slice(-1)) && before[index] === " ";
      const begun = hasEnded ? `${whole} ` : whole; // "Où sont-ils ?Oksana"
      const literal = this.literals[index] ?? marks[k];
      return joined(joined(begun, literal, left.has(index)), others[k], right.has(index));
    }, first);
  }

  /** Return the sentence with its short numbers as literals too. */
  withNumbers() {
    const old = []; // the new place of each literal
    const spans = Array.from(this.text.matchAll(MARK_OR_NUMBER), ({ 0: found, index }, place) => {
      const isMark = LITERALS.includes(found);
      const text = isMark ? this.literals[old.length] : found;
      if (isMark) old.push(place);
      return { start: index, end: index + found.length, text };
    });
    const glued = this.glued.map((side) => new Set([...side].map((index) => old[index])));
    return new Sentence({ ...this, ...mask(this.text, spans), glued, plain: null });
  }

  /** Return whether a translation of its text has the digits of its short numbers, as often. */
  keepsNumbers(text) {
    const numbers = (this.text.match(SHORT_NUMBERS) ?? []).join(" ");
    const found = digitCounts(text);
    return [...digitCounts(numbers)].every(([digits, count]) => found.get(digits) === count);
  }

  /** Return tokens with literals put back. */
  shown(tokens) {
    return tokens.length ? restore(tokens.join("\n"), this.literals).split("\n") : [];
  }
}

/** Return how often a text has each of its numbers. */
function digitCounts(text) {
  const counts = new Map();
  for (const [digits] of text.matchAll(DIGIT_RUNS)) {
    counts.set(digits, (counts.get(digits) ?? 0) + 1);
  }
  return counts;
}

/** Return two texts as one: without a space if glued, and with one between two words. */
function joined(left, right, isGlued) {
  if (isGlued) return stripEnd(left) + stripStart(right);
  return endsCased(left) && beginsCased(right) ? `${left} ${right}` : left + right;
}

function endsCased(text) {
  return CASED_LAST.test(text.slice(-2)); // a character may be two code units
}

/** Return whether a text begins with a word in a script with spaces. */
export function beginsCased(text) {
  return CASED_FIRST.test(text.slice(0, 2));
}

/**
 * Return {text, glued}: a text with a space between marks and the words that touch them.
 *
 * So the model reads "<b>here</b>" as a word between two literals, and not as the end of one.
 */
function freed(text) {
  const glued = [new Set(), new Set()];
  let literal = 0;
  const free = text.replace(MARK, (mark, start) => {
    const touches = [endsCased(text.slice(0, start)), beginsCased(text.slice(start + 1))];
    glued.filter((_, side) => touches[side]).forEach((side) => side.add(literal));
    literal++;
    return (touches[0] ? " " : "") + mark + (touches[1] ? " " : "");
  });
  return { text: free, glued };
}

/** Return the sentences of a line, which `cutLine` cuts once it is masked; none of a blank one. */
export function readLine(line, lexicon, cutLine) {
  const valid = line.replace(/\p{Cs}/gu, "?"); // no half surrogate pairs
  const text = strip(normalLine(valid.replace(LINE_ENDS, " ")));
  const spans = findLiterals(text);
  let start = 0;
  let first = 0; // span of a piece
  return (text ? cutLine(mask(text, spans).text) : []).map((piece) => {
    const shown = stripEnd(piece);
    const inside = spans.slice(first, first + (shown.match(MARK) ?? []).length);
    const grown = inside.reduce((sum, span) => sum + span.end - span.start - 1, 0);
    const source = text.slice(start, start + shown.length + grown);
    start += piece.length + grown;
    first += inside.length;
    const literals = inside.map((span) => span.text);
    return sentenceOf(source, piece.slice(shown.length), literals, shown, lexicon);
  });
}

/** Return a normal line, but for what is copied: that is only narrow, else as it was typed. */
function normalLine(typed) {
  const line = narrow(typed);
  if (normal(line) === line) return line;
  const { text, literals } = mask(line, findLiterals(line));
  return restore(normal(text), literals);
}

/** Return a sentence; the marks in its text `shown` stand for `literals`. */
function sentenceOf(source, gap, literals, shown, lexicon) {
  const text = clean(shown);
  const cased = lexicon.truecased(text);
  const isPhrase = inWord([...text].at(-1) ?? "") && words(text).length <= PHRASE_WORDS;
  const isLowered = text.codePointAt(0) !== cased.codePointAt(0);
  const shape = isShouted(text) ? "capitals" : isPhrase && isLowered ? "capital" : "model";
  const isKnown = lexicon.hasAll(cased);
  const careful = isKnown ? cased : lexicon.respelled(cased);
  const names = isKnown ? [] : lexicon.unseenNames(careful);
  if (shape === "capitals") for (const name of names) name.text = name.text.toUpperCase();
  const marks = Array.from(careful.matchAll(MARK), ({ index }, k) => {
    return { start: index, end: index + 1, text: literals[k] };
  });
  const masked = mask(
    careful,
    [...marks, ...names].sort((a, b) => a.start - b.start),
  );
  const respelled = careful !== cased;
  const plain = literals.length ? null : text;
  return new Sentence({
    ...{ source, gap, ...masked, ...freed(masked.text) },
    ...{ case: shape, respelled, plain },
  });
}
