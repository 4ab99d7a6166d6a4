/**
 * Cutting a line into its sentences: gru_mt/data/sentences.py. In place of the library that it uses
 * there is boundaries.js.
 */

import { boundariesOf } from "./boundaries.js";
import { pattern, strip } from "./text.js";

// 2. or (a) or -
const MARKER = pattern`\s*(?:[(\[]?(?:\d{1,3}|[A-Za-z])[.)\]]+|[*•·–—\-])\s*`;
const HAS_LETTER = /(?![\ue010-\ue017])[\p{L}\p{Nl}\p{No}]/u;
const ONLY_MARKER = new RegExp(`^(?:${MARKER})$`, "u");
const TITLE = new RegExp(
  pattern`(?<!\w)(?:M|MM|Mr|Mrs|Ms|Mmes?|Mlles?|Dr|Pr|Prof|Mgr|St|Ste)\.\s*$`,
  "u",
);
const FIRST_NUMBER = new RegExp(pattern`^\s*(\d{1,3})\.\s`, "u");
const LAST_NUMBER = new RegExp(pattern`(?<![\w.,])(\d{1,3})\.\s+$`, "u");
const ENDING = 20; // characters that show how a sentence ends

/**
 * Return the sentences of a line, whose sum is the line; none for "". `rules` is what
 * `sentenceRules` gives. A sentence keeps the space after it, and the first one that before it.
 *
 * "Hi! Mr. X is in. 1. Go" -> ["Hi! ", "Mr. X is in. ", "1. Go"]
 */
export function cut(text, rules) {
  const seams = [0];
  const places = [0, ...boundariesOf(text, rules), text.length];
  for (let n = 0; n + 1 < places.length; n++) {
    const [start, end] = places.slice(n, n + 2);
    const last = text.slice(Math.max(seams.at(-1), start - ENDING), start);
    const part = text.slice(start, end);
    const isOpen = !strip(last) || ONLY_MARKER.test(last) || TITLE.test(last);
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
