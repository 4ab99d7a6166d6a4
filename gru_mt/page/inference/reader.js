/** From a line to the sentences that a model reads: gru_mt/inference/preprocessing/reader.py. */

import { ANY_PLACEHOLDER, PLACEHOLDER, PLACEHOLDER_TOKENS } from "../tokenizer/special.js";
import { clean, inWord, isAllCaps, isCapitalised, isLower, isUpper } from "../text/normalize.js";
import { ANY_LETTER, narrow, normal, pattern, size, stripEnd } from "../text/normalize.js";
import { stripStart, usual } from "../text/normalize.js";
import { countPlaceholders, disjoint, findPlaceholders, mask } from "../text/placeholders.js";
import { restore } from "../text/placeholders.js";
import { findNames, maskInitials } from "../text/names.js";
import { core } from "./frames.js";
import { doubleQuoted, tagPairs } from "./tags.js";
import { BEGINNING, freed, Sentence, withOneMark } from "./sentence.js";
import { isBreak, splitMasked } from "./pieces.js";

// A sentence too long is split into parts of a quarter of what a model reads, at most.
const PARTS = 4;
const LINE_ENDS = new RegExp(pattern`\r\n | [\n-\r \x1c-\x1e \x85 \u2028 \u2029]`, "gu");
const BESIDE_AND = pattern`( \w[\w'’\-]*\w | (?<![\w'’\-])${ANY_LETTER}(?![\w'’\-]) | ${ANY_PLACEHOLDER} )`;
// From where a word begins: from each of its letters would take the square of its length.
const AMPERSAND = new RegExp(
  pattern`(?<!\w)(?<!\w['’\-])${BESIDE_AND}\x20&\x20(?=${BESIDE_AND})`,
  "gu",
);
const IS_LETTER = new RegExp(pattern`^${ANY_LETTER}$`, "u");
const COMMA = /(?<=[A-Za-zÀ-ӿ]{2}),(?=[A-Za-zÀ-ӿ])/gu; // dogs,cats: a space is missing
// Tom;He is big.;5 and He is big.,5 and 12,He is and Tom,He is big.,5
const CELL_END = new RegExp(
  pattern`(?<=[\p{L}\p{N}.!?]);+(?=[\p{L}\p{N}"]) | (?<=")(?:;+|,)(?=[\p{L}\p{N}])
    | (?<=${ANY_LETTER}{2}[.!?]),(?=[^\s]) | (?<=\p{Nd}),(?= "|[A-Z][a-z]*\s[a-z] )
    | (?<=\w),(?=[A-Z][^,\s]*\s[^,]*(?<=[a-z][.!?]),[^\s])`,
  "gu",
);
// Where a sentence too long is split: after punctuation, else a word.
const CUTTING_PLACES = [
  pattern`[;:。；：]\s* | [–—]\s+`,
  pattern`[,،，、]\s*`,
  pattern`\s+`,
].map((each) => new RegExp(each, "gu"));

/**
 * Return the sentences of a line; none of a blank one.
 *
 * `splitLine` splits it once it is masked; `dates` is a DateFinder, or null; `fits` tells whether a
 * text has at most a part of the tokens that a model reads.
 */
export function readLine(typed, { truecaser, splitLine, dates, fits, conjunction }) {
  const line = readable(typed);
  if (!line) return [];
  const isSmall = (word) => truecaser.isSmall(word);
  const found = dates?.find(line, isSmall, (name) => truecaser.isRare(name)) ?? [];
  const spans = copiedSpans(line, truecaser, found, conjunction);
  let [start, first] = [0, 0]; // in the line; of the spans
  return splitMasked(splitLine(mask(line, spans).text), spans, truecaser).flatMap((shown) => {
    const inside = spans.slice(first, first + countPlaceholders(shown));
    const piece = { line, start, shown, spans: inside, conjunction };
    start = endOf(piece);
    first += inside.length;
    return partsOf(piece, truecaser, fits);
  });
}

/** Return where a piece {line, start, shown, spans} of a line ends; `shown` is masked. */
function endOf({ start, shown, spans }) {
  return start + shown.length + spans.reduce((sum, span) => sum + span.end - span.start - 1, 0);
}

/** Return what is before and after a position in what is shown of a piece. */
function splitPiece(piece, position) {
  const { shown, spans } = piece;
  const number = countPlaceholders(shown.slice(0, position));
  const before = { ...piece, shown: shown.slice(0, position), spans: spans.slice(0, number) };
  const start = endOf(before);
  return [
    before,
    { ...piece, start, shown: shown.slice(position), spans: spans.slice(number) },
  ];
}

/** Return a sentence, or the parts of one that is too long. */
function partsOf(piece, truecaser, fits) {
  const whole = sentenceOf(piece, truecaser);
  if (fits(whole.text, 1)) return [whole];
  const found = [];
  const parts = [piece]; // the next one is the last
  while (parts.length) {
    const part = parts.pop();
    const sentence = sentenceOf(part, truecaser);
    if (!fits(sentence.text, PARTS) && size(part.shown) > 1) {
      parts.push(...splitPiece(part, bestPlace(part.shown)).reverse());
      continue;
    }
    const [letter = ""] = sentence.typed;
    if (part.start > piece.start && isLower(letter)) sentence.case = "small";
    sentence.isPart = true;
    found.push(sentence);
  }
  return found;
}

/** Return where a text too long is split: near its middle, after punctuation, else a word. */
function bestPlace(text) {
  const characters = [...text];
  const count = characters.length;
  const middle = count >> 1;
  for (const seam of CUTTING_PLACES) {
    let [end, position, best] = [0, 0, null]; // as JavaScript and as Python count
    for (const { 0: found, index } of text.matchAll(seam)) {
      position += size(text.slice(end, index + found.length));
      end = index + found.length;
      const isNear = count >> 2 < position && position < (3 * count) >> 2;
      const distance = Math.abs(position - middle);
      if (isNear && (best === null || distance < best.distance)) best = { end, distance };
    }
    if (best) return best.end;
  }
  let position = middle;
  while (position < count - 1 && isMark(characters[position])) position++;
  return characters.slice(0, Math.max(1, position)).join("").length;
}

/** Return whether a character belongs to the letter before it, as an accent does. */
function isMark(character) {
  return inWord(character) && !/[\p{L}\p{N}]/u.test(character);
}

/** Return a text with each token as the next of `placeholders`. */
function filled(text, placeholders) {
  const left = placeholders.values();
  return text.replace(PLACEHOLDER, () => left.next().value);
}

/** Return a normal line, but for what is copied: that is only narrow, else as it was typed. */
export function readable(typed) {
  const valid = typed.replace(/\p{Cs}/gu, "?"); // no half surrogate pairs
  const line = narrow(usual(valid.replace(LINE_ENDS, " ")));
  if (normal(line) === line) return stripEnd(line);
  const { text, placeholders } = mask(line, findPlaceholders(line));
  return stripEnd(restore(normal(text), placeholders));
}

/** Return what a translation copies of a line, and the dates; no two touch, but for pairs. */
function copiedSpans(line, truecaser, dates, conjunction) {
  const ands = new Set(ampersands(line, conjunction, truecaser).map(({ index }) => index));
  // A user's own placeholder tokens again, as what holds one may give way to a longer placeholder.
  const own = [PLACEHOLDER, CELL_END].flatMap((each) =>
    Array.from(line.matchAll(each), ({ 0: text, index }) => {
      return { start: index, end: index + text.length, text };
    }),
  );
  let hidden = line; // without dates, as their digits would take in a sign beside them: **May 5**
  for (const { start, end } of dates) {
    hidden = hidden.slice(0, start) + PLACEHOLDER_TOKENS[0].repeat(end - start) + hidden.slice(end);
  }
  const found = findPlaceholders(hidden, (word) => truecaser.has(word));
  const copied = found.filter(({ text, start }) => {
    const isWord = truecaser.shorthand.has(text.toLowerCase()); // w/o
    return !isWord && !(text === "&" && ands.has(start));
  });
  for (const span of copied) span.text = line.slice(span.start, span.end);
  const spans = disjoint([...dates, ...copied, ...own]);
  const { text, placeholders } = mask(line, spans);
  const paired = new Set(tagPairs(text, placeholders).flat());
  const merged = [];
  let isOpen = false; // whether the last one may grow
  spans.forEach((span, number) => {
    const isKept = isBreak(span.text) || span.text.search(PLACEHOLDER) >= 0;
    const isAlone = !paired.has(number) && !isKept && !span.isDate;
    const before = merged.at(-1);
    if (isAlone && isOpen && before.end === span.start) {
      merged[merged.length - 1] = {
        ...{ start: before.start, end: span.end },
        text: before.text + span.text,
      };
    } else {
      merged.push(span);
    }
    isOpen = isAlone;
  });
  return merged;
}

/** Return where an & stands for a word, and the word. Not between names: Marks & Spencer. */
function ampersands(text, conjunction, truecaser) {
  const found = conjunction && text.includes("&") ? [...text.matchAll(AMPERSAND)] : [];
  return found.flatMap(({ 0: match, 1: before, 2: after, index }) => {
    const beside = [before, after];
    const isName = beside.some((word) => isCapitalised(word) && !truecaser.has(word));
    const isLetters = beside.every((word) => IS_LETTER.test(word)); // Q & A
    if (isName || isLetters || before === after) return [];
    const word = beside.every(isUpper) ? conjunction.toUpperCase() : conjunction;
    return [{ index: index + match.length - 2, word }];
  });
}

/** Return a piece of a line as a sentence. */
function sentenceOf(piece, truecaser) {
  const shown = stripEnd(piece.shown);
  const all = piece.spans.map((span) => span.text);
  const source = stripEnd(piece.line.slice(piece.start, endOf(piece)));
  const inner = stripStart(shown);
  const indent = shown.length - inner.length;
  const isSmall = (word) => truecaser.isSmall(word);
  const known = piece.spans.map((span) => (span.isDate ? null : span.text));
  const [start, end] = core(inner, known, tagPairs(shown, all), isSmall).map((at) => at + indent);
  const [before, after] = [shown.slice(0, start), shown.slice(end)];
  const first = countPlaceholders(before);
  const last = all.length - countPlaceholders(after);
  const typed = doubleQuoted(clean(shown.slice(start, end)));
  let spaced = typed.replace(COMMA, ", ");
  for (const { index, word } of ampersands(spaced, piece.conjunction, truecaser).reverse()) {
    spaced = spaced.slice(0, index) + word + spaced.slice(index + 1);
  }
  const written = truecaser.shorthand.writtenOut(spaced);
  const inside = { text: written, placeholders: all.slice(first, last) };
  const { text, placeholders } = maskInitials(inside, truecaser);
  const cased = truecaser.truecased(text);
  const careful = truecaser.corrected(cased);
  const names = findNames(careful, truecaser);
  const staysSmall = followsEllipsis(piece) && isLower(typed.slice(0, 1)) && !isName(careful);
  const shape = staysSmall ? "small" : caseOf(text, cased, names, piece.spans.slice(first));
  if (shape === "capitals") for (const name of names) name.text = name.text.toUpperCase();
  const copied = Array.from(careful.matchAll(PLACEHOLDER), ({ index }, k) => {
    return { start: index, end: index + 1, text: placeholders[k] };
  });
  const masked = mask(
    careful,
    [...copied, ...names].sort((a, b) => a.start - b.start),
  );
  const sentence = new Sentence({
    ...{ source, gap: piece.shown.slice(shown.length), typed },
    ...{ before: filled(before, all.slice(0, first)), after: filled(after, all.slice(last)) },
    ...{ placeholders: masked.placeholders, ...freed(withOneMark(masked.text)) },
    tags: tagPairs(masked.text, masked.placeholders),
    ...{ case: shape, spellingCorrected: careful !== cased, isPart: false, terms: new Set() },
  });
  return piece.spans.some((span) => span.isDate) ? withDates(sentence, piece) : sentence;
}

/** Return a sentence whose dates have its case: are in capitals, or get one at the start. */
function withDates(sentence, { line, shown, spans }) {
  const dates = spans.filter((span) => span.isDate).map((span) => span.text);
  const whole = filled(
    shown,
    spans.map(({ isDate, start, end }) => (isDate ? line.slice(start, end) : "")),
  );
  if (isAllCaps(whole)) {
    const upper = (text) => (dates.includes(text) ? text.toUpperCase() : text);
    return new Sentence({
      ...sentence,
      ...{ placeholders: sentence.placeholders.map(upper), case: "capitals" },
    });
  }
  const [first = ""] = /\p{L}/u.exec(whole) ?? [];
  const isPhrase = isLower(first) || (!isUpper(first) && inWord([...whole].at(-1) ?? ""));
  const small = dates.filter((text) => /^\p{Lowercase}/u.test(text));
  return new Sentence({
    ...sentence,
    ...{ terms: new Set(isPhrase ? [] : small) },
    case: sentence.case === "capitals" ? "model" : sentence.case,
  });
}

/** Return whether a piece is after an ellipsis, as "you came" is in "So... you came". */
function followsEllipsis({ line, start }) {
  return /(?:\.\.|…)$/.test(stripEnd(line.slice(Math.max(0, start - 9), start)));
}

/** Return whether a text begins with a capital in its usual case, and with no word of a letter. */
function isName(careful) {
  return isCapitalised(careful) && /^.\p{L}/u.test(careful);
}

/** Return the case that a translation has; a name or a date at the start brings its own. */
function caseOf(typed, cased, names, spans) {
  if (isAllCaps(typed) && !isAllCaps(cased)) return "capitals"; // and not "OK"
  const [before] = BEGINNING.exec(typed);
  const hasDate = spans.slice(0, countPlaceholders(before)).some((span) => span.isDate);
  const hasOwn = hasDate || names.some(({ start }) => start <= before.length);
  return isCapitalised(typed.slice(before.length)) && !hasOwn ? "capital" : "model";
}
