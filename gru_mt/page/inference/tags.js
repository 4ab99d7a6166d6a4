/** Which placeholders open and close each other: gru_mt/inference/preprocessing/tags.py. */

import { PLACEHOLDER } from "../tokenizer/special.js";
import { inWord, pattern, stripEnd } from "../text/normalize.js";

const TAG = new RegExp(pattern`^<(/?)([A-Za-z\d][\w:.\-]*)[^<>]*(?<!/)>$`, "u"); // not <br/>
// [b] and [/b]
const BRACKET_TAG = new RegExp(pattern`^([\[\{])(/?)([A-Za-z][\w\-]*)[^\[\]\{\}]*[\]\}]$`, "u");
const QUOTATION_MARK = /^["“”„«»「」『』]$/;
const WITHIN_QUOTES = pattern`[^'‘’] | (?<=\w)['’](?=\w)`; // no apostrophe but within a word
// Not 'tis, 'n', the dogs' house; but with a mark at its end 'the dogs' house,'
const SINGLE_QUOTED = new RegExp(
  pattern`(?<![\w\m'’])['‘](?! (?: [Tt](?: is | was | il ) | [Ee]m | [Cc](?: ause | uz ) | [Bb]out | [nstk] )(?!\w) )
    (?=[\p{L}_])
    (?: ( (?: ${WITHIN_QUOTES} | (?<=s)['’](?=\s) ){1,200}?(?<=[.,!?…]) ) | ( (?: ${WITHIN_QUOTES} ){1,200}? ) )
    ['’](?![\w\m])`,
  "gu",
);
const FIRST_WORD_WITH_SIGNS = new RegExp(pattern`^\s*[^\s\w]*\w[^\s]*`, "u");
const LAST_WORD_WITH_SPACES = new RegExp(pattern`\w[^\s]*\s*$`, "u");
const IS_SPACE = new RegExp(pattern`^\s`, "u");
const HAS_WORD = /[\p{L}\p{N}]/u;

/** Return {name, closes}: what a placeholder pairs with, if it closes (null for both); or null. */
function roleOf(placeholder) {
  const tag = TAG.exec(placeholder.replaceAll("&lt;", "<").replaceAll("&gt;", ">"));
  if (tag) return { name: `<${tag[2].toLowerCase()}`, closes: tag[1] !== "" };
  const bracket = BRACKET_TAG.exec(placeholder);
  if (bracket) return { name: bracket[1] + bracket[3], closes: bracket[2] !== "" };
  if (/^\][([]/.test(placeholder)) return { name: "[", closes: true };
  if (["[", "![", "[!["].includes(placeholder)) return { name: "[", closes: false };
  if (placeholder.endsWith("{")) return { name: "{", closes: false };
  if (placeholder === "}") return { name: "{", closes: true };
  if (/^[()（）]$/.test(placeholder)) return { name: "(", closes: ")）".includes(placeholder) };
  if (QUOTATION_MARK.test(placeholder)) return { name: '"', closes: null };
  const isRun = /^([*_~=|^+#])\1*$/.test(placeholder);
  return isRun || placeholder === "&quot;" ? { name: placeholder, closes: null } : null;
}

/** Return a text with "" around what is in single quotation marks, which are apostrophes too. */
export function doubleQuoted(text) {
  return text.replace(SINGLE_QUOTED, (found, ended, other) => `"${ended ?? other}"`);
}

/**
 * Return the numbers of each placeholder that opens and of the one that closes it: <b> and </b>.
 *
 * Signs around words are such pairs too, as those of *this*. `text` is masked.
 */
export function tagPairs(text, placeholders) {
  const opened = [];
  const counts = new Map(); // by name, of those that are open
  const count = (key, change) => counts.set(key, (counts.get(key) ?? 0) + change);
  const found = [];
  const positions = Array.from(text.matchAll(PLACEHOLDER), ({ index }) => index);
  placeholders.forEach((placeholder, number) => {
    const { name, closes } = roleOf(placeholder) ?? {};
    if (name === undefined) return;
    const isOpen = (counts.get(name) ?? 0) > 0;
    let isClosing = closes;
    if (closes === null) {
      // By the side on which it touches a word.
      const before = [...text.slice(0, positions[number]).slice(-2)].at(-1) ?? "";
      const after = text.slice(positions[number] + 1, positions[number] + 2);
      isClosing = isOpen && !IS_SPACE.test(before);
      if (!isClosing && (!after || IS_SPACE.test(after) || inWord(before))) return;
    }
    if (!isClosing) {
      opened.push({ name, number });
      count(name, 1);
    } else if (isOpen) {
      while (opened.at(-1).name !== name) count(opened.pop().name, -1);
      count(name, -1);
      found.push([opened.pop().number, number]);
    }
  });
  return found;
}

/**
 * Return {texts, order}: a translation's texts and the placeholders between them, its tags well
 * nested.
 *
 * `numbers` has the numbers of the placeholders, and `between` one text more. Placeholders of
 * `pairs` that cross come in the order of the source. A pair whose first is in the set `full`, as
 * it has words in the source, gets the word beside it if it has none; another has the placeholders
 * that it has in the source.
 */
export function nested(between, numbers, pairs, full) {
  const texts = [...between];
  const order = [...numbers];
  const present = pairs.filter((pair) => pair.every((number) => order.includes(number)));
  for (const pair of present) {
    const positions = pair.map((number) => order.indexOf(number)).sort((a, b) => a - b);
    positions.forEach((position, side) => (order[position] = pair[side]));
  }
  const spans = present.map((pair) => pair.map((number) => order.indexOf(number)));
  if (spans.some(([a, b]) => spans.some(([c, d]) => a < c && c < b && b < d))) {
    const tags = present.flat().sort((a, b) => a - b);
    const positions = tags.map((number) => order.indexOf(number)).sort((a, b) => a - b);
    positions.forEach((position, n) => (order[position] = tags[n]));
  }
  // The outer ones first, which may get a word for others.
  for (const [first, last] of [...present].sort((a, b) => a[0] - b[0])) {
    if (!full.has(first)) {
      for (let number = first + 1; number < last; number++) {
        putInside(texts, order, number, [first, last]);
      }
      continue;
    }
    const [opening, closing] = [order.indexOf(first), order.indexOf(last)];
    if (texts.slice(opening + 1, closing + 1).some((text) => HAS_WORD.test(text))) continue;
    const next = FIRST_WORD_WITH_SIGNS.exec(texts[closing + 1]);
    const previous = next ? null : LAST_WORD_WITH_SPACES.exec(texts[opening]);
    if (next) {
      texts[closing] += next[0];
      texts[closing + 1] = texts[closing + 1].slice(next[0].length);
    } else if (previous) {
      texts[opening + 1] = previous[0] + texts[opening + 1];
      texts[opening] = texts[opening].slice(0, previous.index);
    }
  }
  return { texts, order };
}

/** Move a placeholder, if it stands elsewhere, to before the one that closes the pair around it. */
function putInside(texts, order, number, [first, last]) {
  const position = order.indexOf(number);
  if (position < 0 || (order.indexOf(first) < position && position < order.indexOf(last))) return;
  order.splice(position, 1);
  texts.splice(position, 2, stripEnd(texts[position]) + texts[position + 1]);
  const closing = order.indexOf(last);
  order.splice(closing, 0, number);
  texts.splice(closing + 1, 0, "");
}
