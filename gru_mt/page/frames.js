/** The frame of a sentence, as a bullet or a tag: gru_mt/inference/preprocessing/frames.py. */

import { BBCODE } from "./patterns.js";
import { countPlaceholders } from "./placeholders.js";
import { ANY_PLACEHOLDER, PLACEHOLDER_TOKENS } from "./special.js";
import { ANY_LETTER, expression, isCapitalised, isLower, pattern, stripEnd } from "./normalize.js";
import { SENTENCE_END, stripStart } from "./normalize.js";

const QUOTE_PAIRS = `"" '' “” „“” «» »« ‹› ‘’ ‚‘ () 「」 『』 【】 《》`.split(" ");
const OPENING_QUOTES = QUOTE_PAIRS.map(([first]) => first);
const CLOSING_QUOTES = QUOTE_PAIRS.map((each) => each.slice(1)).join("");
const APOSTROPHE_MARKS = "'‘’‚"; // alone they may be of a word: 'tis
const IN_WORD = new RegExp(pattern`(?<=\w)['’](?=\w)`, "gu");
const SPACES_HERE = new RegExp(pattern`\s*`, "uy");
const BULLET = new RegExp(
  pattern`(?: [\-–—‒―·…]+ | \.\.+ )(?: \s+ | (?= ${ANY_LETTER} | ${ANY_PLACEHOLDER} ) ) | [»›]\s+`,
  "uy",
);
const NUMBERING = new RegExp(
  pattern`[(\[]?(?: \d{1,3} (?: \.\d{1,3} )* | (?!M\.)[A-Za-z] | [ivx]{1,5} | [IVX]{1,5} )[.)\]]+[\-–]?
    (?: \s+ | (?=${ANY_LETTER}) )
    | \d{1,3} (?: (?: \.\d{1,3} )+ | (?: [:h]\d\d )*\s[\-–—] )\s+(?=${ANY_LETTER})`,
  "uy",
);
const FRAME_NUMBER = new RegExp(pattern`\d{1,3} (?: [:h]\d\d )*\s+(?=${ANY_LETTER})`, "uy");
const KEY = new RegExp(pattern`"[\w.\-]{1,60}"\s*[:=]\s*`, "uy"); // of JSON
const LABEL = new RegExp(
  pattern`(${ANY_LETTER}[\w.'’\-]{0,30})(?: :\s+ | \s?(${ANY_PLACEHOLDER})\s? | \s+(?=") )`,
  "uy",
);
const AFTER_MARK = new RegExp(pattern`\s*[,:–—\-]\s+ | \s*`, "uy");
const HAS_ENDED = new RegExp(pattern`[${SENTENCE_END}]['"”’»)]*\s*$`, "u");
const WORD_HERE = new RegExp(pattern`\w+`, "uy");
// Tags, signs, emoji, escapes and the like, though they may have letters.
const NO_WORD = expression(
  pattern`^(?: ${BBCODE} | \[[xX\x20]\] | \[/[^\[\]]*\] | </?[^<>]*> | &\w+; | &lt;[^]*&gt;
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
 * whole. A placeholder that may be a word, as {name} or 1984, is of the frame where a capital or a
 * colon follows. Of `pairs` a frame has both or none. `isSmall` tells whether a word is mostly
 * written small.
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

/** Return where the sentence may begin, as {position, quote}: at 0, or after parts of a frame. */
function frameStarts(text, placeholders, isSmall) {
  const starts = [{ position: 0, quote: "" }];
  let number = 0;
  for (;;) {
    const { position } = starts.at(-1);
    let quote = "";
    let found = null;
    if (PLACEHOLDER_TOKENS.includes(text[position])) {
      found = afterMark(text, position, placeholders[number], isSmall);
    } else {
      const match =
        matchAt(BULLET, text, position) ??
        matchAt(KEY, text, position) ??
        matchAt(NUMBERING, text, position) ??
        beforeSmall(matchAt(FRAME_NUMBER, text, position), isSmall) ??
        asLabel(matchAt(LABEL, text, position), placeholders[number] ?? "", isSmall);
      if (match) found = position + match[0].length;
      else if (OPENING_QUOTES.includes(text[position])) [found, quote] = [position + 1, text[position]];
    }
    if (found === null) return starts;
    number += countPlaceholders(text.slice(position, found));
    starts.push({ position: found + matchAt(SPACES_HERE, text, found)[0].length, quote });
  }
}

/** Return whether a placeholder may stand for a word of a sentence, as a number or {name} does. */
export function isWordlike(placeholder) {
  return /[\p{L}\p{N}]/u.test(placeholder) && !NO_WORD.test(placeholder);
}

/** Return where a placeholder of the frame and its punctuation end; null if it is of none. */
function afterMark(text, position, placeholder, isSmall) {
  const end = position + 1 + matchAt(AFTER_MARK, text, position + 1)[0].length;
  const hasMark = stripStart(text.slice(position + 1, end)) !== "";
  if (!isWordlike(placeholder)) return hasMark ? end : position + 1;
  const isBefore = () =>
    isCapitalised(text.slice(end)) || beforeSmall(matchAt(FRAME_NUMBER, text, end), isSmall);
  return hasMark || (end > position + 1 && isBefore()) ? end : null; // or a time, after a date
}

/** Return a number before a word that is capitalised only as it begins a sentence, or null. */
function beforeSmall(match, isSmall) {
  if (!match) return null;
  const word = matchAt(WORD_HERE, match.input, match.index + match[0].length)?.[0];
  return word && isCapitalised(word) && isSmall(word) ? match : null;
}

/**
 * Return a label that is copied: of a speaker, a letter, or a key before a value; or null.
 *
 * A speaker has a name; a key is a small word before a capital, or one with = or a quotation.
 */
function asLabel(match, placeholder, isSmall) {
  if (!match) return null;
  const [found, word, mark] = match;
  if (mark) return placeholder === "=" ? match : null;
  const isLabel = stripEnd(found).endsWith(":")
    ? isOfSpeaker(word, isSmall) || (isLower(word) && beginsCapitalised(match))
    : isLower(word) && !isSmall(word);
  return isLabel ? match : null;
}

function isOfSpeaker(word, isSmall) {
  return isCapitalised(word) && ([...word].length === 1 || !isSmall(word));
}

/** Return whether a capital follows a match, or quotation marks and a capital. */
function beginsCapitalised({ 0: found, input, index }) {
  return isCapitalised(input.slice(index + found.length).replace(/^["'“«]+/, ""));
}

/** Return where the sentence may end, as {position, quote}: at the end, or before a frame. */
function frameEnds(text, placeholders, start) {
  const ends = [{ position: text.length, quote: "" }];
  let number = placeholders.length - 1;
  for (;;) {
    const before = stripEnd(text.slice(0, ends.at(-1).position));
    if (before.length <= start) return ends;
    const last = before.at(-1);
    const isQuote = CLOSING_QUOTES.includes(last);
    const rest = before.slice(0, -1);
    if (PLACEHOLDER_TOKENS.includes(last)) {
      if (isWordlike(placeholders[number]) && !HAS_ENDED.test(rest)) return ends;
      number--;
    } else if (",;".includes(last) && CLOSING_QUOTES.includes(rest.at(-1) ?? "")) {
      ends.push({ position: rest.length, quote: "" }); // after a value
      continue;
    } else if (!isQuote) {
      return ends;
    }
    ends.push({ position: stripEnd(rest).length, quote: isQuote ? last : "" });
  }
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
