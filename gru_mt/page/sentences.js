/**
 * Cutting a line into its sentences: gru_mt/data/text/sentences.py. In place of the library that it
 * uses there is boundaries.js.
 */

import { boundariesOf } from "./boundaries.js";
import { ANY_LETTER, isLower, isUpper, pattern, SPACELESS, strip } from "./normalize.js";

// 2. or (a) or -
const MARKER = pattern`\s*(?:[(\[]?(?:\d{1,3}|[A-Za-z])[.)\]]+|[*•·–—\-])\s*`;
const HAS_LETTER = /(?![\ue010-\ue017])[\p{L}\p{Nl}\p{No}]/u;
const ONLY_MARKER = new RegExp(`^(?:${MARKER})$`, "u");
// Before a name.
const TITLE = new RegExp(
  pattern`(?<!\w)(?:M|MM|Mr|Mrs|Ms|Mmes?|Mlles?|Dr|Pr|Prof|Mgr|Ste?|Sta|Sto|Dña|Gral|Ft|
    Hl|Fam|Frl|Fa|Ing|[Bb]d)\.\s*$`,
  "u",
);
// Of German, before a noun.
const ORDINAL = new RegExp(
  pattern`(?<!\w)(?:[Dd](?:er|ie|as|em|en|es)|[Ii]m|[Zz]u[mr]|[Vv]om|[Bb]eim|
    [MmDdSs]?[Ee]in(?:e[mnrs]?)?)\s\d{1,3}\.\s*$`,
  "u",
);
// p. m., J.-C.
const INITIALS = new RegExp(
  pattern`(?<!\w)${ANY_LETTER}(?:-|\.[\s\-]?)${ANY_LETTER}{1,2}\.\s*$`,
  "u",
);
const LAST_WORD = new RegExp(pattern`(?<!\w)(${ANY_LETTER}+)\.\s*$`, "u");
// Abbreviations that the library does not know. Before a number, as all without a vowel are:
const BEFORE_NUMBER = new Set(
  eitherCase(
    "apt appt chap dim ed env ep eq eqs est ext fig figs jeu lun mar max mer no nos par para ref " +
      "refs réf sam sect tab tel tél ven vol vols",
  ),
);
// But "5 km."
const NO_VOWEL = new RegExp(
  pattern`(?<!\w)(?<!\d\s)[B-DF-HJ-NP-TV-XZb-df-hj-np-tv-xz][b-df-hj-np-tv-xz]+\.\s*$`,
  "u",
);
// Before a number or a small letter:
const BEFORE_BOTH = new Set([
  ...eitherCase(
    "abt appr approx aprox avg avr déc excl févr fév govt hrs incl janv juil lbs mins misc orig " +
      "secs tbsp temp tsp yrs",
  ),
  ..."Mon Tue Tues Wed Thu Thur Thurs Fri Sat Sun lun ven max".split(" "),
]);
// 5, $5, V or a placeholder
const AS_NUMBER = new RegExp(
  pattern`^(?: [^\w\s\ue010-\ue017]{0,2}[\d\ue010-\ue017] | (?:[IVXLC]{2,}|[VX])(?![\w'’]) )`,
  "u",
);
// A full stop that begins a word, or is after its first letter; and what may begin a sentence.
const BEGUN = new RegExp(pattern`(?:^|[\s(\-])${ANY_LETTER}?\.$`, "u");
const GLUED = new RegExp(
  pattern`^[¿¡"'“‘«(]*(${ANY_LETTER})(${ANY_LETTER}|['’\s])[\w.'’]*(?![\w.'’=(\[{<\\/])`,
  "u",
);
const BEGINS_SPACELESS = new RegExp(`^${SPACELESS.source}`, "u");
const FIRST_NUMBER = new RegExp(pattern`^\s*(\d{1,3})\.\s`, "u");
const LAST_NUMBER = new RegExp(pattern`(?<![\w.,])(\d{1,3})\.\s+$`, "u");
const ENDING = 20; // characters that show how a sentence ends

/**
 * Return the sentences of a line, whose sum is the line; none for "". `rules` is what
 * `sentenceRules` gives. A sentence keeps the space after it, and the first one that before it.
 *
 * "Hi! Mr. X is in. 1. Go" -> ["Hi! ", "Mr. X is in. ", "1. Go"]
 */
export function splitSentences(text, rules) {
  const seams = [0];
  const places = [0, ...boundariesOf(text, rules), text.length];
  for (let n = 0; n + 1 < places.length; n++) {
    const [start, end] = places.slice(n, n + 2);
    const last = text.slice(Math.max(seams.at(-1), start - ENDING), start);
    const part = text.slice(start, end);
    const isOpen = !strip(last) || ONLY_MARKER.test(last) || continues(last, part);
    if (!isOpen && (HAS_LETTER.test(part) || ONLY_MARKER.test(part))) seams.push(start);
  }
  if (seams.length > 1 && ONLY_MARKER.test(text.slice(seams.at(-1)))) seams.pop(); // of nothing
  for (let n = 1; n < seams.length; n++) {
    // "1. Milk 2. " + "Eggs": the 2 is of what comes.
    const marker = text.slice(seams[n - 1]).match(FIRST_NUMBER);
    const from = Math.max(seams[n - 1], seams[n] - ENDING);
    const ending = text.slice(from, seams[n]).match(LAST_NUMBER);
    const isNext = marker && ending && Number(ending[1]) === Number(marker[1]) + 1;
    if (isNext) seams[n] = from + ending.index;
  }
  const ends = [...seams.slice(1), text.length];
  return seams.map((start, n) => text.slice(start, ends[n])).filter((part) => part);
}

/** Return the words of a text as they are and with a capital: "no" -> ["no", "No"]. */
function eitherCase(text) {
  return text.split(" ").flatMap((word) => [word, word[0].toUpperCase() + word.slice(1)]);
}

/** Return whether a sentence goes on between two texts: "vol. |2", "Mon. |to Fri.", ".|NET". */
function continues(before, after) {
  if (TITLE.test(before) || ORDINAL.test(before) || isInWord(before, after)) return true;
  const first = String.fromCodePoint(after.codePointAt(0));
  const isNumber = AS_NUMBER.test(after);
  const word = before.match(LAST_WORD)?.[1];
  if (word === undefined || !(isLower(first) || isNumber)) return false;
  if (BEFORE_BOTH.has(word) || (isLower(first) && INITIALS.test(before))) return true;
  return isNumber && (BEFORE_NUMBER.has(word) || NO_VOWEL.test(before));
}

/**
 * Return whether a full stop without a space after it is in a word: "ASP.|NET", "a.|Name()".
 *
 * It is not where a space is missing, between small letters and a capital: "the end.|Then".
 */
function isInWord(before, after) {
  if (!before.endsWith(".") || BEGINS_SPACELESS.test(after)) return false;
  if (BEGUN.test(before)) return true;
  const letter = [...before].at(-2) ?? "";
  if (!(isLower(letter) || isUpper(letter)) || isUpper(before + after)) return false;
  const [, first, second] = after.match(GLUED) ?? [];
  return !(isLower(letter) && first !== undefined && isUpper(first) && !isUpper(second));
}
