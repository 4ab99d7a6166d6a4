/** Splitting a line into its sentences: gru_mt/data/text/sentences.py, which gives the rules. */

import { ANY_LETTER, expression, isLower, isUpper, pattern, SPACELESS } from "./normalize.js";
import { plainDigits, strip, stripStart, TITLES, WORD } from "./normalize.js";
import { ANY_PLACEHOLDER } from "../tokenizer/special.js";

// After a final mark; of German too: »Komm!«, „Komm!“
const CLOSING = pattern`(?: [»›] | \s[»›](?!\w) | ["'”’\)\]」』] | “(?!\w)
  | (?<=[.!?…])[«‹](?!\w) )*+`;
const QUOTED = expression(
  pattern`“[^“”]*” | „[^“”„]*[“”] | «[^«»]*» | ‹[^‹›]*› | 「[^「」]*」 | 『[^『』]*』
    | (?<!\d)"[^"]*"
    | (?<!\w)['‘](?!(?: \d0s | em | cause | til | n | bout )(?!\w))(?=\w)(?: [^'’] | ['’](?=\w) ){0,300}+(?<=[^\s])['’](?!\w)`,
);
const BRACKETED = /\([^()]*\)|\[[^[\]]*\]|\{[^{}]*\}|（[^（）]*）/g;
const HIDDEN = "\0"; // in place of a mark that ends nothing
const ITEM = new RegExp(
  pattern`(?: (?<=\s) | ^ )(?: [•◦▪■□●○◆►]
    | (?<open>\(?)(?<label> \d{1,3} | [a-z] )(?<close> \.?\) | \. ) )\s+(?=[^\s])`,
  "gu",
);
const HAS_LETTER = new RegExp(`(?!${ANY_PLACEHOLDER})${ANY_LETTER}`, "u");
// 2. or (a) or -
const ONLY_MARKER = new RegExp(
  pattern`^\s*(?: [\(\[]?(?: \d{1,3} | [A-Za-z] | [ivx]{2,5} )[.\)\]]+ | [*•·–—\-] )\s*$`,
  "u",
);
const NEXT_LETTER = new RegExp(pattern`^[^\w]*(\w)`, "u");
const SAID = /^(?:と(?!ても|ころ|き)|って|하고|라고|라며)/; // what was quoted before
// 24. of December; XIV.
const DATE = new RegExp(pattern`(?: \d | ${ANY_PLACEHOLDER} | (?<!\w)[IVX]+ )$`, "u");
const ENDS_TITLE = new RegExp(
  pattern`(?<!\w)(?: ${TITLES} | Sta | Sto | Ft | Hl | Fa | Ing | [Bb]d | [Ii]\.e | [Ee]\.g )$`,
  "u",
);
// Of German, before a noun; and Hauptstr. 5.
const ORDINAL = new RegExp(
  pattern`(?<!\w)(?: (?: [Dd](?:er|ie|as|em|en|es) | [AaIi]m | [Zz]u[mr] | [Vv]om | [Bb]eim
    | [MmDdSs]?[Ee]in(?:e[mnrs]?)? )\s\d{1,3} | \w+str )$`,
  "u",
);
const MONTH = /^(?:Januar|Februar|März|April|Mai|Jun|Jul|August|[SOND][a-z]+(?:em|o)ber)/;
const AFTER_HOUR = new RegExp(
  pattern`^(?: [\-–—\(] | (?: Mon | Tues | Wednes | Thurs | Fri | Satur | Sun )day
    | (?: [ECMP][DS]?T | GMT | UTC | BST )(?!\w) )`,
  "u",
);
const LETTER_UNIT = new RegExp(pattern`\d\s?[ghlm]$`, "u");
const UNITS = new RegExp(
  pattern`\d\s?(?: [Mm]ins? | [Ss]ecs? | hrs? | ft | in | oz | lbs? | yd | mi | gal | sq | cu | [km]gs?
    | grs? | [km]ms? | mts? | cm | m[lg] | Std | Sek | pers | cdta?s? | cdas? )$`,
  "u",
);
const TWO_LETTERS = new RegExp(`${ANY_LETTER}{2}$`, "u"); // not D...mn
const HOUR = new RegExp(pattern`(?<!\w)[ap]\.\s?m$`, "u");
const AT_HOUR = new RegExp(
  pattern`^[^\w]*(?:At|By|On|Around|About|Until|Since|Before|After|From)\s[^\s]+\s[ap]\.\s?m$`,
  "u",
);
const INITIALS = new RegExp(
  pattern`(?<!\w)${ANY_LETTER}(?: - | \.[\s\-]? )${ANY_LETTER}{1,2}$`, // p. m, J.-C
  "u",
);
const LAST_WORD = new RegExp(pattern`(?<![\w'’])( (?<!\w-)${WORD} | (?<=à-)d )$`, "u");
const FIRST_WORD_AFTER = new RegExp(pattern`^\w+`, "u");
const NEXT_INITIAL = new RegExp(pattern`^(${ANY_LETTER})\.`, "u");
const WORD_BEFORE = new RegExp(pattern`(\w)\w*[\s.\-]*$`, "u"); // an initial
// But "5 km."
const NO_VOWEL = new RegExp(
  pattern`(?<!\w)(?<!\d\s)[B-DF-HJ-NP-TV-XZb-df-hj-np-tv-xz][b-df-hj-np-tv-xz]+$`,
  "u",
);
// 5, $5, V or a placeholder
const AS_NUMBER = new RegExp(
  pattern`^(?: (?: (?!${ANY_PLACEHOLDER})[^\w\s] ){0,2}(?: \d | ${ANY_PLACEHOLDER} )
    | (?: [IVXLC]{2,} | [VX] )(?![\w'’]) )`,
  "u",
);
// A full stop that begins a word, or is after its first letter; and what may begin a sentence.
const BEGUN = new RegExp(pattern`(?: ^ | [\s\(\-] )${ANY_LETTER}?$`, "u");
const GLUED = new RegExp(
  pattern`^[¿¡"'“‘«\(]*(${ANY_LETTER})(${ANY_LETTER} | ['’\s])[\w.'’]*(?![\w.'’=\(\[\{<\\/])`,
  "u",
);
const BEGINS_SPACELESS = new RegExp(`^${SPACELESS.source}`, "u");
const STARTS_DIGIT = /^\p{Nd}/u;
const ENDS_DIGIT = /\p{Nd}$/u;
const ENDS_SPACE = new RegExp(pattern`\s$`, "u");
const WINDOW = 40; // characters before and after a mark that tell whether it ends a sentence

/** Return the rules of a language, of what Python's `sentence_rules` gives. */
export function sentenceRules({ marks, spaced, ordinals, ...words }) {
  const mark = `[${marks}]`;
  return {
    mark: new RegExp(mark, "gu"),
    lastMark: new RegExp(pattern`(?<!${mark})${mark}+\s?[^]$`, "u"),
    run: expression(
      pattern`(?<run> ${mark}+(?: \s+[.!?…]+(?= \s | $ ) )*+ )(?<close>${CLOSING})(?<space>\s*)`,
    ),
    abbreviations: new Set(words.abbreviations),
    starters: new Set(words.starters),
    beforeNumber: new Set(words.before_number),
    beforeBoth: new Set(words.before_both),
    conjunction: words.conjunction,
    ordinals,
    spaced,
  };
}

/**
 * Return the sentences of a line, whose sum is the line; none for "". A sentence keeps the space
 * after it, and the first one that before it.
 *
 * "Hi! Mr. X is in. 1. Go" -> ["Hi! ", "Mr. X is in. ", "1. Go"]
 */
export function splitSentences(text, rules) {
  const found = new Set([...sentenceEnds(text, rules), ...itemsOf(text)]);
  const inside = [...found].filter((position) => position > 0 && position < text.length);
  const bounds = [0, ...inside.sort((a, b) => a - b), text.length];
  const starts = [0];
  for (let n = 0; n + 1 < bounds.length; n++) {
    const [start, end] = bounds.slice(n, n + 2);
    const last = text.slice(Math.max(starts.at(-1), start - WINDOW), start);
    const part = text.slice(start, end);
    const isOpen = !strip(last) || ONLY_MARKER.test(last);
    if (!isOpen && (HAS_LETTER.test(part) || ONLY_MARKER.test(part))) starts.push(start);
  }
  if (starts.length > 1 && ONLY_MARKER.test(text.slice(starts.at(-1)))) starts.pop(); // of nothing
  const ends = [...starts.slice(1), text.length];
  return starts.map((start, n) => text.slice(start, ends[n])).filter((part) => part);
}

/** Return where items of a list begin: bullets, and labels that count on from the text's first. */
function itemsOf(text) {
  const items = [];
  const begin = text.length - stripStart(text).length;
  let expected = null;
  for (const { index, groups } of text.matchAll(ITEM)) {
    const { open, label, close } = groups;
    if (label === undefined) {
      items.push(index);
      continue;
    }
    const isNumber = STARTS_DIGIT.test(label);
    const count = isNumber ? Number(plainDigits(label)) : label.charCodeAt(0);
    const form = (number) => `${open}${close}${isNumber}${number}`;
    if (form(count) === expected) items.push(index);
    else if (expected || index > begin) continue;
    expected = form(count + 1);
  }
  return items;
}

/** Return where final marks, and what closes after them, end a sentence. */
function sentenceEnds(text, rules) {
  const hide = (found) => {
    if (found === strip(text)) return found;
    const last = /^[([{（]/.test(found) ? null : rules.lastMark.exec(found);
    const end = last ? last.index : found.length;
    return found.slice(0, end).replace(rules.mark, HIDDEN) + found.slice(end);
  };
  const seen = text.replace(BRACKETED, hide).replace(QUOTED, hide);
  const ends = [];
  for (const { index, 0: match, groups } of seen.matchAll(rules.run)) {
    const before = text.slice(Math.max(ends.at(-1) ?? 0, index - WINDOW), index);
    const end = index + match.length;
    if (!goesOn(before, groups, text.slice(end, end + WINDOW), rules)) ends.push(end);
  }
  return ends;
}

/** Return whether a sentence goes on after a run of final marks: "vol. |2", "Yes?! |he said". */
function goesOn(before, { run, close, space }, after, rules) {
  const letter = NEXT_LETTER.exec(after)?.[1] ?? "";
  const isNext = isLower(letter) || STARTS_DIGIT.test(letter) || SAID.test(after);
  const isSaid = /^[—–]/.test(after) && isLower(letter);
  if (/^[,;:]/.test(after) || isSaid || (close && isNext)) return true;
  const isEllipsis = run !== "." && /^[.…]+$/.test(run);
  if (!space) {
    const isBetweenWords = isEllipsis && TWO_LETTERS.test(before) && /^\p{L}/u.test(after);
    return !isBetweenWords && !mayTouch(before, run, close, after);
  }
  if (isEllipsis) return false;
  if (new Set(run).size > 1) return /^[0-9a-z]/.test(after);
  if (run !== ".") return !rules.spaced && ENDS_SPACE.test(before) && /^[0-9a-z]/.test(after);
  if (ENDS_TITLE.test(before)) return true;
  const [first = ""] = after;
  const isSmall = isLower(first);
  if (rules.ordinals) {
    const isDate = DATE.test(before) && (isSmall || MONTH.test(after));
    if (ORDINAL.test(before) || isDate) return true;
  }
  if (HOUR.test(before)) {
    const isAtHour = !STARTS_DIGIT.test(after) && AT_HOUR.test(before);
    return isSmall || AFTER_HOUR.test(after) || isAtHour;
  }
  return isAbbreviated(before, after, isSmall, rules);
}

/** Return whether a full stop with a space after it is that of an abbreviation or an initial. */
function isAbbreviated(before, after, isSmall, rules) {
  const { abbreviations, starters, beforeNumber, beforeBoth } = rules;
  const word = LAST_WORD.exec(before)?.[1];
  if (word === undefined) return false;
  const begun = NEXT_LETTER.exec(after)?.[1] ?? "";
  if (isUpper(begun) && (["etc", "usw"].includes(word) || LETTER_UNIT.test(before))) return false;
  if (isSmall && UNITS.test(before)) return true;
  const isLetter = [...word].length === 1;
  const isStarter = starters.has(FIRST_WORD_AFTER.exec(after)?.[0]);
  if (isLetter && isUpper(word)) {
    const next = NEXT_INITIAL.exec(after);
    if (next && isUpper(next[1])) return true;
    const previous = WORD_BEFORE.exec(before.slice(0, -word.length));
    return isSmall || (previous !== null && isUpper(previous[1]) && !isStarter);
  }
  const isInitials = INITIALS.test(before);
  const isShort = isLetter || abbreviations.has(word.toLowerCase());
  if ((isShort || (isInitials && before.includes("."))) && !isStarter) return true;
  const isNumber = AS_NUMBER.test(after);
  if ((isSmall || isNumber) && beforeBoth.has(word)) return true;
  if (isSmall && isInitials) return true;
  return isNumber && (beforeNumber.has(word) || NO_VOWEL.test(before));
}

/**
 * Return whether a sentence may begin without a space: "the end.|Then", not ASP.NET, a.Name().
 *
 * With a full stop that is between small letters and a capital.
 */
function mayTouch(before, run, close, after) {
  const [first = ""] = after;
  if (BEGINS_SPACELESS.test(after) || "。！？．｡".includes(run.at(-1))) return true;
  if (/^[¿¡]/.test(first)) return true;
  if (close) return isUpper(first);
  if (run.at(-1) !== ".") {
    return (/^\p{L}/u.test(first) && !isLower(first)) || /^[¿¡«“"]/.test(first);
  }
  const isNumber = STARTS_DIGIT.test(first) || (ENDS_DIGIT.test(before) && isLower(first));
  if (ENDS_TITLE.test(before) || BEGUN.test(before) || isNumber) return false;
  const letter = [...before].at(-1) ?? "";
  if (!(isLower(letter) || isUpper(letter)) || isUpper(before + after)) return true;
  const [, begun, second] = GLUED.exec(after) ?? [];
  return isLower(letter) && begun !== undefined && isUpper(begun) && !isUpper(second);
}
