/**
 * The formats of what a translation copies as it is: gru_mt/data/text/patterns.py. No pattern tries
 * much of the text again from each of its positions, so the time is linear.
 */

import { ANY_PLACEHOLDER } from "../tokenizer/special.js";
import { expression, pattern } from "./normalize.js";

// W: a letter, a digit or _ of a script that glues nothing to a foreign word: Latin, Greek,
// Cyrillic. A placeholder may touch letters of the others: 请访问example.com。
const W = pattern`(?: (?![\u0530-\u1dff \u2c00-\u{10ffff}])\w )`;
const W_LETTER = pattern`(?: (?!\d)${W} )`; // or _
const LETTER_ = String.raw`[\p{L}\p{Nl}\p{No}_]`;
// A character of an address: of any script, except those without spaces, and Korean.
const ADDRESS_SIGN = pattern`(?: [/=&%#~+$@|_\-]
  | (?! [\u0e00-\u11ff \u1780-\u17ff \u1950-\u1aaf \u2e80-\ud7ff \uf900-\uffff] )[\w\m] )`;
// An address ends with no other mark, and has brackets in pairs only.
const ADDRESS_PART = pattern`(?:
  ${ADDRESS_SIGN}++ | [.,;:!?*]++(?=${ADDRESS_SIGN}) | '(?=${W_LETTER}) )`;
const ADDRESS_END = pattern`(?: ${ADDRESS_PART}
  | \( ${ADDRESS_PART}* \) | \[ ${ADDRESS_PART}* \] | \{ ${ADDRESS_PART}* \} )*`;
const HOST = pattern`${W}++ (?: -${W}++ )*`;
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
const AREA = pattern`
  \( (?: \+?\d{1,3} | 0\d{1,4} ) \) [\x20.\-]? (?= (?:[\x20.\-]?\d){5} )`; // "(555) 123-4567"
const JOIN = pattern`[.,:/\-–+'’×]`; // stands alone between two digits of a number
// +33 6 12 34 56 78, 1 234 567,8, 06 12 34 56 78, 555 1234, 10:30
const NUMBER = pattern`(?:
  \+\d++ (?: (?: ${NUMBER_SPACE}?${AREA} | ${JOIN} | ${NUMBER_SPACE} ) \d++ ){0,40}
  | \d{1,3} (?: ${NUMBER_SPACE}\d{3}(?!\d) )+ (?: [.,]\d++ )?
  | \d{2,}+ (?: ${NUMBER_SPACE}\d{2,}+ ){2,} | \d{3,}+ ${NUMBER_SPACE} \d{3,}+
  | (?: ${AREA} )? \d++ (?: (?: ${JOIN} | ${NUMBER_SPACE}?${AREA} ) \d++ ){0,40}
) (?! ${W} | ${JOIN}\d | -${W_LETTER}*\d )`;
// A part of a word with digits.
const PIECE = pattern`(?: ${W_LETTER}*+\d(?: ${W} | \d )* | [A-Z]++(?!${W}) )`;

// Elements whose content is not translated.
const ELEMENTS = "script|style|code|pre|kbd|samp|var|math|svg";
const MARKUP = [
  pattern`<!-- (?: [^<\-] | -(?!->) | <(?!!--) )* -->`,
  pattern`<[!?][A-Za-z][^<>]*+> | <% (?: [^%<>] | %(?!>) )*+ %>`,
  pattern`<(?<element>${ELEMENTS})(?!${W})[^<>]{0,200}+>[^\n]{0,400}?</\k<element>>`,
  pattern`</?[A-Za-z][\w:.\-]*+
    (?: \s++(?=[^<>]*=) (?: "[^"<]*+" | '[^'<]*+' | [^<>"'] )*+ >
      | (?: \s++[\w:@.\-]++ ){0,3}+\s*+/?> )`,
  pattern`<(?=[^\s<>]*[\w%@#])[^\s<>]++>`, // <1>, <@id>, <:name:id>, <a@b.org>, <color=red>
  pattern`&lt;/?[A-Za-z][\w:.\-]* (?: \s[^&\n]{0,200}+ )? /?&gt;`,
  pattern`&(?: [A-Za-z][A-Za-z\d]{1,31} | #\d{1,7} | #[xX][\dA-Fa-f]{1,6} );`,
  pattern`§(?: [a-fk-orA-FK-OR] | \d(?![\d.\(]) ) | (?<![^\s])&[\da-fk-or](?=[A-Za-z])`, // colours of a game
  pattern`(?<!${W}) (?: :[\w+\-]{1,20}+: )? (?<!\x60)
    (?<quote>\x60{1,3})(?!\x60) [^\n]+? (?<!\x60)\k<quote>(?!\x60)_{0,2}`,
];
const LINK = pattern`
  \( (?: [^()\s] | \([^()\s]{0,200}\) ){0,1000}+
    (?: \s (?: "[^"\n]{0,200}" | '[^'\n]{0,200}' ) )? \)`;
// "[1]: https://a.org", but not "[Tom]: Hi"
const REFERENCE = pattern`:\s<? (?: [a-z]{2,9}:/ | www\. | [/.#] )`;
export const BBCODE = pattern`
  \[/?(?: b|i|u|s|url|img|quote|code|color|size|center|list )(?: =[^\[\]\s]{0,200}+ )?\]`;
const MARKDOWN = [
  BBCODE,
  // Of a link, before and after its text.
  pattern`\[?!\[(?= [^\[\]\n]{0,200}\][(\[] )`,
  pattern`(?: \] (?: ${LINK} | \[[^\[\]\n]{0,200}+\] ) )+ | \]${REFERENCE}[^\s]*+`,
  pattern`(?: \[\d{1,3}\] | \[\^[^\[\]\s]{1,50}+\] )+ (?!\()`, // notes: [1], [^note]
  pattern`(?: \[[^\[\]\s]{0,200}+\] | \[\x20\] )(?! [(\[] | ${REFERENCE} )`, // [name], [x], [/b]
  pattern`\.\.\s[\w\-]++::`,
];
// \n before a word, but \nu and \textbf; then the commands of TeX, with the brace that they open.
const TEX =
  "abla|ewline|oindent|ewpage|eq|ot|u|ext[a-z]*|au|heta|imes|itle|an|o|op|ilde|iny|t|ho|ight|m";
const NO_TEXT = "begin|end|label|input|[a-z]*ref|(?=[a-z]*cite)[a-z]+|include[a-z]*|use[a-z]*";
const ESCAPES = [
  pattern`\\(?:${NO_TEXT})\*? (?: \[[^\[\]\n]{0,100}+\] )? \{[^\{\}\n]{0,200}+\}`,
  pattern`(?: \\[nrtNhfv](?! (?:${TEX})(?![a-z]) )(?! ${W_LETTER}*[_\{] ) )+`,
  pattern`\\u[\dA-Fa-f]{4} | \\x[\dA-Fa-f]{2}`,
  pattern`\\\([^\n]{0,400}?\\\) | \\\[[^\n]{0,400}?\\\]`,
  pattern`\\[A-Za-z]{2,30}+\*? (?: \[[^\[\]\n]{0,100}+\] )? \{?`,
  pattern`\$[A-Za-z]\$`,
  pattern`\$(?=[^\s$])(?=[^$\n]{0,400}[\\^_\{\}=])[^$\n]{0,400}+(?<=[^\s])\$(?![\{\w])`,
  pattern`\\[\\"'%$&#_/]`,
];
const UNIT = pattern`(?: px | [KMGT]i?B | [kmhsx] | ms | th )?(?![A-Za-z])`;
const FORMAT = pattern`% (?: \(\w{1,50}+\) | \d{1,3}\$ )? [\-+#0]*+\d* (?: \.\d++ )?
  (?: hh? | ll? | [Lzjt] )? [sdiufFeEgGxXocrap@n] (?: (?=x%) | ${UNIT} )`;
const VARIABLES = [
  pattern`[$#%@]?(?! \{[A-Z](?=[^\{\}\n]*\s)[^\{\}\n]*+(?<=[.!?])\} )${bracesWithin(4)}`,
  pattern`\( (?: c | r | tm | C | R | TM ) \)`,
  pattern`(?<![\d%])(?: ${FORMAT} | %% ) (?: [x×/:.,\-]? (?: ${FORMAT} | %% ) )*+`,
  pattern`%[A-Za-z] (?: [\-/:.]?%[A-Za-z] )++ | (?<![\w%])%\d{1,2}(?![\w%])`,
  pattern`(?<![\w%])%[A-Za-z_]\w*+%`,
  pattern`\$\w{0,50}+\([^()\s]{0,100}+\) | (?<!\w)\$[A-Za-z_][A-Za-z\d_]*+`,
  pattern`(?<![\w@#$])(?<sign>[@#$])\k<sign>\w{1,50}+\k<sign>{2}`,
  pattern`@:[\w.]*\w | (?<![\w:]):[a-z\d_+\-]{2,40}+:(?![\w:]) | (?<![^\s]):[A-Za-z_]\w++(?![\w:])`,
];
const ADDRESSES = [
  pattern`(?<!${W})(?:
    [A-Za-z][A-Za-z\d+.\-]{0,19}://${ADDRESS_END} | www\.(?=${W})${ADDRESS_END}
    | [a-z][a-z\d+\-]{1,19}:(?=[^\s:]{0,100}[/?=&@#])(?!//)(?=${ADDRESS_SIGN})${ADDRESS_END}
    | (?<!${W}[.+%'\-])(?:mailto:)? ${W}++ (?: [.+%'\-]${W}++ )*
      @${HOST} (?: \.${HOST} )* \.${W_LETTER}{2,}+(?!${W})
    | (?: (?<!${W}[.\-])(?: ${HOST}\. )+ (?: ${ending(DOMAINS)} | [a-z]{2,10}(?=/${W}) )
      | \d{1,3} (?: \.\d{1,3} ){3} (?= :\d | /${W} ) | localhost(?=:\d) )
      (?: :\d{1,5} )? (?: [/?#](?=${ADDRESS_SIGN})${ADDRESS_END} | / )?
    | (?= [\dA-Fa-f:]{0,40} (?: [A-Fa-f] | :: ) )(?=[\dA-Fa-f])(?: [\dA-Fa-f]{0,4}: ){2,7}
      [\dA-Fa-f:]{0,40}[\dA-Fa-f](?![\w\m:])
    | 10\.\d{4,9}/(?=${ADDRESS_SIGN})${ADDRESS_END}
    | (?: [A-Za-z]: | \.\.? )\\ (?: ${STEP} | [\\/] )*
    | (?<![^\s])\. (?: [A-Z]{2,} | git[a-z]* | env | [a-z]+rc | ${ending(EXTENSIONS)} )(?!${W})
    | (?<!${W}[.+/\-])${W}++ (?: [.+/\-]${W}++ )* (?: \s?\(\d{1,2}\) )? \.${ending(EXTENSIONS)}
  )`,
  pattern`(?<!${W})(?<![/.)\]\}>])
    (?: ~ | \.\.? | (?= (?: /[A-Za-z_.][^\s/]*+ ){2} | /(?:${ROOTS})(?!${W}) ) )
    (?: /${STEP}+ )+ /? (?: \(\d{1,2}\)\.${ending(EXTENSIONS)} )?`,
];
const NAMES = [
  pattern`(?<!${W})(?<![@.])@${W}++ (?: (?: -(?=${W}) | \.(?=[a-z\d]) ) ${W}++ )*
    (?: @${HOST} (?: \.${HOST} )+ )?`,
  pattern`(?<!${W})(?<![&#])#(?=\d)\d++ (?: - (?: \d++ | [A-Z]++ ) )*+(?!${W})`,
  pattern`(?<!${W})(?<![&#])# (?= \d*+${LETTER_} | \d{3} ) [\w\m]+ (?: [/\-]${PIECE} )*`,
  pattern`(?: (?<!${ALONE})(?:${FACE}) | (?<=${W_LETTER})(?:${SMILE}) )(?!${ALONE})`,
  pattern`(?: ${EMOJI} | ${SIGN} )
    (?: ${EMOJI} | [\u200d\ufe0e\ufe0f\u{e0020}-\u{e007f}] | ${SIGN} )*`,
];
const PER = pattern`(?: /(?: h | s | min | kg | m[²³]? | l | 100 )(?!\w) )`;
// 5 km, 100 km/h, 5 pm, 5 p.m., but without a dot that may end the sentence
const MEASURE = pattern`(?: (?: [kcm]?m | [km]?g | [mc]?l | s )${PER}? | min | [kMGT]i?B | [kMG]?Hz
  | k?Wh? | mph | rpm | fps | px | dpi | pm | [AP]M
  | (?: [ap]\.\s?m | [AP]\.M ) (?: \.(?= [,;] | \s[a-z] ) )? )`;
const RAISED = "[²³¹⁰-⁹₀-₉]";
const OPERAND = pattern`
  (?: \d++ (?: [.,]\d++ )* | [A-Za-zα-ω]{2,3}(?=${RAISED})
    | [A-Za-zα-ω](?!(?!${RAISED})${LETTER_}) ) ${RAISED}*`;
const CODED = pattern`(?: ${W_LETTER}*+\d (?: ${W_LETTER} | \d )*+ )`;
const WORDS_OF_CODE = [
  pattern`(?<!${W})(?:
    (?<!${W}\.)[A-Za-z_]\w*+ (?: \.\w++ )*+={1,2}(?=[^\s=])(?! ["']?[A-Za-z]*(?![^\s]) )[^\s]*[\w)"'/]
    | (?<![^\n])[A-Za-z][\w.\-]*+=(?=[A-Z]['’\w]*\s\w)
    | [A-Za-z_]\w++\.[a-z_]\w*+ (?: \.[A-Za-z_]\w*+ )++ | (?<![\w.])\w++ (?: \.\w++ )*+\(\)
    | [A-Za-z]{1,2} (?: \+\+ | # ) (?!${W})
    | [A-Za-z\d]++ (?: _++[A-Za-z\d]++ )++ (?!${W})
    | (?! [A-Z]++-(?![A-Z][a-z]++[A-Z]) | (?: [Mm]id | [Pp]re | [Pp]ost )-\d{4} )${W_LETTER} (?: ${W_LETTER} | \d )*+-
      (?: ${W_LETTER}++- ){0,20}+${CODED} (?: [\-.]${CODED} )*+(?!${W}) (?: -[a-z]{1,3}(?!${W}) )?+
    | \d++ (?: -[a-z]++ )++-\d++(?!${W})
    | [A-Za-z][\w\-]{0,60}+@\d++ (?: \.\d++ )*+(?!${W})
    | [A-Za-z][\w\-]{0,60}+ (?: :++[\w*/\-]++ ){2,}+(?!${W})
    | (?: [a-z]{2,}+ | [ei](?=[A-Z][A-Za-z]{2}) )[A-Z]${W}*+ (?: \.[a-z_]\w*+ )*
    | [A-Z][a-z]++ (?: [A-Z][a-z]++ )++ (?: \.[a-z_]\w*+ )++
    | [A-Z][a-z]++ (?: [A-Z][a-z]++ )++ (?!${W}) (?: ['’]s(?= [^\w\s] | $ ) )?
    | (?: [A-Za-z]\w{0,20}+\s )?
      [A-Za-z]\w{0,20}+\([A-Za-z] (?: ,\s?[A-Za-z] )* \)\s=
      \s[^\s]*[\w)] (?: \s[=+*/×÷^−\-]\s[^\s]*[\w)] )*
    | ${OPERAND} (?: \s? (?: [=>≤≥≠≈+*×÷^±→⇒↔∈∉⊂⊆∪∩∧∨≡∝] | <(?![A-Za-z]) | !(?==) )[=>]?\s?${OPERAND}
      | \s?[\-−/]\s?${OPERAND}(?=\s?[=<>≤≥≠≈+*×÷^±→]) ){1,40}+ (?!${W})
      (?: ${NUMBER_SPACE}${MEASURE}(?!${W}) )?
    | [A-Z]{1,2}\d[A-Z\d]?\s\d[A-Z]{2}(?!${W})
  )`,
  pattern`(?<=[^\s]\s)(?: --[A-Za-z][\w\-]*+ (?: =[^\s]*[\w"'] )? | -[a-zB-HJ-Z](?= [.,;:?!)]? (?: \s | $ ) ) )
    (?: \s"[^"\n]{0,100}+" )?`,
  pattern`(?<![^\s])__[A-Za-z\d]++ (?: _[A-Za-z\d]++ )* __(?!${W})`,
];
const DEGREES = pattern`\d++ (?: [.,]\d++ )? \s?° (?:
  \s?\d++ (?: [.,]\d++ )? \s?['′] (?: \s?\d++ (?: [.,]\d++ )? \s?["″] )? )?`;
const BY = pattern`(?: ${NUMBER_SPACE}?[x×]${NUMBER_SPACE}? | ${NUMBER_SPACE}[–—\-]${NUMBER_SPACE} )`;
const CLAUSE = pattern`(?: \((?: [a-z] | [ivx]{1,5} | \d{1,2} )\) )`; // 4.2(b)
const DIGITS = [
  pattern`(?<!${W})(?: pp? | [Vv]ol | [Ff]igs? | [Ee]qs? | [Nn]os? | [Cc]h | [Ss]ec | [Aa]rt )\.\s?\d++
    (?: [.,–\-]\d++ )*+ (?: -[A-Z]++ )? (?!${W})`,
  pattern`§\s?\d++ (?: \.\d++ )*${CLAUSE}* | (?<![\w\m.])\d++ (?: \.\d++ )*${CLAUSE}+(?!${W})`,
  pattern`(?<![\w\m.,:])\d{1,2}['′]\s?\d{1,2}(?: ["″] | '' )`, // feet and inches
  pattern`(?<![\w\m.,:])\d++ (?: [.,]\d++ )? (?: ${BY}\d++ (?: [.,]\d++ )? ){1,3}
    (?: ${NUMBER_SPACE}?${MEASURE} )?(?!${W})`, // 10 x 20 cm, 5 - 6
  pattern`(?<![\w\m.,:])[\-−]?${DEGREES} (?: \s?[CFKNSEWO](?!${W}) )?`,
  pattern`(?<![\w\m.,:\-])\d[\d\-]*-[A-Z]{3,}+(?!${W})`,
  pattern`(?<![\w\m.])[vV]?\d++ (?: \.\d++ )+
    -(?: alpha | beta | rc | dev | pre | snapshot )(?: \.?\d++ )?(?!${W})`,
  pattern`(?<!${W})(?=\d*[a-f])[\da-f]{8,}+(?! ${W} | -${W} )`,
  pattern`(?<roman> (?<![\w\m.'’\-])(?=[IVXLCDM]{2}) M{0,3}(?: CM | CD | D?C{0,3} )
    (?: XC | XL | L?X{0,3} )(?: IX | IV | V?I{0,3} )(?: (?<=[IVX]{2})(?:e|ème|ᵉ) )?
    (?! [\w\m'’] | -${W_LETTER} ) )`,
  pattern`(?<=[\s:])\.{5,}+ | (?<!\.)\.{5,}+(?=\s?\d)`,
  pattern`(?<digits> (?<!${W})(?: [A-Z]{0,3}${MONEY} )? (?:
      [\-−]?${NUMBER} (?: ${NUMBER_SPACE}?(?: \\?[%‰] | ${MONEY} )${PER}?(?! ${W} | [@(] )
        | ${NUMBER_SPACE}${MEASURE}(?!['’]?${W}) )?
      | ${PIECE} (?: (?: [\-._] | (?<=\d)[,:/'](?=\d) )${PIECE} | (?<=\d)/[a-z](?!${W}) )*
    ) | \d{3,}+ )`,
];

/** Every format. A match of its groups `digits` or `roman` may be none: `findPlaceholders`. */
export const FORMATS = expression(
  [
    ANY_PLACEHOLDER, // a user's own
    ...[...MARKUP, ...MARKDOWN, ...ESCAPES, ...VARIABLES, ...ADDRESSES],
    ...[...NAMES, ...WORDS_OF_CODE, ...DIGITS],
  ].join("|"),
);

/** A whole line of code. */
export const CODE = expression(
  pattern`^\s*+(?:
    (?: def | class | function | public | private | static | void | int )\s+\w+\s*[(:\{<=][^\n]*
    | (?: if | for | while | switch | catch )\s*\([^\n]*[;\{\}]
    | (?: if | elif | for | while | with )\s(?=[^()=\[\]\n]*[()=\[\]])[^\n]*: | (?: else | try | finally ):
    | [\w.]+\( (?: ["'][^\n]*["'] )? \);?
    | (?: const | let | var | auto | char | float | double )\s+\w+\s*=[^\n]*
    | (?: from\s+[\w.]+\s+import\s++ | import\s++(?=\w*+[.*]) )[\w.,*\s]*+;?
    | #include\s*[<"][^\n]*
    | (?: SELECT\s(?: (?!\sFROM\s)[^\n] )*+\sFROM | UPDATE\s(?: (?!\sSET\s)[^\n] )*+\sSET
      | INSERT\s+INTO | DELETE\s+FROM | CREATE\s+TABLE )\s(?=[^\n]*[a-z*=();])[^\n]*
    | [\w.\[\]]+ (?: \s*[\-+*/]?= | \( )[^\n]*;
    | [\w.]+\s=\s(?: [\w.]+\([^\n]*\) | [\d\[\{][^\n]* )
  )\s*$`,
  "u",
);

/**
 * What a sentence has not, as a rule, in the inside of a character class: operators, brackets of
 * code, bullets, arrows, superscripts, fractions.
 */
export const SIGNS =
  String.raw`*_#\[\]<>|\\=@&/\{\}~^+$%` +
  String.raw`\u00a2-\u00a7\u00a9\u00ac\u00ae-\u00b3\u00b6\u00b9\u00bc-\u00be\u00d7\u00f7` +
  String.raw`\u2020-\u2023\u2030-\u2038\u203b\u2043-\u2046\u204a-\u205e\u2070-\u209f\u20a0-\u20bf` +
  String.raw`\u2100-\u2101\u2103-\u2109\u2114-\u2118\u211e-\u2123\u214a-\u2153\u2154-\u215f` +
  String.raw`\u2190-\u2bff\uf000-\uf8ff\ufffd`;

/** An emoji or a face, or several emoji. */
export const FEELING = new RegExp(
  pattern`^(?: (?: ${EMOJI} | [\u200d\ufe0e\ufe0f] | ${SIGN} )+ | ${FACE} )$`,
  "u",
);

/** A time of the day, which is the model's business: 10:30, 9h05. */
export const CLOCK = new RegExp(pattern`^\d{1,2}[:hH]\d\d(?: :\d\d )?$`, "u");

/** What makes a short number a placeholder: a currency or a percent sign. */
export const SUM = new RegExp(pattern`[%‰] | ${MONEY}`, "u");

/** Return the pattern of one of `words` at a word's end, in small or in capital letters. */
function ending(words) {
  const either = words.replaceAll(" ", "|");
  return pattern`(?: ${either} | ${either.toUpperCase()} )(?! ${W} | -${W} )`;
}

/** Return the pattern of braces that may have others in them, as many as `depth` in one another. */
function bracesWithin(depth) {
  if (depth === 0) return pattern`\{[^\{\}\n]{0,300}+\}`;
  return pattern`\{ (?: [^\{\}\n] | ${bracesWithin(depth - 1)} ){0,600}+ \}`;
}
