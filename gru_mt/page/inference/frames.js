/** The frame of a sentence, as a bullet or a tag: gru_mt/inference/preprocessing/frames.py. */

import { BBCODE } from "../text/patterns.js";
import { countPlaceholders } from "../text/placeholders.js";
import { ANY_PLACEHOLDER, PLACEHOLDER_TOKENS } from "../tokenizer/special.js";
import { ANY_LETTER, expression, isCapitalised, isLower, pattern } from "../text/normalize.js";
import { SENTENCE_END, stripEnd, stripStart, WORD } from "../text/normalize.js";

const QUOTE_PAIRS = `"" '' “” „“” «» »« ‹› ‘’ ‚‘ () 「」 『』 【】 《》`.split(" ");
const OPENING_QUOTES = QUOTE_PAIRS.map(([first]) => first);
const CLOSING_QUOTES = QUOTE_PAIRS.map((each) => each.slice(1)).join("");
const APOSTROPHE_MARKS = "'‘’‚"; // alone they may be of a word: 'tis
const IN_WORD = new RegExp(pattern`(?<=\w)['’](?=\w)`, "gu");
const MOST_PARTS = 100; // on a side of a frame
export const MAIL_LABELS = new Set(["Re", "RE", "Fw", "FW"]); // of answers, of what is forwarded
const SPACES_HERE = new RegExp(pattern`\s*`, "uy");
const BULLET = new RegExp(
  pattern`(?: [\-–—‒―·…]+ | \.\.+ )(?: \s+ | (?= [¿¡]?${ANY_LETTER} | ${ANY_PLACEHOLDER} ) ) | (?: [»›] | [;:]+ )\s+ | [・①-⒛⓪❶-➓]\s*`,
  "uy",
);
const NUMBERING = new RegExp(
  pattern`[(（\[]?(?: \d{1,3} (?: [.:]\d{1,3} )* | (?! M\. | [Cc]\.-à )[A-Za-z] | [ivx]{1,5} | [IVX]{1,5} )[.)）、\]]+[\-–]?
    (?: \s+ | (?=${ANY_LETTER}(?!\.)) )
    | \d{1,3} (?: (?: \.\d{1,3} )+ | (?: [:h]\d\d )*\s[\-–—] )\s+(?=${ANY_LETTER})
    | \d{1,3}[\-–—]\s+(?![a-zà-ÿ])(?=${ANY_LETTER})`,
  "uy",
);
const FRAME_NUMBER = new RegExp(
  pattern`\d{1,3} (?: [:h]\d\d )* (?: \s+ | (?=${ANY_PLACEHOLDER}) )`,
  "uy",
);
const KEY = new RegExp( // of JSON, of Python, of PHP
  pattern`(["'])[\w.\-]{1,60}\1\s*(?: [:=] | ${ANY_PLACEHOLDER}(?=\s*["']) )\s*`,
  "uy",
);
const LABEL = new RegExp(
  pattern`(${ANY_LETTER}[\w.'’\-]{0,30})(?: :\s+ | \s?(${ANY_PLACEHOLDER})\s? | \s+(?=") )`,
  "uy",
);
const AFTER_MARK = new RegExp(pattern`\s*[,:–—\-]\s+ | \s*`, "uy");
const HAS_ENDED = new RegExp(
  pattern`[${SENTENCE_END}](?: [${CLOSING_QUOTES}\s] | ${ANY_PLACEHOLDER} )*$`,
  "u",
);
const NOTE = new RegExp(pattern`(?<=[${SENTENCE_END}])\s?\(\d{1,3}\)$`, "u"); // "He is big. (1)"
const LONGEST_NOTE = 7; // characters, and the mark before it
const WORD_HERE = new RegExp(WORD, "uy");
// Tags, signs, emoji, escapes and the like, though they may have letters.
const NO_WORD = expression(
  pattern`^(?: ${BBCODE} | \[[xX\x20]\] | \[/[^\[\]]*\] | </?[^<>]*> | (?: &#?\w+; )+ | &lt;[^]*&gt;
    | :[\w+\-]+: | \\[^]* | [§&]\w | \{[\\/][^\{\}]*\} | \{[\w\-]+=[^\{\}]*\} | \{%[^]*%\}
    | \{\{[#/^!][^]*\}\} | \$?\[!? | \]\([^]* | \.\.\x20[^]* )$`,
  "u",
);

/** Return the match of a sticky pattern at a position of a text, or null. */
function matchAt(sticky, text, position) {
  sticky.lastIndex = position;
  return sticky.exec(text);
}

/**
 * Return [start, end]: where the sentence begins and ends in a masked text with its frame.
 *
 * A frame is what stands before the sentence: placeholders, bullets, numbering, a speaker's name
 * with a colon, a key with =; and the placeholders after it, and quotes or brackets around the
 * whole. A placeholder that may be a word, as {name} or 1984, is of the frame where a colon
 * follows, or a capital after all parts; one that is null never is. Of `pairs` a frame has both or
 * none. `isSmall` tells whether a word is mostly written small.
 *
 * "\ue010 He is big.\ue011" -> [2, 12]
 */
export function core(text, placeholders, pairs, isSmall) {
  const starts = frameStarts(text, placeholders, isSmall);
  const ends = frameEnds(text, placeholders, starts.at(-1).position);
  for (;;) {
    const [start, end] = [starts.at(-1).position, ends.at(-1).position];
    const first = countPlaceholders(text.slice(0, start));
    const last = placeholders.length - countPlaceholders(text.slice(end));
    const isOutside = (number) => number < first || number >= last;
    const torn = pairs.filter((pair) => pair.filter(isOutside).length === 1);
    const quotes = starts.map(({ quote }) => quote);
    if (torn.length === 0 && areWhole(quotes, ends, text.slice(start, end))) {
      return /\p{L}/u.test(text.slice(start, end)) ? [start, end] : [0, text.length];
    }
    // Give up the innermost part of the frame, on the side that has half of a pair.
    const isLeft = torn.length ? torn.some(([opening]) => opening < first) : quotes.some(Boolean);
    (ends.length === 1 || (isLeft && starts.length > 1) ? starts : ends).pop();
  }
}

/**
 * Return where the sentence may begin, as {position, quote}: at 0, or after parts of a frame.
 *
 * From the first part on that may be of the sentence they count only before a capital; with a
 * number among them only before a word that is capitalised as it begins a sentence.
 */
function frameStarts(text, placeholders, isSmall) {
  const starts = [{ position: 0, quote: "" }];
  let [number, sure, hasNumber] = [0, 0, false]; // how many starts are sure, if not all
  while (starts.length < MOST_PARTS) {
    const { position } = starts.at(-1);
    const part = partAt(text, position, placeholders[number], isSmall);
    if (!part) break;
    if (!part.isSure) sure ||= starts.length;
    hasNumber ||= part.isNumber ?? false;
    number += countPlaceholders(text.slice(position, part.end));
    const spaces = matchAt(SPACES_HERE, text, part.end)[0];
    starts.push({ position: part.end + spaces.length, quote: part.quote ?? "" });
  }
  const [word] = matchAt(WORD_HERE, text, starts.at(-1).position) ?? [""];
  const begins = isCapitalised(word) && (isSmall(word) || !hasNumber);
  return sure && !begins ? starts.slice(0, sure) : starts;
}

/** Return {end, isSure, isNumber, quote} of a part of a frame, or null where none may be. */
function partAt(text, position, placeholder, isSmall) {
  if (PLACEHOLDER_TOKENS.includes(text[position])) {
    if (placeholder === null) return null;
    const end = position + 1 + matchAt(AFTER_MARK, text, position + 1)[0].length;
    const hasMark = stripStart(text.slice(position + 1, end)) !== "";
    const isSure = hasMark || !isWordlike(placeholder);
    return isSure || end > position + 1 ? { end, isSure } : null;
  }
  const match =
    matchAt(BULLET, text, position) ??
    matchAt(KEY, text, position) ??
    matchAt(NUMBERING, text, position);
  if (match) return { end: position + match[0].length, isSure: true };
  const number = matchAt(FRAME_NUMBER, text, position);
  if (number) return { end: position + number[0].length, isSure: false, isNumber: true };
  const label = matchAt(LABEL, text, position);
  const isSure = label && isOfFrame(label, placeholder, isSmall);
  if (label) return isSure === false ? null : { end: position + label[0].length, isSure };
  const isQuote = OPENING_QUOTES.includes(text[position]);
  return isQuote ? { end: position + 1, isSure: true, quote: text[position] } : null;
}

/**
 * Return whether a label is of the frame: of a speaker, who has a name, a letter, or a key before =
 * or a quotation; null for a small word with a colon, which may be of the sentence.
 */
function isOfFrame([found, word, mark], placeholder, isSmall) {
  if (mark) return placeholder === "=";
  if (!stripEnd(found).endsWith(":")) return isLower(word) && !isSmall(word);
  if (isCapitalised(word)) return [...word].length === 1 || MAIL_LABELS.has(word) || !isSmall(word);
  return isLower(word) ? null : false;
}

/** Return whether a placeholder may stand for a word of a sentence, as a number or {name} does. */
export function isWordlike(placeholder) {
  return /[\p{L}\p{N}]/u.test(placeholder) && !NO_WORD.test(placeholder);
}

/** Return where the sentence may end, as {position, quote}: at the end, or before a frame. */
function frameEnds(text, placeholders, start) {
  const ends = [{ position: text.length, quote: "" }];
  let number = placeholders.length - 1;
  while (ends.length < MOST_PARTS) {
    const before = stripEnd(text.slice(0, ends.at(-1).position));
    if (before.length <= start) return ends;
    const note = NOTE.exec(before.slice(Math.max(start, before.length - LONGEST_NOTE)));
    if (note) {
      ends.push({ position: before.length - note[0].length, quote: "" });
      continue;
    }
    const last = before.at(-1);
    const isQuote = CLOSING_QUOTES.includes(last);
    const rest = before.slice(0, -1);
    if (PLACEHOLDER_TOKENS.includes(last)) {
      const placeholder = placeholders[number];
      const isWord = placeholder === null || (isWordlike(placeholder) && !HAS_ENDED.test(rest));
      if (isWord) return ends;
      number--;
    } else if (",;".includes(last)) {
      if (!CLOSING_QUOTES.includes(rest.at(-1) ?? " ")) return ends; // of a value
    } else if ("-–—".includes(last)) {
      if (stripEnd(rest) === rest) return ends;
    } else if (!isQuote) {
      return ends;
    }
    ends.push({ position: stripEnd(rest).length, quote: isQuote ? last : "" });
  }
  return ends;
}

/** Return whether no quotation mark or bracket of the frame has its other half elsewhere. */
function areWhole(quotes, ends, inside) {
  const sides = [quotes, ends.map(({ quote }) => quote)].map((side) => side.join(""));
  const [before, after] = sides.map((side) => {
    return [...side].filter((mark) => APOSTROPHE_MARKS.includes(mark)).length;
  });
  const marks = [...sides.join("")];
  const kinds = QUOTE_PAIRS.filter((pair) => marks.some((mark) => pair.includes(mark))).join("");
  const shown = inside.replace(IN_WORD, "");
  return before === after && ![...kinds].some((mark) => shown.includes(mark));
}
