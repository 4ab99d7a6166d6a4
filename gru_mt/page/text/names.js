/** Names and other words that training never saw: gru_mt/data/text/names.py. */

import { ANY_LETTER, EVERY_WORD, isCapitalised, pattern, size } from "./normalize.js";
import { companyAfter, titleEnds, WORD, words } from "./normalize.js";
import { disjoint, mask } from "./placeholders.js";
import { PLACEHOLDER } from "../tokenizer/special.js";
import { LONGEST_TYPO } from "./spelling.js";
import { findInitials, firstWords, withoutStop } from "./truecase.js";

const LEAST_END = 4; // letters of a known word that an unknown one ends with, as unkind
const NAME = new RegExp(pattern`(?<![\w\m])${WORD} (?: ['’\-](?=${ANY_LETTER})${WORD} )*`, "gu");
const POSSESSIVE = new RegExp(pattern`['’]s(?= [^\w\s] | $ )`, "uy"); // of nothing: "at McDonald's."

/**
 * Return the words of a text that a translation copies, as spans; none if names are not copied.
 *
 * They were never seen, and are no known word with another ending or beginning. Capitalised
 * parts that hyphens and apostrophes join are one name: Jean-Luc, O'Sullivan. Parts in small
 * letters before and after it are not: l'Okcydent, Zbigniew's. After "Mr." a capitalised word
 * is a name, whatever else it means, with the title if that is unseen; so are one and "Inc." after
 * it, and two in a row that are mostly small: Star Wars.
 */
export function findNames(text, truecaser) {
  if (!truecaser.copiesNames) return [];
  const titles = titleEnds(text);
  const spans = [...text.matchAll(NAME)].flatMap(({ 0: joined, index }) => {
    const parts = [...joined.matchAll(EVERY_WORD)];
    const capitals = parts.filter(([part]) => part !== part.toLowerCase());
    const named = capitals.length ? capitals : parts;
    const isName = titles.has(index) && isCapitalised(joined);
    const company = isCapitalised(joined) ? companyAfter(text, index + joined.length) : "";
    // A text without spaces is unseen where all its letters are.
    const isWhole = ([part]) => words(part).every((word) => isUnseen(word, truecaser));
    const isJoined = capitals.length === parts.length && isJoinedName(joined, truecaser);
    if (!isName && !company && !isJoined && !named.some(isWhole)) return [];
    let last = parts.indexOf(named.at(-1));
    const goesOn = (part) => !truecaser.has(part[0]) || isSyllable(joined, part);
    while (last + 1 < parts.length && goesOn(parts[last + 1])) last++;
    const isTitled = isName && isUnseen(titles.get(index).title, truecaser);
    const start = isTitled ? titles.get(index).start : index + named[0].index;
    const ownEnd = index + parts[last].index + parts[last][0].length;
    POSSESSIVE.lastIndex = ownEnd;
    const end = company
      ? index + joined.length + company.length
      : ownEnd + (POSSESSIVE.exec(text)?.[0].length ?? 0);
    return [{ start, end, text: text.slice(start, end) }];
  });
  return disjoint([...spans, ...titlesWithin(text, truecaser)]);
}

/** Return whether a part is short, as that of Jae-won: won is a known word. */
function isSyllable(joined, { 0: part, index }) {
  return joined[index - 1] === "-" && /^[a-z]{2,3}$/u.test(part);
}

/** Return whether known words are one name: Anne-Marie, but not French-English or T-Shirt. */
function isJoinedName(text, truecaser) {
  const parts = text.split("-");
  const isName = (part) => size(part) > 1 && truecaser.isRare(part) && !truecaser.isSmall(part);
  return parts.length > 1 && parts.some(isName);
}

/** Return a masked text with its initials masked too, but for those that the model translates. */
export function maskInitials(masked, truecaser) {
  const found = truecaser.copiesNames ? findInitials(masked.text) : [];
  const spans = found.filter(({ text }) => !truecaser.has(withoutStop(text)));
  if (!spans.length) return masked;
  const copied = Array.from(masked.text.matchAll(PLACEHOLDER), ({ index }, k) => {
    return { start: index, end: index + 1, text: masked.placeholders[k] };
  });
  return mask(
    masked.text,
    [...copied, ...spans].sort((a, b) => a.start - b.start),
  );
}

/** Return capitalised words in a row that are mostly small, inside a sentence, as spans. */
function titlesWithin(text, truecaser) {
  const starts = firstWords(text);
  const rows = []; // {start, end, isLong}
  for (const { 0: word, index: start } of text.matchAll(EVERY_WORD)) {
    if (starts.has(start) || !truecaser.needsNoCapital(word)) continue;
    const end = start + word.length;
    const row = rows.at(-1);
    if (row && text.slice(row.end, start) === " ") Object.assign(row, { end, isLong: true });
    else rows.push({ start, end, isLong: false });
  }
  return rows
    .filter(({ isLong }) => isLong)
    .map(({ start, end }) => ({ start, end, text: text.slice(start, end) }));
}

function isUnseen(word, truecaser) {
  if (truecaser.has(word)) return false;
  if (!truecaser.hasLetters(word)) return true; // of another script
  if (word !== word.toLowerCase()) return size(word) > 1;
  if (truecaser.spelling.hasStem(word)) return false;
  const letters = [...word].slice(1).slice(-LONGEST_TYPO);
  for (let n = 0; n <= letters.length - LEAST_END; n++) {
    if (truecaser.has(letters.slice(n).join(""))) return false;
  }
  return true;
}
