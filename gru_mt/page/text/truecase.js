/** Words get the case in which training mostly writes them: gru_mt/data/text/truecase.py. */

import { ANY_LETTER, APOSTROPHES, companyAfter, EVERY_WORD, expression } from "./normalize.js";
import { isAllCaps, isCapitalised, isLower, isTitle, isUpper, pattern, size } from "./normalize.js";
import { titleEnds, WORD, words } from "./normalize.js";
import { COMMON, SHORT, Shorthand, Spelling, STARTERS } from "./spelling.js";

const LONGEST_SMALL = 4; // letters of a word that is small in a title
const UNCOMMON = 2_000; // words that are surely learned
const MOST_COMMON = 200; // words that a translation may well leave out: "there", "much"
const FREQUENT = 500; // words that a name is not taken for, but for GIVEN_NAMES
const ABBREVIATIONS = new Set(["AM", "IT", "US"]); // spelt as common English words are
const GIVEN_NAMES = new Set(["Don", "May", "Will"]); // the same

// 24h, i.e., 'n'
const BOUND_LETTER = new RegExp(
  pattern`(?<=\d)${ANY_LETTER} | ${ANY_LETTER}\.${ANY_LETTER} | (?<=')${ANY_LETTER}'`,
  "uy",
);
// The Prime Minister
const CAPITALISED = pattern`(?=[A-ZÀ-ÖØ-Þ])${WORD}`;
const TITLED = new RegExp(
  pattern`(?<![\w\m])(?: [Aa]n? | [Tt]he )\s(${CAPITALISED} (?:\x20${CAPITALISED} )+)`,
  "gu",
);
// "Thanks, We are here", but not "Tom, You and Mary"
const CLAUSE_START = expression(
  pattern`(?<=,\s)(${CAPITALISED}) (?: ['’]\w+ )?
    (?= \s(?![\dA-ZÀ-ÖØ-Þ_])\w[^\s]*+(?! (?<![.!?])\s[A-ZÀ-ÖØ-Þ] ) )`,
);
const JOINED = new RegExp(pattern`(['’\-])(${WORD})`, "uy");
// A word that touches nothing of code.
const TYPED = new RegExp(
  pattern`(?<![\w\m'’\\=.\[<]) ${WORD} (?: ['’]${WORD} )* (?! [\w\m'’\\=\[<] | \.\w )`,
  "gu",
);
// The first word of a sentence or a quotation; or none, so time is linear.
const START = new RegExp(
  pattern`(?: ^ | [.!?…:]['"”»)]*\s | ["“„«]\s? ) [^\p{L}\p{N}]* (${WORD})?`,
  "gu",
);
// With the last full stop, unless it ends the text.
const DOTTED = new RegExp(
  pattern`(?<![\w\m.]) ${ANY_LETTER}{1,2} (?: \.${ANY_LETTER}{1,2} )+ (?![\w\m]) (?: \.(?=\s*[^\s]) )?`,
  "gu",
);
const WHOLE_WORD = new RegExp(pattern`(?<![\w\m])(?<![\w\m]['’])${WORD}`, "gu"); // no s of Tom's

/** Return where first words of sentences begin; "Mr." ends none, "Apple Inc." begins with none. */
export function firstWords(text) {
  const afterTitle = titleEnds(text);
  const starts = new Set();
  for (const { 0: found, 1: word, index } of text.matchAll(START)) {
    const start = index + found.length - (word?.length ?? 0);
    const isName = afterTitle.has(start) || companyAfter(text, index + found.length);
    if (word && !isName) starts.add(start);
  }
  return starts;
}

/** Return what is written as U.S., Ph.D. and EE.UU. are, as spans. */
export function findInitials(text) {
  const isInitial = (part) => isTitle(part) || part === [...part][0].toUpperCase().repeat(2);
  return Array.from(text.matchAll(DOTTED), ({ 0: found, index }) => {
    return { start: index, end: index + found.length, text: found };
  }).filter((span) => withoutStop(span.text).split(".").every(isInitial));
}

/** Return initials without a full stop after the last one. */
export function withoutStop(initials) {
  return initials.replace(/\.$/u, "");
}

/** The words of the training split's source side, and how each is mostly written. */
export class Truecaser {
  #forms; // the cased form of each word, by its small letters; the most frequent words first
  #ranks = new Map(); // 0 for the most frequent word
  #withApostrophe = new Map(); // dont -> don't
  #letters = new Set(); // of all words
  #spelling = null;

  /**
   * Take the words' cased forms, the most frequent first, whether names are copied, and what is
   * read as more common words.
   */
  constructor(forms, copiesNames, shorthand) {
    this.copiesNames = copiesNames;
    this.#forms = new Map(forms.map((form) => [form.toLowerCase(), form]));
    for (const low of this.#forms.keys()) {
      this.#ranks.set(low, this.#ranks.size);
      const short = low.replaceAll("'", "");
      const isNew = !this.#forms.has(short) && !this.#withApostrophe.has(short);
      if (isNew) this.#withApostrophe.set(short, low);
      for (const letter of low) this.#letters.add(letter);
    }
    this.shorthand = new Shorthand(shorthand); // "thx" -> "thanks"
  }

  /** Return the truecaser that Python's `to_bytes` wrote: a header, then a form a line. */
  static from(text, shorthand) {
    const [header, ...forms] = text.split("\n").slice(0, -1);
    return new Truecaser(forms, header.endsWith("copied"), shorthand);
  }

  /** What is known of typos. */
  get spelling() {
    this.#spelling ??= new Spelling(this.#ranks);
    return this.#spelling;
  }

  /** Return whether the training split has the word, in whatever case. */
  has(word) {
    return this.#forms.has(word.toLowerCase());
  }

  /** Return whether the training split has the word, and mostly writes it small. */
  isSmall(word) {
    return isLower(this.#forms.get(word.toLowerCase()) ?? "A");
  }

  /** Return whether the word is one of the few that most sentences are made of. */
  isCommon(word) {
    return this.#ranks.get(word.toLowerCase()) < MOST_COMMON;
  }

  /** Return whether a model may not have learned the word. */
  isRare(word) {
    return (this.#ranks.get(word.toLowerCase()) ?? UNCOMMON) >= UNCOMMON;
  }

  /**
   * Return a text as the model reads it: each word as it is mostly written.
   *
   * Text in capitals, in title case or without a capital gets each word's cased form: "TOM ET
   * ZBIGNIEW" -> "Tom et Zbigniew". In other text first words of sentences and known words in
   * capitals or mixed case do: "See Tom. You SAID nO" -> "see Tom. you said no".
   */
  truecased(text) {
    if (isAllCaps(text)) return this.cased(text.replace(EVERY_WORD, capitalised));
    if (text === text.toLowerCase() || this.#isTitleCase(text)) return this.cased(text);
    const calm = text.replace(TITLED, (all, title) => {
      const isTitled = title.split(" ").every((word) => this.needsNoCapital(word));
      return isTitled ? this.cased(all) : all;
    });
    const clauses = calm.replace(CLAUSE_START, (found, word) => this.#calmClause(found, word));
    const starts = firstWords(clauses);
    return clauses.replace(EVERY_WORD, (word, start) =>
      starts.has(start) ? this.#casedForm(word, start, clauses) : this.#calm(word),
    );
  }

  /** Return a text with each known word in its cased form, but not the O of O'Sullivan. */
  cased(text) {
    return text.replace(EVERY_WORD, (word, start) => this.#casedForm(word, start, text));
  }

  #casedForm(word, start, text) {
    BOUND_LETTER.lastIndex = start;
    if (isLower(word) && size(word) === 1 && BOUND_LETTER.test(text)) return word;
    JOINED.lastIndex = start + word.length;
    const joined = JOINED.exec(text);
    return joined && this.#beginsName(word, ...joined.slice(1)) ? word : this.#form(word);
  }

  /** Return whether a word is the O of O'Sullivan, or the Jean of Jean-Luc and Jean-Pierre. */
  #beginsName(word, sign, other) {
    const isKnownName = sign === "-" && !this.isSmall(other) && this.isRare(word);
    return isCapitalised(other) && (!this.has(other) || isKnownName);
  }

  /** Return the cased form of a word; an unknown one as it is. */
  #form(word) {
    return this.#forms.get(word.toLowerCase()) ?? word;
  }

  /**
   * Return a text with what is not known as the known words that it is a typo of.
   *
   * That is a word with an apostrophe more (dont -> don't), or what `Spelling` finds; two words
   * where a space is missing (dogis). A capitalised word may be a name: it stands for a frequent
   * word only where it begins a sentence, for one with an apostrophe that has its capital of
   * itself too (Im -> I'm), and elsewhere for a name that is hardly another's (Maary). A word
   * with other capitals (eBook, WIFI), or that touches a sign, is no typo. Where most words are
   * unknown, the text is of another language, and none is.
   */
  corrected(text) {
    const found = words(text);
    if (found.every((word) => this.#stays(word))) return text;
    const starts = firstWords(text);
    const isUnknown = (word) => !this.has(word) && !this.shorthand.has(word.toLowerCase());
    const unknown = found.filter(isUnknown).length;
    const isOther = unknown > Math.max(1, found.length >> 1);

    return text.replace(TYPED, (word, start) => {
      const low = word.toLowerCase().replace(APOSTROPHES, "'");
      const isRight = (part) => this.#stays(part);
      if (isRight(low) || word.match(EVERY_WORD).every(isRight)) return word;
      const elided = (size(low) > 1 && this.shorthand.get(low)) || this.#withApostrophe.get(low);
      const mayBeName = isCapitalised(word) && !starts.has(start);
      if (elided && !(mayBeName && isLower(this.cased(elided)))) return this.cased(elided);
      if (this.has(low)) return word;
      const isJoined = isCapitalised(word) && text[start + word.length] === "-"; // Soo-jin
      const known = isOther || isJoined ? undefined : this.#mended(word, mayBeName);
      return known ? this.cased(known) : word;
    });
  }

  #stays(word) {
    return this.has(word) && !this.shorthand.has(word.toLowerCase());
  }

  /** Return the known words, in small letters, that an unknown one is a typo of, or undefined. */
  #mended(word, mayBeName) {
    const low = word.toLowerCase().replace(APOSTROPHES, "'");
    const [first, ...others] = word;
    const rest = others.join("");
    if (rest !== rest.toLowerCase()) {
      // oBston and TThis, but not eBook
      const swapped = [others[0], first, ...others.slice(1)].join("");
      if (isTitle(swapped) && this.has(swapped)) return swapped.toLowerCase();
      const isDoubled = first === others[0] && isLower(others.slice(1).join(""));
      return isDoubled ? this.spelling.undoubled(low) : undefined;
    }
    if (mayBeName) {
      const known = size(low) > SHORT ? this.spelling.corrected(low) : undefined;
      return known && isCapitalised(this.#forms.get(known)) ? known : undefined;
    }
    const known = this.spelling.corrected(low, isCapitalised(first) ? STARTERS : null);
    const index = low.indexOf("'");
    if (known === undefined && index >= 0) {
      const head = low.slice(0, index); // taht's
      const most = isCapitalised(first) ? STARTERS : COMMON; // not Lars's
      const mended = this.has(head) ? undefined : this.spelling.corrected(head, most);
      return mended && mended + low.slice(index);
    }
    return known ?? (word === low ? this.spelling.divided(low) : undefined);
  }

  /**
   * Return whether words are capitalised that need not be, as all but short common ones are.
   *
   * So "The Old Man and the Sea" is in title case, and "Good Morning". "Das Haus" is not, if
   * nouns have capitals, nor is "In the US", nor "I met Bill": in a title that has small words
   * two others than the first need no capital.
   */
  #isTitleCase(text) {
    const found = text.match(WHOLE_WORD) ?? [];
    if (!found.length || ![found[0], found.at(-1)].every(isCapitalised)) return false;
    const small = found.filter((word) => !isCapitalised(word));
    const needNot = found.slice(1).filter((word) => this.needsNoCapital(word));
    return (
      needNot.length > (small.length ? 1 : 0) &&
      small.every((word) => size(word) <= LONGEST_SMALL && this.isCommon(word))
    );
  }

  /** Return whether a word has its capital only of a title; the A of "bus A" has not. */
  needsNoCapital(word) {
    return size(word) > 1 && isTitle(word) && this.isSmall(word);
  }

  /** Return the first words after a comma in their cased form, unless they may be a name. */
  #calmClause(found, word) {
    const isFrequent = this.#ranks.get(word.toLowerCase()) < FREQUENT;
    const isName = GIVEN_NAMES.has(found) || !this.needsNoCapital(word);
    return isFrequent && !isName ? this.cased(found) : found;
  }

  /** Return a word in its cased form, if it is in mixed case or in capitals for emphasis. */
  #calm(word) {
    const isShort = size(word) < 3 && isUpper(word) && !this.isCommon(word);
    const isUsual = isLower(word) || isTitle(word) || isShort || ABBREVIATIONS.has(word);
    return isUsual ? word : this.#form(word);
  }

  /** Return whether all letters of a word are letters of known words. */
  hasLetters(word) {
    return [...word.toLowerCase()].every((letter) => this.#letters.has(letter));
  }
}

/** Return a word with its first letter as it is, and the others small: "ÉTÉ" -> "Été". */
function capitalised(word) {
  const [first, ...others] = word;
  return first + others.join("").toLowerCase();
}
