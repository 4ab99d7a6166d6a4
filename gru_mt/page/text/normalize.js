/**
 * Characters, spaces and patterns as Python takes them: gru_mt/data/text/normalize.py, and what its
 * `str` and `re` mean by a word, a digit or a space.
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

// An escape, a class, the beginning of a group, its end, a quantifier, or another character.
const TOKEN =
  /\\(?:[pk][{<][^}>]*[}>]|u\{[^}]*\}|u[\da-f]{4}|x..|.)|\[(?:\\.|[^\\\]])*\]|\((?:\?(?:<?[=!]|:|<\w+>))?|\)|(?:[*+?]|\{\d+(?:,\d*)?\})[+?]?|[^]/giu;

/**
 * Return the regular expression of a pattern that may have Python's possessive quantifiers, *+, ++,
 * ?+ and {m,n}+: they give back nothing that they took. In JavaScript a lookahead does that.
 *
 * "a*+b" -> /(?=(?<p0>a*))\k<p0>b/gu
 */
export function expression(source, flags = "gu") {
  const parts = []; // of the pattern
  const opened = []; // the positions of the groups that are open
  let atom = 0; // the position of what a quantifier repeats
  let count = 0;
  for (const [token] of source.matchAll(TOKEN)) {
    const isQuantifier = /^(?:[*+?]|\{\d)/.test(token);
    if (isQuantifier && token.length > 1 && token.endsWith("+")) {
      const repeated = parts.splice(atom).join("") + token.slice(0, -1);
      parts.push(`(?=(?<p${count}>${repeated}))\\k<p${count}>`);
      count++;
      continue;
    }
    if (token === ")") atom = opened.pop();
    else if (!isQuantifier) atom = parts.length;
    if (token.startsWith("(")) opened.push(atom);
    parts.push(token);
  }
  return new RegExp(parts.join(""), flags);
}

const HYPHEN = /[\u2010\u2011]/g; // unlike the usual one
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g; // unseen marks of it
const UNSEEN = /[\u00ad\u200b\u2060\ufeff]/g;
const STACK = new RegExp(pattern`([\m]{30})[\m]+`, "gu"); // no letter has so many marks
// Latin ligatures, and what has a full width: all, or letters and digits with a sign between two.
const WIDE = /[\ufb00-\ufb06！-～]/g;
const WIDE_WORD = /[\ufb00-\ufb06]|[０-９Ａ-Ｚａ-ｚ]+(?:[＇，-／：＠＿][０-９Ａ-Ｚａ-ｚ]+)*/g;
const SPACE_RUNS = new RegExp(pattern`\s+`, "gu");
const FIRST_SPACES = new RegExp(pattern`^\s+`, "u");
const SPACE_ALONE = new RegExp(pattern`^\s$`, "u");

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

/** A letter, and letters and marks after it. */
export const WORD = pattern`${ANY_LETTER}[\p{L}\p{Nl}\p{No}\m]*`;

/** What finds every word. */
export const EVERY_WORD = new RegExp(WORD, "gu");

/** Return the words of a text: runs of letters, and each letter of a script without spaces. */
export function words(text) {
  return text.replace(SPACELESS, " $& ").match(EVERY_WORD) ?? [];
}

/** Titles before a name. */
export const TITLES = "MM?|Mrs?|Ms|Mmes?|Mlles?|Dr|Pr|Prof|Mgr|Ste?|Sra?|Dña|Gral|Hr|Fr|Frl|Fam";
const COMPANY = new RegExp(
  pattern`\x20(?:Inc|Ltd|Corp|LLC|PLC|GmbH)(?![\w\m]) (?: \.(?= , | \x20[a-z] ) )?`,
  "uy",
);
const TITLE = new RegExp(pattern`(?<!\w)(${TITLES})\.\s+`, "gu");

/** Return where names are that follow titles, each with its title: "Mr. White". */
export function titleEnds(text) {
  const found = Array.from(text.matchAll(TITLE), ({ 0: { length }, 1: title, index: start }) => {
    return [start + length, { start, title }];
  });
  return new Map(found);
}

/** Return what makes the name before it one of a company: " Inc." after "Apple", or "". */
export function companyAfter(text, end) {
  COMPANY.lastIndex = end;
  return COMPANY.exec(text)?.[0] ?? "";
}

/** What finds apostrophes that mean the same as '. */
export const APOSTROPHES = /[’‘ʼ`´]/g;

// Marks of other scripts, by the Latin ones that mean the same.
const ALIKE = {
  ".": "。．｡।॥۔։።\u104b\u17d4",
  "!": "！",
  "?": "？؟፧",
  "…": "‥⋯",
  ",": "，、،",
  ";": "；؛",
  ":": "：",
};

/** The marks that may end a text, and those that end a sentence. */
export const FINAL_MARKS = ".!?…,;:" + Object.values(ALIKE).join("");
export const SENTENCE_END = ".!?…" + [...".!?…"].map((mark) => ALIKE[mark]).join("");

/** Return a text with Latin marks for those of other scripts: "。" -> ".". */
export function withPlainMarks(text) {
  const plain = (mark) => Object.keys(ALIKE).find((key) => ALIKE[key].includes(mark)) ?? mark;
  return [...text].map(plain).join("");
}

// The inside of a class: a digit, as ² and ① are too.
const DIGIT = pattern`
  \p{Nd} \xb2 \xb3 \xb9 \u1369-\u1371 \u19da \u2070 \u2074-\u2079 \u2080-\u2089
  \u2460-\u2468 \u2474-\u247c \u2488-\u2490 \u24ea \u24f5-\u24fd \u24ff \u2776-\u277e
  \u2780-\u2788 \u278a-\u2792 \u{10a40}-\u{10a43} \u{10e60}-\u{10e68} \u{11052}-\u{1105a}
  \u{1f100}-\u{1f10a}`;
const CASED = String.raw`[\p{CWL}\p{CWU}${DIGIT}]`; // of a word in a script with spaces
const FIRST_CASED = new RegExp(`^${CASED}`, "u");
const LAST_CASED = new RegExp(`${CASED}$`, "u");

/** What finds a digit, as ² and ① are too. */
export const HAS_DIGIT = new RegExp(`[${DIGIT}]`, "u");

/** Return whether a text begins with a word in a script with spaces: a digit, a cased letter. */
export function beginsCased(text) {
  return FIRST_CASED.test(text.slice(0, 2)); // a character may be two code units
}

/** Return whether a text ends with a word in a script with spaces. */
export function endsCased(text) {
  return LAST_CASED.test(text.slice(-2));
}

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
  return narrow(text.replace(UNSEEN, "").replace(STACK, "$1")).normalize("NFC");
}

/** Return a text with the usual hyphen for others, and without unseen marks of direction. */
export function usual(text) {
  return text.replace(DIRECTION, "").replace(HYPHEN, "-");
}

/** Return a usual, normal text with a space for each run of whitespace, none at its ends: "a b". */
export function clean(text) {
  return strip(normal(usual(text)).replace(SPACE_RUNS, " "));
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
  let end = text.length;
  while (end > 0 && SPACE_ALONE.test(text[end - 1])) end--; // a pattern would try each of its signs
  return text.slice(0, end);
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

const UNCASED = /[\u0590-\u1dff\u2e80-\ud7ff]/; // scripts without case, nearly all

/**
 * Return whether a text is in capitals: two or more, most of its letters, and no small one.
 *
 * A foreign name in a script without case is not in capitals: "我在IBM工作".
 */
export function isAllCaps(text) {
  if (text !== text.toUpperCase()) return false;
  const letters = text.match(/\p{L}/gu) ?? [];
  const cased = letters.filter((letter) => letter.toLowerCase() !== letter.toUpperCase());
  if (UNCASED.test(text)) {
    const foreign = words(text).filter((word) => word !== word.toLowerCase());
    if (foreign.length < 2) return false; // CEO是谁
  }
  return cased.length > Math.max(1, letters.length >> 1) && cased.every(isUpper);
}

const PLAIN_DIGITS = new Map(
  [..."٠۰०০੦૦୦௦౦೦൦๐໐༠၀០"].flatMap((zero) =>
    Array.from({ length: 10 }, (_, n) => [String.fromCharCode(zero.charCodeAt(0) + n), `${n}`]),
  ),
);

/** Return a text whose digits of other scripts are those from 0 to 9. */
export function plainDigits(text) {
  return text.replace(/\p{Nd}/gu, (digit) => PLAIN_DIGITS.get(digit) ?? digit);
}
