/**
 * Where sentences may end, as the library sentencex 1.0 finds it, which
 * gru_mt/data/text/sentences.py uses. What depends on the language is data: sentences.py of this
 * folder found it by asking.
 */

import { LETTER, Ranges, itemsOf, sameQuoteAt, withoutQuotations } from "./quotes.js";
import { pattern, strip, stripEnd, stripStart } from "./normalize.js";

const ANY_SPACE = new RegExp(pattern`\s`, "gu");
const REFERENCES = /^(?: *\[\p{Nd}+\])+/u; // [1]
const CONTINUES = new RegExp(`^[^${LETTER}]*[0-9a-z]`, "u");
const BRANDS = ["Yahoo", "Yum"]; // their "!" ends nothing
const AHEAD_BYTES = 30; // of the text after a mark that the library looks at
const WORD_SIZE = 60; // characters; what is longer is no abbreviation

/** Return the rules of a language, of what sentences.py gives. */
export function sentenceRules(data) {
  const rules = { ...data };
  for (const [name, words] of Object.entries(data)) {
    if (Array.isArray(words)) rules[name] = new Set(words);
  }
  const marks = `[${data.marks.replace(/[\\\]^-]/g, "\\$&")}]`;
  const spaced = data.joinsMarks ? String.raw`\.(?: +\.){2,}|[!?…](?: +[!?…])+|` : "";
  rules.run = new RegExp(`${spaced}${marks}+`, "gu");
  rules.toSkip = new RegExp(`^(?: |${marks})*`, "u");
  rules.firstWord = new RegExp(`^ *((?:(?!${marks})[^ ,])+)`, "u");
  const past = data.looksPastSpaces ? `[^${LETTER}]*` : "";
  rules.small = new RegExp(`^${past}[0-9a-z${data.smallLetters}]`, "u");
  return rules;
}

/** Return the places where sentences may begin, ascending: "Ah! Oh. No" -> [4, 8]. */
export function boundariesOf(line, rules) {
  const text = line.replace(ANY_SPACE, " ");
  const items = new Set(itemsOf(text));
  const [firstItem] = items;
  const ranges = new Ranges(text);
  for (const item of items) ranges.starts.add(item);
  const places = [];
  for (const [start, end] of runsOf(text, rules.run)) {
    const place = sentenceEnd(text, start, end, rules);
    if (place === null) continue;
    const isNone = (doubt) => {
      return doubt === "yes" || (doubt === "maybe" && isFirm(text, start, end, rules));
    };
    const range = ranges.around(place).find(({ doubt }) => !isNone(doubt));
    const isInItem = firstItem < place && place < text.length && !items.has(place);
    const boundary = range
      ? afterQuotation(text, range, place, rules)
      : isInItem
        ? null
        : afterStray(text, ranges, place, rules);
    if (boundary > (places.at(-1) ?? 0)) places.push(boundary);
  }
  const all = [...new Set([...places, ...items])].sort((a, b) => a - b);
  return all.filter((place) => place > 0 && place < text.length);
}

/** Return where each run of marks begins and ends: "Ah! . . ." has one. */
function runsOf(text, found) {
  const runs = [];
  for (const { index, 0: run } of text.matchAll(found)) {
    const end = index + run.length;
    const last = runs.at(-1);
    const isAfterMark = last && /^[!?…] +$/.test(text.slice(last[1] - 1, index));
    if (isAfterMark && /^\.[. ]*$/.test(run)) last[1] = end;
    else runs.push([index, end]);
  }
  return runs;
}

/** Return where the next sentence begins after a run of marks; null where this one goes on. */
function sentenceEnd(text, start, end, rules) {
  const after = ahead(text, end);
  const references = after.match(REFERENCES);
  if (references) return end + references[0].length;
  const run = text.slice(start, end);
  if (isMiddle(run, text[start - 1], after, rules)) return null;
  const word = lastWord(text, start, /[ ./]/);
  const isPart = run === "." && isPartOfWord(text, start, word, after, rules);
  if (isPart || BRANDS.includes(word)) return null;
  return end + after.length - stripStart(after).length;
}

/** Return the text from a place on, 30 bytes of it. */
function ahead(text, start) {
  let end = start;
  for (let bytes = 0; end < text.length && bytes < AHEAD_BYTES;) {
    const code = text.codePointAt(end);
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    end += code > 0xffff ? 2 : 1;
  }
  return text.slice(start, end);
}

function lastWord(text, end, separator) {
  return stripEnd(text.slice(Math.max(0, end - WORD_SIZE), end))
    .split(separator)
    .at(-1);
}

/** Return whether a sentence goes on after a run of marks, which `before` precedes. */
function isMiddle(run, before, after, rules) {
  if ([...run].length > 1) {
    const [, letter] = after.match(/^ +(\p{Lu})(?:[ '’]|$)/u) ?? [];
    const isGlued = before !== undefined && before !== " " && /^[0-9a-z]/.test(after);
    return isGlued || /^ +[0-9a-z]/.test(after) || rules.afterDots.has(letter);
  }
  return goesOn(after, rules) || ("!?".includes(run) && before === " " && CONTINUES.test(after));
}

function goesOn(after, rules) {
  const rest = stripStart(after);
  const word = rest.split(" ", 1)[0].replace(/^[.!?]+|[.!?]+$/g, "");
  const isComma = stripStart(rest.slice(sameQuoteAt(rest, 0).length)).startsWith(",");
  return rules.small.test(after) || rules.months.has(word) || (rules.looksForComma && isComma);
}

/** Return whether a full stop ends no sentence: in "Dr. Who", "J. Smith", "7.Bg5". */
function isPartOfWord(text, start, word, after, rules) {
  if (/[0-9]/.test(text[start - 1]) && /^\p{Alphabetic}.*[0-9]/u.test(after)) return true;
  const isShort = word !== "" && rules.abbreviations.has(word.toLowerCase());
  const unit = unitBefore(text, start, rules);
  if (!isShort && !unit && !isInitial(text, start, word, after)) return false;
  const isStarter = rules.starters.has(after.match(rules.firstWord)?.[1]);
  if (unit && endsAfterUnit(unit, after, isStarter, rules)) return false;
  return !(isStarter && isStrong(text, start, word, rules));
}

/** Return whether a word like "He" after an abbreviation begins a sentence: "OK", but not "e". */
function isStrong(text, start, word, rules) {
  const isKnown = [...word].length > 1 && rules.abbreviations.has(word);
  return /^[A-Z]/.test(word) || isDotted(text, start, word, rules) || isKnown;
}

function isDotted(text, start, word, rules) {
  const whole = lastWord(text, start, /[ /]/);
  return whole.length > word.length && rules.dotted.has(whole.toLowerCase());
}

/** Return whether a word is the initial of a name: "J" in "Tom J. Smith" or "J. R. Smith". */
function isInitial(text, start, word, after) {
  if (!/^[A-Z]$/.test(word)) return false;
  const before = stripEnd(text.slice(Math.max(0, start - WORD_SIZE), start)).slice(0, -1);
  const previous = before
    .replace(/[ ./]+$/, "")
    .split(/[ ./]/)
    .at(-1);
  return /^[A-Z]/.test(previous) || /^ *[A-Z]\.(?: |$)/.test(after);
}

/** Return the unit before a place, such as that of "5 p.m" or "6 ft", and the text before it. */
function unitBefore(text, end, rules) {
  const whole = lastWord(text, end, " ");
  const bare = whole.replace(/^.*[0-9]/, "");
  const name = [whole, bare].find((each) => Object.hasOwn(rules.units, each));
  if (name === undefined) return null;
  const before = text.slice(0, text.lastIndexOf(name, end - name.length));
  const { needsNumber, endsAtNumber } = rules.units[name];
  return needsNumber && !/[0-9] *$/.test(before) ? null : { before, endsAtNumber };
}

/** Return whether a unit ends a sentence: in "I left at 5 p.m. Tom", but not in "At 5 p.m. Tom". */
function endsAfterUnit({ before, endsAtNumber }, after, isStarter, rules) {
  const rest = stripStart(after);
  if (/^[A-Z]\./.test(rest)) return false;
  if (/^[0-9]/.test(rest)) return endsAtNumber;
  if (!/^\p{Uppercase}/u.test(rest)) return false;
  const words = before
    .slice(-WORD_SIZE)
    .replace(/[0-9: ]+$/, "")
    .split(" ");
  const isName = /^[A-Z]/.test(words.at(-1));
  return isStarter || (!isName && !isLeading(before, rules));
}

/** Return whether a text only leads to what follows: "On 5 May at". */
function isLeading(text, { leading, abbreviations }) {
  for (const [token] of withoutQuotations(text).matchAll(/[^ ,;—–]+/g)) {
    const word = token.replace(/\.+$/, "");
    const isOther = /^[0-9:]*$/.test(word) || /^\p{Uppercase}/u.test(word);
    const lower = word.toLowerCase();
    if (!isOther && !leading.has(lower) && !abbreviations.has(lower)) return false;
  }
  return leading.size > 0;
}

/** Return whether a sentence ends for sure with a full stop, even inside of quotation marks. */
function isFirm(text, start, end, rules) {
  const rest = stripStart(ahead(text, end));
  const word = lastWord(text, start, /[ ./]/);
  if (text.slice(start, end) !== "." || !/^[A-Z]/.test(rest) || /^[A-Z]?$/.test(word)) return false;
  const isShort = rules.abbreviations.has(word.toLowerCase());
  if (isShort || isDotted(text, start, word, rules)) return false;
  return sameQuoteAt(word, 0) === word || rules.starters.has(rest.match(rules.firstWord)?.[1]);
}

/** Return where a sentence begins after the quotation that ends one: 'He said "Go." Then'. */
function afterQuotation(text, { end, isQuotation }, place, rules) {
  const isLast = place + 1 === end || ["''", "``"].includes(text.slice(place, end));
  const after = ahead(text, end);
  if (!isQuotation || !isLast || goesOn(strip(after), rules) || CONTINUES.test(after)) return null;
  return end + after.match(rules.toSkip)[0].length;
}

/** Return a place, or the one after a mark of quotation that nothing opened, and marks after it. */
function afterStray(text, ranges, place, rules) {
  const mark = ranges.strayAt(place);
  if (!mark) return place;
  return place + mark.length + text.slice(place + mark.length).match(rules.toSkip)[0].length;
}
