/** Split a line into its sentences: gru_mt/inference/preprocessing/pieces.py. */

import { ANY_PLACEHOLDER, PLACEHOLDER } from "../tokenizer/special.js";
import { ANY_LETTER, EVERY_WORD, expression, isCapitalised, pattern } from "../text/normalize.js";
import { size, SPACELESS, stripStart, WORD } from "../text/normalize.js";
import { FEELING } from "../text/patterns.js";
import { isWordlike, MAIL_LABELS } from "./frames.js";
import { ENDS } from "./sentence.js";

const BESIDE_IT = 40; // characters beside a placeholder that tell whether a sentence ends there
const BULLETS = "[•◦▪■□●○◆►]";
const BLOCKS = "p|div|li|ul|ol|h[1-6]|t[dhr]|table|summary|option|title|button|label|dt|dd";
const BREAK = new RegExp(
  pattern`^(?: (?:\\t)*(?:\\[nrN](?:\\t)*)+ | (?: &#(?:1[03]|x[AD]); )+
    | <(?:br|hr)(?!\w)[^<>]*> | [|;>→]+ | , | ${BULLETS} | </?(?:${BLOCKS})(?!\w)[^<>]*> )$`,
  "iu",
);
const NO_BREAK_SPACES = /^(?:&nbsp;|&#160;|&#x[Aa]0;)+$/u;
// (laughs) or (0:32) before a capital, **Note:** and <b>Note</b>:
const LABEL_IN_MARKS = expression(
  pattern`^(?: \( (?! (?: [IVXivx]+ | \w{1,2} )\) ) [^\(\)]{1,40} \)\s+(?=[A-Z])
    | [^\w]*${ANY_PLACEHOLDER}${ANY_LETTER}[\p{L}\p{N}]{0,30}+ (?: \x20[\p{L}\p{N}]{1,30} ){0,2}
    (?: \s?:${ANY_PLACEHOLDER} | ${ANY_PLACEHOLDER}\s?: )\s+ )`,
  "u",
);
// Note: He is big. To: a@b.org
const WORDS_LABEL = expression(
  pattern`^(${WORD}(?:\x20${WORD}){0,2})(?:\x20(?: \d+ (?: \.\d+ )* | ${ANY_PLACEHOLDER} ) )?\s?:\s+
    (?: (?= [¿¡"“«\(]*[A-ZÀ-ÖØ-Þ] ) | (?=(?:[^\w]|\d|_)*$) | (?<= [A-ZÀ-ÖØ-Þ]{2}:\s ) | (?<= [A-ZÀ-ÖØ-Þ]{2}\s:\s ) )`,
  "u",
);
const OPENS = new RegExp(pattern`^(?: <(?!br|hr)\w | ${BULLETS} )`, "iu");
const IS_BULLET = new RegExp(`^${BULLETS}$`, "u");
const CELL_STARTS = new RegExp(
  pattern`(?=[^\s])(?<= [^\s](?: (?!\t)\s )*\t\s* ) | (?<="[,;])(?=") | (?<=[.!?]["'],\s)(?=["'])`,
  "u",
);
const IS_LINE = /^(?:[\\&]|<[bh]r)/iu;
const VISIBLE = new RegExp(pattern`(?!${ANY_PLACEHOLDER})[^\s]`, "gu");
const SPACE_LAST = new RegExp(pattern`\s$`, "u");
const SPACE_FIRST = new RegExp(pattern`^\s`, "u");

/** Return whether a sentence ends at what is copied: a line break, a bullet, a block's tag. */
export function isBreak(placeholder) {
  return BREAK.test(placeholder);
}

/**
 * Return the sentences of a masked line.
 *
 * They end also at a break that is a placeholder, and after a label that is no name.
 */
export function splitMasked(sentences, spans, truecaser) {
  const found = [];
  let number = 0;
  for (const sentence of sentences.flatMap((each) => each.split(CELL_STARTS))) {
    const words = WORDS_LABEL.exec(sentence)?.[1].match(EVERY_WORD) ?? [];
    const [word] = words;
    const isOfFrame = words.length === 1 && (size(word) === 1 || MAIL_LABELS.has(word)); // "A: "
    const isPlain = !isOfFrame && words.some((each) => truecaser.isSmall(each));
    const label = (isPlain ? WORDS_LABEL : LABEL_IN_MARKS).exec(sentence)?.[0].length ?? 0;
    let start = label < sentence.length ? label : 0;
    if (start) found.push(sentence.slice(0, start));
    let [visible, letters] = []; // where what is neither copied nor a space stands; and letters
    const isList = !/\S\s+\S/u.test(sentence) && sentence.search(SPACELESS) < 0; // Yes/No
    for (const { index } of sentence.matchAll(PLACEHOLDER)) {
      const placeholder = spans[number++].text;
      const told = sentence.slice(Math.max(start, index - BESIDE_IT), index);
      const left = sentence.slice(index + 1, index + 1 + BESIDE_IT);
      if (IS_BULLET.test(placeholder) && !SPACE_LAST.test(told)) continue;
      const isApart = SPACE_LAST.test(told) && /^\s+\p{Uppercase}/u.test(left);
      const isEnd = isBreak(placeholder) || (placeholder === "/" && (isList || isApart));
      const isAfter = isAfterWords(placeholder, told, left, truecaser);
      if (!isEnd && !isAfter && !isAfterEnd(placeholder, told, left)) continue;
      let end = OPENS.test(placeholder) ? index : index + 1;
      while (SPACE_FIRST.test(sentence.slice(end, end + 1))) end++;
      visible ??= positionsOf(VISIBLE, sentence);
      letters ??= positionsOf(/\p{L}/gu, sentence);
      const letter = countBelow(letters, end);
      if (letter === letters.length || !(letters[letter - 1] >= start)) continue;
      const next = countBelow(visible, end);
      const goesOn =
        IS_LINE.test(placeholder) &&
        !ENDS.includes(sentence[visible[next - 1]]) &&
        !isCapitalised(sentence.slice(visible[next], visible[next] + 2));
      if (goesOn) continue;
      found.push(sentence.slice(start, end));
      start = end;
    }
    found.push(sentence.slice(start));
  }
  return found;
}

/** Return whether an emoji or a face ends a sentence without a mark: "I see you 😀 He is big." */
function isAfterWords(placeholder, told, left, truecaser) {
  if (!FEELING.test(placeholder) || (told.match(EVERY_WORD) ?? []).length < 2) return false;
  const begun = stripStart(left);
  const [word] = begun.match(EVERY_WORD) ?? [];
  return word !== undefined && begun.startsWith(word) && truecaser.needsNoCapital(word);
}

/** Return whether what is copied stands after a sentence's end: "I love you.❤️ Me too." */
function isAfterEnd(placeholder, told, left) {
  const isApart = SPACE_FIRST.test(left) || NO_BREAK_SPACES.test(placeholder);
  const hasEnded = ENDS.includes(told.replace(PLACEHOLDER, "").at(-1)) && isApart;
  const begins = isCapitalised(stripStart(left.replace(PLACEHOLDER, "")));
  return hasEnded && begins && !isWordlike(placeholder);
}

/** Return where a pattern is found in a text, in order. */
function positionsOf(pattern, text) {
  return Array.from(text.matchAll(pattern), ({ index }) => index);
}

/** Return how many of the numbers, which are in order, are below another one. */
function countBelow(numbers, limit) {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
