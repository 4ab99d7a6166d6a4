/** Find what a translation copies as it is, and put marks there: gru_mt/data/literals.py. */

import { LITERALS } from "./special.js";
import { pattern } from "./text.js";

const ANY_MARK = `[${LITERALS[0]}-${LITERALS.at(-1)}]`;

/** What stands for a literal. */
export const MARK = new RegExp(ANY_MARK, "gu");

// W: a letter, a digit or _ of a script that glues nothing to a foreign word: Latin, Greek,
// Cyrillic. A literal may touch letters of the others: 请访问example.com。
const W = pattern`(?: (?![\u0530-\u1dff \u2c00-\u{10ffff}])\w )`;
const W_LETTER = pattern`(?: (?!\d)${W} )`; // or _
// A character of an address: of any script, except those without spaces, and Korean.
const ADDRESS_SIGN = pattern`(?: [/=&%#~+$@|_\-]
  | (?! [\u0e00-\u11ff \u1780-\u17ff \u1950-\u1aaf \u2e80-\ud7ff \uf900-\uffff] )[\w\m] )`;
// An address ends with no other mark, and has brackets in pairs only.
const ADDRESS_PART = pattern`(?:
  ${ADDRESS_SIGN} | [.,;:!?*]+(?=${ADDRESS_SIGN}) | '(?=${W_LETTER}) )`;
const ADDRESS_END = pattern`(?: ${ADDRESS_PART}
  | \( ${ADDRESS_PART}* \) | \[ ${ADDRESS_PART}* \] | \{ ${ADDRESS_PART}* \} )*`;
const HOST = pattern`${W}+ (?: -${W}+ )*`;
const DOMAINS =
  "com org net edu gov info biz io dev app ai co tv xyz online shop site store tech cloud blog " +
  "wiki de fr uk ru eu ch nl pl br jp cn kr au ca es se dk fi cz gr hu ua tr mx ie nz za il pt";
const EXTENSIONS =
  "pdf docx? xlsx? pptx? od[tsp] rtf txt md rst tex epub mobi csv tsv json jsonl ya?ml toml xml " +
  "html? css s?css jsx? tsx? py ipynb java cpp hpp cs rb php swift kt sh bat ps1 sql ini cfg " +
  "conf log bak tmp jpe?g png gif svg webp bmp tiff? ico psd mp[34] m4a wav ogg flac avi mov mkv " +
  "webm srt zip tar gz bz2 xz 7z rar jar apk exe msi dll dmg iso deb rpm bin dat db lock";
const STEP = pattern`(?: ${W} | [@%+~$\-] | \.(?=${W}) )`; // a character of a path, between slashes
const ROOTS = "bin|boot|dev|etc|home|lib|media|mnt|opt|proc|root|run|srv|sys|tmp|usr|var";
const SMILE = pattern`[:;=]['’]?-?[)(]+ | [:;]-?D+`;
const FACE = pattern`
  ${SMILE} | [:;]['’]?-?[\]\[PpOo|/\\*]+ | =[DP]+ | [xX]D+ | </?3+ | \^_*\^ | -_+- | T_+T
  | >_+< | [oO]_+[oO] | ¯\\_\(ツ\)_/¯`;
const ALONE = pattern`[^\s.!?,…"'()]`; // what does not touch a face
const EMOJI = pattern`[
  \u231a \u231b \u23e9-\u23f3 \u23f8-\u23fa \u25fd \u25fe \u2600-\u27bf \u2b05-\u2b07 \u2b1b \u2b1c
  \u2b50 \u2b55 \u{1f000}-\u{1f0ff} \u{1f18e}-\u{1f1ff} \u{1f201}-\u{1faff}
]`;
// A keycap, and a sign that is shown as an emoji: ©️
const SIGN = pattern`[\d#*]\ufe0f?\u20e3 | [^\s]\ufe0f`;
const NUMBER_SPACE = pattern`[\x20\u00a0\u2009\u202f]`;
const MONEY = pattern`[$¢-¥\u20a0-\u20bf]`;
const DIGITS = pattern`\d+(?!\d)`; // all there are
const AREA = pattern`
  \( (?: \+?\d{1,3} | 0\d{1,4} ) \) [\x20.\-]? (?= (?:[\x20.\-]?\d){5} )`; // "(555) 123-4567"
const JOIN = pattern`[.,:/\-–+'’×]`; // stands alone between two digits of a number
// +33 6 12 34 56 78, 1 234 567,8, 06 12 34 56 78, 555 1234, 10:30
const NUMBER = pattern`(?:
  \+${DIGITS} (?: (?: ${NUMBER_SPACE}?${AREA} | ${JOIN} | ${NUMBER_SPACE} ) ${DIGITS} )*
  | \d{1,3} (?: ${NUMBER_SPACE}\d{3}(?!\d) )+ (?: [.,]${DIGITS} )?
  | \d{2,}(?!\d) (?: ${NUMBER_SPACE}\d{2,}(?!\d) ){2,}
  | \d{3,}(?!\d) ${NUMBER_SPACE} \d{3,}(?!\d)
  | (?: ${AREA} )? ${DIGITS} (?: (?: ${JOIN} | ${NUMBER_SPACE}?${AREA} ) ${DIGITS} )*
) (?! ${W} | ${JOIN}\d | -${W_LETTER}*\d )`;
// A part of a word with digits.
const PIECE = pattern`(?: ${W_LETTER}*\d(?: ${W} | \d )* | [A-Z]+(?!${W}) )`;

/** Return the pattern of one of `words` at a word's end, in small or in capital letters. */
function ending(words) {
  const either = words.replaceAll(" ", "|");
  return pattern`(?: ${either} | ${either.toUpperCase()} )(?! ${W} | -${W} )`;
}

// Every literal; a match of the group `digits` may yet be none. No part tries much of the text
// again from each of its places: the time is linear.
const LITERAL = new RegExp(
  [
    ANY_MARK, // a user's own
    // Markup and code.
    pattern`<!-- (?: [^<\-] | -(?!->) | <(?!!--) )* -->`,
    pattern`<[!?][A-Za-z][^<>]*>`,
    pattern`</?[A-Za-z][\w:.\-]*
      (?: \s*/?> | \s(?=[^<>]*=) (?: "[^"<]*" | '[^'<]*' | [^<>"'] )* > )`,
    pattern`&(?: [A-Za-z][A-Za-z\d]{1,31} | #\d{1,7} | #[xX][\dA-Fa-f]{1,6} );`,
    pattern`(?<!\x60)(?<!${W})(?<quote>\x60{1,3})(?!\x60) [^\n]+? (?<!\x60)\k<quote>(?!\x60)`,
    // Placeholders.
    pattern`\{{2,3}[^{}]*\}{2,3} | \{%[^{}]*%\} | [$#%]\{[^{}]*\} | \{\s?[^{}\s]*\s?\}`,
    pattern`(?<![\d%])% (?: \(\w+\) | \d+\$ )? [\-+#0]*(?!0)\d* (?:\.\d+)?
      (?: hh? | ll? | [Lzjt] )? [sdiufFeEgGxXocrap@](?![A-Za-z])`,
    pattern`(?<![\w%])%[A-Za-z_]\w*%`,
    pattern`(?<!\w)\$[A-Za-z_][A-Za-z\d_]*`,
    // Addresses and files.
    pattern`(?<!${W})(?:
      [A-Za-z][A-Za-z\d+.\-]{0,19}://${ADDRESS_END} | www\.(?=${W})${ADDRESS_END}
      | (?<!${W}[.+%\-])(?:mailto:)? ${W}+ (?: [.+%\-]${W}+ )*
        @${HOST} (?: \.${HOST} )* \.${W_LETTER}{2,}(?!${W})
      | (?: (?<!${W}[.\-])(?: ${HOST}\. )+ (?: ${ending(DOMAINS)} | [a-z]{2,10}(?=/${W}) )
        | \d{1,3} (?: \.\d{1,3} ){3} (?= :\d | /${W} ) | localhost(?=:\d) )
        (?: :\d{1,5} )? (?: [/?#](?=${ADDRESS_SIGN})${ADDRESS_END} | / )?
      | [A-Za-z]:\\ (?: ${STEP} | [\\/] )*
      | (?<!${W}[.+/\-])${W}+ (?: [.+/\-]${W}+ )* \.${ending(EXTENSIONS)}
    )`,
    pattern`(?<!${W})(?<![/.)\]}>])
      (?: ~ | \.\.? | (?= (?: /[A-Za-z_.][^\s/]* ){2} | /(?:${ROOTS})(?!${W}) ) )
      (?: /${STEP}+ )+ /?`,
    // Names, tags, faces and emoji.
    pattern`(?<!${W})(?<![@.])@${W}+ (?: (?: -(?=${W}) | \.(?=[a-z\d]) ) ${W}+ )*
      (?: @${HOST} (?: \.${HOST} )+ )?`,
    pattern`(?<!${W})(?<![&#])# (?= \d*(?!\d)\w | \d{3} )
      [\w\m]+`,
    pattern`(?: (?<!${ALONE})(?:${FACE}) | (?<=${W_LETTER})(?:${SMILE}) )(?!${ALONE})`,
    pattern`(?: ${EMOJI} | ${SIGN} )
      (?: ${EMOJI} | [\u200d\ufe0e\ufe0f\u{e0020}-\u{e007f}] | ${SIGN} )*`,
    // Numbers, and words with digits.
    pattern`(?<digits> (?<!${W})(?: [A-Z]{0,3}${MONEY} )? (?:
        [\-−]?${NUMBER} (?: ${NUMBER_SPACE}?(?: [%‰] | ${MONEY} )(?! ${W} | [@(] ) )?
        | ${PIECE} (?: (?: [\-._] | (?<=\d)[,:/'](?=\d) )${PIECE} )*
      ) | \d{3,} )`,
  ].join("|"),
  "gu",
);
// A time of the day is the model's business: 10:30, 9h05.
const CLOCK = new RegExp(pattern`^\d{1,2}[:hH]\d\d(?: :\d\d )?(?: [aApP][mM] )?$`, "u");
const SUM = new RegExp(pattern`[%‰] | ${MONEY}`, "u"); // makes a short number a literal

/**
 * Return what a translation of `text` copies, as spans {start, end, text}, ascending.
 *
 * Of numbers, and of words with digits, it is those with three digits or more, prices and
 * percentages, and words that begin with a letter, as A4 and COVID-19; but no clock time:
 * "Call 555-1234 at 10:30" -> [{start: 5, end: 13, text: "555-1234"}].
 */
export function findLiterals(text) {
  return [...text.matchAll(LITERAL)]
    .filter(({ 0: found, groups }) => groups.digits === undefined || !isModels(found))
    .map(({ 0: found, index }) => ({ start: index, end: index + found.length, text: found }));
}

/** Return whether a number, or a word with digits, is left to the model. */
function isModels(found) {
  const digits = found.match(/\p{Nd}/gu)?.length ?? 0;
  const isFew = digits < (/^\p{L}/u.test(found) ? 1 : 3) && !SUM.test(found);
  return isFew || CLOCK.test(found);
}

/**
 * Return {text, literals}: a text with a mark for each of its spans, and what stood there. They
 * are ascending and disjoint; literal i stands where LITERALS[i % 8] does.
 *
 * "a@b.org or c@d.org" -> "\ue010 or \ue011"; the ninth is "\ue010" again.
 */
export function mask(text, spans) {
  let masked = "";
  let end = 0;
  spans.forEach((span, i) => {
    masked += text.slice(end, span.start) + LITERALS[i % LITERALS.length];
    end = span.end;
  });
  return { text: masked + text.slice(end), literals: spans.map((span) => span.text) };
}

/**
 * Return which literal each mark in a text stands for.
 *
 * The j-th LITERALS[k], from 0, stands for literal k + 8 j.
 */
export function literalIndices(text) {
  const next = LITERALS.map((_, k) => k);
  return Array.from(text.matchAll(MARK), ([mark]) => {
    const k = LITERALS.indexOf(mark);
    const index = next[k];
    next[k] += LITERALS.length;
    return index;
  });
}

/** Return a text with its literals in place of marks. A mark without a literal stays. */
export function restore(text, literals) {
  const indices = literalIndices(text).values();
  return text.replace(MARK, (mark) => literals[indices.next().value] ?? mark);
}

const TAG = new RegExp(pattern`^<(/?)([A-Za-z][\w:.\-]*)[^<>]*(?<!/)>$`, "u");

/** Return the places of each tag that opens and of the one that closes it: <b> and </b>. */
export function tagPairs(literals) {
  const opened = [];
  const pairs = [];
  literals.forEach((literal, place) => {
    const [tag, slash, name] = TAG.exec(literal) ?? [];
    if (tag && !slash) opened.push({ name, place });
    else if (tag && opened.at(-1)?.name === name) pairs.push([opened.pop().place, place]);
  });
  return pairs;
}
