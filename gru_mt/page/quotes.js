/**
 * What sentences are not cut inside of: quotations, brackets, addresses, items of a list. The rules
 * are those of the library sentencex 1.0, which gru_mt/data/text/sentences.py uses. Every space is
 * " ".
 */

import { pattern } from "./normalize.js";

export const LETTER = pattern`\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}`; // the library's \w
const ENDS_LETTER = new RegExp(`[${LETTER}]$`, "u");
const BEGINS_LETTER = new RegExp(`^[${LETTER}]`, "u");
const OPENING = /``|''|[`'"«‘‚“‛„»‟‹《「]/g;
const PAIRS = [
  ["``", "''"],
  ["``", "``"],
  ["''", "''"],
  ["`", "'"],
  ["`", "`"],
  ["'", "'"],
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
];
const CLOSERS = ["''", "``", ..."`'\"»’‚”‛“«‟›》」"]; // the longest first
const SAME = new Set(["``", "''", ..."`'\"‚‛‟"]); // each opens and closes
const SINGLE = ["`", "'"]; // which may be something else, as in "don't"
const ADDRESS = /(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Z|a-z]{2,7}/g;

/** Return the symbol at a place that both opens and closes quotations, or "". */
export function sameQuoteAt(text, place) {
  return CLOSERS.find((mark) => SAME.has(mark) && text.startsWith(mark, place)) ?? "";
}

/** Return a text with a space for each quotation: 'At "5" p.m.' -> "At   p.m." */
export function withoutQuotations(text) {
  let rest = "";
  let last = 0;
  for (const { start, end } of quotationsOf(text)) {
    rest += `${text.slice(last, start)} `;
    last = end;
  }
  return rest + text.slice(last);
}

/** The quotations, brackets and addresses of a text: each has a start and an end. */
export class Ranges {
  constructor(text) {
    this.text = text;
    this.quotations = quotationsOf(text);
    for (const mark of SINGLE) this.quotations.push(...paddedOf(text, mark, this.quotations));
    this.quotations.sort((a, b) => a.start - b.start);
    const brackets = bracketsOf(text);
    addDoubts(this.quotations, brackets, text);
    const addresses = Array.from(text.matchAll(ADDRESS), ({ index, 0: { length } }) => {
      return { start: index, end: index + length };
    });
    this.all = [...this.quotations, ...brackets, ...addresses].sort((a, b) => a.start - b.start);
    this.starts = new Set(this.all.map((range) => range.start));
    this.open = [];
    this.next = 0;
    this.free = new Map(); // of each symbol, the places where it is in no quotation
  }

  /** Return the ranges around a place, which must not be before that of the last call. */
  around(place) {
    while (this.all[this.next]?.start < place) this.open.push(this.all[this.next++]);
    this.open = this.open.filter((range) => range.end > place);
    return this.open;
  }

  /** Return the symbol at a place that closes a quotation which nothing opened, or "". */
  strayAt(place) {
    if (this.starts.has(place)) return "";
    const isHere = (mark) => this.text.startsWith(mark, place) && this.#isStray(mark, place);
    const mark = CLOSERS.find(isHere) ?? "";
    return this.#opensNext(mark, place) ? "" : mark;
  }

  #isStray(mark, place) {
    if (!SAME.has(mark)) return true;
    if (!this.free.has(mark)) this.free.set(mark, freePlaces(this.text, mark, this.quotations));
    const places = this.free.get(mark);
    const before = places.filter((each) => each < place).length;
    return before % 2 === 1 || (before === 0 && places.length === 1);
  }

  #opensNext(mark, place) {
    const after = this.text.slice(place + mark.length);
    return (
      SAME.has(mark) &&
      isSpace(this.text[place - 1]) &&
      /^ +[A-Z]/.test(after) &&
      this.quotations.some(({ start, end, isSame }) => {
        return end <= place && isSame && this.text.startsWith(mark, start);
      })
    );
  }
}

/** Return whether a character is a space, or none as there is before a text. */
function isSpace(letter) {
  return letter === undefined || letter === " ";
}

/** Return the quotations of a text. Each begins after the one before it. */
function quotationsOf(text) {
  const ranges = [];
  const open = new Set(); // pairs that nothing closes from here on
  for (let end = 0; ;) {
    OPENING.lastIndex = end;
    const start = OPENING.exec(text)?.index;
    if (start === undefined) return ranges;
    end = start + 1;
    for (const pair of PAIRS) {
      const [opening, closing] = pair;
      if (open.has(pair) || !text.startsWith(opening, start)) continue;
      const isSingle = SINGLE.includes(opening);
      if (isSingle && !beginsWord(text, start)) continue;
      const last = isSingle
        ? wordEnd(text, closing, start + 2)
        : text.indexOf(closing, start + opening.length);
      if (last >= 0) {
        end = last + closing.length;
        ranges.push({ start, end, isQuotation: true, isSame: opening === closing });
        break;
      }
      open.add(pair);
    }
  }
}

/** Return whether a word begins after the symbol at a place: 'x, "y' at 3 -> true. */
function beginsWord(text, place) {
  const before = text.slice(Math.max(0, place - 2), place);
  return !ENDS_LETTER.test(before) && BEGINS_LETTER.test(text.slice(place + 1, place + 3));
}

/** Return where a symbol ends a word, from a place on: "x y' z" from 0 -> 3; -1 if nowhere. */
function wordEnd(text, mark, from) {
  for (let place = text.indexOf(mark, from); place >= 0; place = text.indexOf(mark, place + 1)) {
    const isAfterWord = ![" ", mark].includes(text[place - 1]);
    if (isAfterWord && !BEGINS_LETTER.test(text.slice(place + 1, place + 3))) return place;
  }
  return -1;
}

/** Return the brackets of a text, each from the first that opens to the first that closes. */
function bracketsOf(text) {
  const ranges = [];
  let start = -1;
  for (const { index, 0: mark } of text.matchAll(/[(（<{[\])}>）]/g)) {
    if ("(（<{[".includes(mark)) {
      start = start < 0 ? index : start;
    } else if (start >= 0) {
      ranges.push({ start, end: index + 1 });
      start = -1;
    }
  }
  return ranges;
}

/** Return the places of a symbol that are in no quotation and not inside of a word. */
function freePlaces(text, mark, quotations) {
  const places = [];
  let begun = 0;
  let end = 0; // of the quotations before
  const next = (from) => text.indexOf(mark, from);
  for (let place = next(0); place >= 0; place = next(place + mark.length)) {
    for (; quotations[begun]?.start <= place; begun++) end = Math.max(end, quotations[begun].end);
    const after = place + mark.length;
    const isInWord =
      /[\p{Alphabetic}\p{N}]$/u.test(text.slice(Math.max(0, place - 2), place)) &&
      /^[\p{Alphabetic}\p{N}]/u.test(text.slice(after, after + 2));
    if (end <= place && !isInWord) places.push(place);
  }
  return places;
}

/** Return the quotations whose symbol has a space on both sides: "He said ' Go. Now ' to me." */
function paddedOf(text, mark, quotations) {
  const places = freePlaces(text, mark, quotations);
  const isPadded = (place) => isSpace(text[place - 1]) && text[place + 1] === " ";
  const isCut = (start, end) => /\. +[A-Z]/.test(text.slice(start + 1, end));
  const opensNext = (n) =>
    n + 1 < places.length &&
    isPadded(places[n]) &&
    /^ +[A-Z]/.test(text.slice(places[n] + 1)) &&
    !isCut(places[n], places[n + 1]);
  const ranges = [];
  let start = -1;
  for (const [n, place] of places.entries()) {
    if (start >= 0 && isPadded(start) && !(isCut(start, place) && opensNext(n))) {
      ranges.push({ start, end: place + 1, isQuotation: true, isSame: true });
      start = -1;
    } else {
      start = place;
    }
  }
  return ranges;
}

/** Say of each quotation whether it may be none: "yes" across a bracket, "maybe" by an odd mark. */
function addDoubts(quotations, brackets, text) {
  const isOdd = new Map([...SAME].map((mark) => [mark, text.split(mark).length % 2 === 0]));
  let next = 0;
  for (const range of quotations) {
    range.doubt = range.isSame && isOdd.get(sameQuoteAt(text, range.start)) ? "maybe" : "no";
    while (brackets[next]?.end <= range.start) next++;
    for (let n = next; brackets[n]?.start < range.end; n++) {
      const { start, end } = brackets[n];
      const isAcross =
        start < range.start ? end < range.end : range.start < start && range.end < end;
      if (range.isSame && isAcross) range.doubt = "yes";
    }
  }
}

const ITEM = new RegExp(
  pattern`(?<=^|\x20)(?:
    (?<sure> [•◦▪▫■□●○⁃⁌⁍◆◇★☆➤➢➣▶▸►] | \((?:[0-9]{1,2}|[A-Za-z]|[ivxlcdmIVXLCDM]+)\) ) |
    (?<roman> [ivxlcdmIVXLCDM]{2,}(?:\.\)|[.)]) ) |
    (?<number> [0-9]+(?:\.\)|[.)]) ) |
    (?<bullet> [*+\-] ) |
    (?<letter> [A-Za-z]\.?\) ) |
    (?<dotted> [a-z]\. )
  )(?=\x20+(?<next>[^\s]))`,
  "gu",
);
const CLOSEST = 4; // characters; items of a list are no closer to each other

/** Return where the items of a list begin: "a) Go b) Come" -> [0, 6]; none without a list. */
export function itemsOf(text) {
  const items = [];
  const last = {}; // place of each kind
  const found = [...text.matchAll(ITEM)].map(({ index, 0: mark, groups }) => {
    const kind = Object.keys(groups).find((name) => groups[name] !== undefined);
    return { place: index, mark, kind, next: groups.next };
  });
  const first = text.search(/[^ ]/);
  const isProse = ({ mark, kind, next }) => {
    return mark.endsWith(".") || kind === "bullet" || /\p{Lowercase}/u.test(next);
  };
  const likely = found.filter((item) => item.place === first || !isProse(item));
  const hasRoman = likely.some(({ kind }) => kind === "roman");
  for (const { place, mark, kind } of likely) {
    const isRoman = hasRoman && ["letter", "dotted"].includes(kind) && /^[ivxlcdm]/i.test(mark);
    const item = { place: place === first ? 0 : place, kind: isRoman ? "roman" : kind };
    if (item.place - (last[item.kind] ?? -CLOSEST) < CLOSEST) continue;
    last[item.kind] = item.place;
    items.push(item);
  }
  const of = (kind) => items.filter((item) => item.kind === kind).map((item) => item.place);
  const sure = of("sure");
  if (sure.length > 1 || sure[0] === 0) return sure;
  const kinds = [...new Set(items.map((item) => item.kind))];
  const lists = kinds.map(of).filter((list) => list.length > 1);
  return lists.sort((a, b) => b.length - a.length)[0] ?? [];
}
