/**
 * Cutting a line into its sentences: gru_mt/data/sentences.py. In place of the library that it uses
 * there are rules here like the library's, with the abbreviations that write.py found by asking it.
 */

import { pattern } from "./text.js";

const MARKER = pattern`\s*(?:[(\[]?(?:\d{1,3}|[A-Za-z])[.)\]]+|[*•·–—\-])\s*`; // 2. or (a) or -
const HAS_LETTER = /(?![\ue010-\ue017])[\p{L}\p{Nl}\p{No}]/u;
const ONLY_MARKER = new RegExp(`^(?:${MARKER})$`, "u");
const TITLE = new RegExp(
  pattern`(?<!\w)(?:M|MM|Mr|Mrs|Ms|Mmes?|Mlles?|Dr|Pr|Prof|Mgr|St|Ste)\.\s*$`,
  "u",
);
const FIRST_NUMBER = new RegExp(pattern`^\s*(\d{1,3})\.\s`, "u");
const LAST_NUMBER = new RegExp(pattern`(?<![\w.,])(\d{1,3})\.\s+$`, "u");
const ENDING = 20; // characters that show how a sentence ends

const ENDS = /[\p{Sentence_Terminal}\u2024\ufe52\uff0e\uff61]+/gu;
const CLOSING = /^[\s\p{Sentence_Terminal}]*/u;
const FIRST_WORD = new RegExp(pattern`^\s*([^\s]*?)[.,:;!?]*(?:\s|$)`, "u");
const HOUR = /\d\s?[ap]\.m$/i; // the abbreviation of a time may well end a sentence
const QUOTE = /^["'`«»“”‘’„‟‹›]/u;
// What is not cut inside: quotations, brackets, e-mail addresses.
const QUOTED = [
  ["``", "''"],
  ["``", "``"],
  ['"', '"'],
  ["«", "»"],
  ["‘", "’"],
  ["‚", "‚"],
  ["“", "”"],
  ["‛", "‛"],
  ["„", "“"],
  ["»", "«"],
  ["‟", "‟"],
  ["‹", "›"],
  ["《", "》"],
  ["「", "」"],
].map(([open, close]) => `${open}.*?${close}`);
const GUARDED = [
  ["`", "'"],
  ["`", "`"],
  ["'", "'"],
].map(([open, close]) => pattern`(?<!\w)${open}(?=\w).*?${close}(?!\w)`);
const QUOTES = new RegExp([...QUOTED.slice(0, 2), ...GUARDED, ...QUOTED.slice(2)].join("|"), "gsu");
const BRACKETS = /[(（<{[][^)\]}>）]*[)\]}>）]/gu;
const ADDRESS = /[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Z|a-z]{2,7}/gu;
const REFERENCES = new RegExp(pattern`^(\s*\[\d+\])+`, "u");
const SPACES = new RegExp(pattern`^\s*`, "u");

/** Return the rules of a language, of what sentences.py gives. */
export function sentenceRules(data) {
  return Object.fromEntries(Object.entries(data).map(([name, words]) => [name, new Set(words)]));
}

/** Return the places where a text may be cut, ascending. */
function seamsOf(text, rules) {
  const quotes = rangesOf(text, QUOTES);
  const kept = [...quotes, ...rangesOf(text, BRACKETS), ...rangesOf(text, ADDRESS)];
  const seams = [];
  for (const match of text.matchAll(ENDS)) {
    const end = match.index + match[0].length;
    if (!isEnd(match[0], text.slice(0, match.index), text.slice(end), rules)) continue;
    let seam = seamAfter(text, end, quotes);
    const around = kept.find((range) => range.start < seam && seam < range.end);
    if (around) {
      if (
        !quotes.includes(around) ||
        seam + 1 !== around.end ||
        goesOn(text.slice(seam + 1).trim())
      )
        continue;
      seam += 1 + text.slice(seam + 1).match(CLOSING)[0].length;
    }
    if (seam > (seams.at(-1) ?? 0) && seam < text.length) seams.push(seam);
  }
  return seams;
}

function rangesOf(text, found) {
  return [...text.matchAll(found)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
  }));
}

/** Return whether a sentence ends with these marks, between what is before and after them. */
function isEnd(marks, before, after, rules) {
  const { abbreviations, firm, starters, afterNumbers } = rules;
  if (REFERENCES.test(after)) return true;
  if (goesOn(after) || (marks.length > 1 && goesOn(after.trimStart()))) return false;
  if (marks !== ".") return true;
  if (HOUR.test(before)) return /^\s*\p{Lu}/u.test(after);
  const word = before.split(/[\s.]/u).at(-1);
  const next = after.match(FIRST_WORD)?.[1];
  if (/^\d+$/.test(word) && afterNumbers.has(next)) return false;
  return !abbreviations.has(word) || (!firm.has(word) && starters.has(next));
}

/** Return where the next sentence begins: after spaces, and a mark that closes a quotation. */
function seamAfter(text, end, quotes) {
  const after = text.slice(end);
  const references = after.match(REFERENCES);
  if (references) return end + references[0].length;
  const spaces = end + after.match(SPACES)[0].length;
  const isPaired = quotes.some((range) => range.start === spaces || range.end - 1 === spaces);
  if (isPaired || !QUOTE.test(text.slice(spaces))) return spaces;
  return spaces + 1 + text.slice(spaces + 1).match(SPACES)[0].length;
}

const goesOn = (rest) => /^[0-9a-z,]/.test(rest);

/**
 * Return the sentences of a line, whose sum is the line; none for "". `rules` is what
 * `sentenceRules` gives. A sentence keeps the space after it, and the first one that before it.
 *
 * "Hi! Mr. X is in. 1. Go" -> ["Hi! ", "Mr. X is in. ", "1. Go"]
 */
export function cut(text, rules) {
  const seams = [0];
  const places = [0, ...seamsOf(text, rules), text.length];
  for (let n = 0; n + 1 < places.length; n++) {
    const [start, end] = places.slice(n, n + 2);
    const last = text.slice(Math.max(seams.at(-1), start - ENDING), start);
    const part = text.slice(start, end);
    const isOpen = !last.trim() || ONLY_MARKER.test(last) || TITLE.test(last);
    if (!isOpen && (HAS_LETTER.test(part) || ONLY_MARKER.test(part))) seams.push(start);
  }
  if (seams.length > 1 && ONLY_MARKER.test(text.slice(seams.at(-1)))) seams.pop(); // of nothing
  for (let n = 1; n < seams.length; n++) {
    // "1. Milk 2. " + "Eggs": the 2 is of what comes.
    const marker = text.slice(seams[n - 1]).match(FIRST_NUMBER);
    const from = Math.max(seams[n - 1], seams[n] - ENDING);
    const ending = text.slice(from, seams[n]).match(LAST_NUMBER);
    if (marker && ending && Number(ending[1]) === Number(marker[1]) + 1)
      seams[n] = from + ending.index;
  }
  const ends = [...seams.slice(1), text.length];
  return seams.map((start, n) => text.slice(start, ends[n])).filter((part) => part);
}
