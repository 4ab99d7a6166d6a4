/**
 * Characters, spaces and patterns as Python takes them: gru_mt/data/text.py, and what its `str` and
 * `re` mean by a word, a digit or a space.
 *
 * Python 3.11 knows Unicode 14. Characters that are newer, or were changed since, may differ.
 */

// What each class of Python's `re` holds; and \m, the marks that belong to the letter before them.
const CLASSES = {
  "\\m": String.raw`\p{M}\u200c\u200d`,
  "\\w": String.raw`\p{L}\p{N}_`,
  "\\d": String.raw`\p{Nd}`,
  "\\s": String.raw`\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000`,
};

/**
 * Return the text of a pattern for the flag u. It is written as for Python with its flag VERBOSE:
 * whitespace means nothing, \w, \d and \s are Python's, and \m are MARKS of text.py. `parts` are
 * such texts.
 *
 * pattern`[\d.] | ${"ab"}` -> "[\p{Nd}.]|ab"
 *
 * With the flag v patterns would be shorter, but V8 11.3 fails there: /(?:a[^ab]*){2}/v and "acad".
 */
export function pattern({ raw }, ...parts) {
  let inClass = false;
  const read = (token) => {
    if (token === "[" || token === "]") inClass = token === "[";
    const own = CLASSES[token];
    return own ? (inClass ? own : `[${own}]`) : token.trim();
  };
  return String.raw({ raw: raw.map((text) => text.replace(/\\.|[[\]]|\s+/g, read)) }, ...parts);
}

const UNSEEN = /[\u00ad\u200b\u2060\ufeff]/g;
// Latin ligatures, and what has a full width: all, or letters and digits with a sign between two.
const WIDE = /[\ufb00-\ufb06！-～]/g;
const WIDE_WORD = /[\ufb00-\ufb06]|[０-９Ａ-Ｚａ-ｚ]+(?:[＇，-／：＠＿][０-９Ａ-Ｚａ-ｚ]+)*/g;
const SPACE_RUNS = new RegExp(pattern`\s+`, "gu");
const FIRST_SPACES = new RegExp(pattern`^\s+`, "u");
const LAST_SPACES = new RegExp(pattern`(?<!\s)\s+$`, "u");

/**
 * A letter of a script without spaces, with the marks and punctuation after it. Those are, line by
 * line: Thai to Myanmar; Khmer and Tai; kana and Bopomofo; Han and Yi; more Myanmar and Tai; Han of
 * older standards and half-width kana; more kana and Han.
 */
export const SPACELESS = new RegExp(
  pattern`[
    \u0e00-\u109f
    \u1780-\u17ff \u1950-\u1aaf
    \u3005-\u3007 \u3041-\u312f \u31a0-\u31ff
    \u3400-\u4dbf \u4e00-\ua4cf
    \ua9e0-\ua9ff \uaa60-\uaadf
    \uf900-\ufaff \uff66-\uff9f
    \u{1aff0}-\u{1b16f} \u{20000}-\u{3ffff}
  ](?<=\w)[^\w\s]*`,
  "gu",
);

export const ANY_LETTER = String.raw`[\p{L}\p{Nl}\p{No}]`; // for Python, ² and Ⅷ are letters too

/** Letters, and marks after the first one. */
export const WORD = pattern`${ANY_LETTER}+ (?: [\m]+${ANY_LETTER}* )*`;

const FIRST_IN_WORD = new RegExp(pattern`^(?!_)[\w\m]`, "u");

/** Return whether a text begins with a character of a word: a letter, a digit, a vowel sign. */
export function inWord(text) {
  return FIRST_IN_WORD.test(text);
}

/** Return a text with plain Latin letters, digits and signs: see `narrow` in text.py. */
export function narrow(text) {
  const wide = text.search(SPACELESS) < 0 ? WIDE : WIDE_WORD;
  return text.replace(wide, (each) => each.normalize("NFKC"));
}

/** Return a text in Unicode's NFC, narrow, and without soft hyphens and spaces of no width. */
export function normal(text) {
  return narrow(text.replace(UNSEEN, "")).normalize("NFC");
}

/** Return a normal text with one space for each run of whitespace, and none at its ends: "a b". */
export function clean(text) {
  return strip(normal(text).replace(SPACE_RUNS, " "));
}

/** Return a text without the whitespace at its ends. */
export function strip(text) {
  return stripEnd(stripStart(text));
}

/** Return a text without the whitespace it begins with. */
export function stripStart(text) {
  return text.replace(FIRST_SPACES, "");
}

/** Return a text without the whitespace it ends with. */
export function stripEnd(text) {
  return text.replace(LAST_SPACES, "");
}

/** Return how many characters a text has, as Python counts them: "😀" -> 1. */
export function size(text) {
  return [...text].length;
}

/** Return whether a text has capitals, and no letter in another case. */
export function isUpper(text) {
  return /\p{Uppercase}/u.test(text) && !/[\p{Lowercase}\p{Lt}]/u.test(text);
}

/** Return whether a text has small letters, and no letter in another case. */
export function isLower(text) {
  return /\p{Lowercase}/u.test(text) && !/[\p{Uppercase}\p{Lt}]/u.test(text);
}

/** Return whether each word of a text begins with its only capital: "O'Brien" -> true. */
export function isTitle(text) {
  const wrong = /(?<=\p{Cased})[\p{Uppercase}\p{Lt}]|(?<!\p{Cased})\p{Lowercase}/u;
  return /\p{Cased}/u.test(text) && !wrong.test(text);
}

/** Return whether a text begins with a capital. */
export function isCapitalised(text) {
  return /^\p{Uppercase}/u.test(text);
}
