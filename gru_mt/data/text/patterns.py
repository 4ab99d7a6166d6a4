"""The formats of what a translation copies as it is: addresses, code, variables, numbers, emoji.

`placeholders` finds them. A repetition is possessive or bounded, so the time is linear.
"""

import re
from functools import cache

from gru_mt.data.text.normalize import IN_WORD, MARKS
from gru_mt.data.tokenizer.special import ANY_PLACEHOLDER

# W: a letter, a digit or _ of a script that glues nothing to a foreign word: Latin, Greek,
# Cyrillic. A placeholder may touch letters of the others: 请访问example.com。
_W = r"[^\W\u0530-\u1dff\u2c00-\U0010ffff]"
_LETTER = r"[^\W\d\u0530-\u1dff\u2c00-\U0010ffff]"
# A character of an address: of any script, except those without spaces, and Korean.
_SPACELESS = r"\u0e00-\u11ff\u1780-\u17ff\u1950-\u1aaf\u2e80-\ud7ff\uf900-\uffff"
_U = rf"(?:[/=&%\#~+$@|_-]|(?![{_SPACELESS}])[{IN_WORD}])"
_PART = rf"(?:{_U}++|[.,;:!?*]++(?={_U})|'(?={_LETTER}))"  # an address ends with no other mark
_TAIL = rf"""(?: {_PART}
    | \((?:{_PART})*\) | \[(?:{_PART})*\] | \{{(?:{_PART})*\}}  # brackets in pairs only
    )*"""
_HOST = rf"{_W}++(?:-{_W}++)*"


def _ending(words: str) -> str:
    """Return the pattern of one of `words` at a word's end, in small or in capital letters."""
    either = "|".join(words.split())
    return rf"(?:{either}|{either.upper()})(?!{_W}|-{_W})"


_DOMAIN = _ending(
    "com org net edu gov info biz io dev app ai co tv xyz online shop site store tech cloud blog "
    "wiki de fr uk ru eu ch nl pl br jp cn kr au ca es se dk fi cz gr hu ua tr mx ie nz za il pt"
)
_FILE = _ending(
    "pdf docx? xlsx? pptx? od[tsp] rtf txt md rst tex epub mobi csv tsv json jsonl ya?ml toml xml "
    "html? css s?css jsx? tsx? py ipynb java cpp hpp cs rb php swift kt sh bat ps1 sql ini cfg "
    "conf log bak tmp jpe?g png gif svg webp bmp tiff? ico psd mp[34] m4a wav ogg flac avi mov mkv "
    "webm srt zip tar gz bz2 xz 7z rar jar apk exe msi dll dmg iso deb rpm bin dat db lock"
)
_STEP = rf"(?:{_W}|[@%+~$-]|\.(?={_W}))"  # a character of a path, between slashes
_ROOTS = "bin|boot|dev|etc|home|lib|media|mnt|opt|proc|root|run|srv|sys|tmp|usr|var"
_SMILE = r"[:;=]['’]?-?[)(]+ | [:;]-?D+"
_FACE = (
    rf"{_SMILE} | [:;]['’]?-?[\]\[PpOo|/\\*]+ | =[DP]+ | [xX]D+ | </?3+ | \^_*\^ | -_+- | T_+T"
    r" | >_+< | [oO]_+[oO] | ¯\\_\(ツ\)_/¯"
)
_ALONE = r"""[^\s.!?,…"'()]"""  # what does not touch a face
_EMOJI = (
    r"\u231a\u231b\u23e9-\u23f3\u23f8-\u23fa\u25fd\u25fe\u2600-\u27bf\u2b05-\u2b07\u2b1b\u2b1c"
    r"\u2b50\u2b55\U0001f000-\U0001f0ff\U0001f18e-\U0001f1ff\U0001f201-\U0001faff"
)
_EMOJI_SIGN = r"[\d\#*]\ufe0f?\u20e3 | \S\ufe0f"  # a keycap, and a sign shown as an emoji: ©️
_SPACE = r"[ \u00a0\u2009\u202f]"
_MONEY = r"[$¢-¥\u20a0-\u20bf]"
_AREA = r"\((?:\+?\d{1,3}|0\d{1,4})\)[ .-]?(?=(?:[ .-]?\d){5})"  # "(555) 123-4567"
_JOIN = r"[.,:/\-–+'’×]"  # stands alone between two digits of a number
_NUMBER = rf"""(?:
    \+\d++ (?:(?:{_SPACE}?{_AREA} | {_JOIN} | {_SPACE})\d++){{0,40}}  # +33 6 12 34 56 78
    | \d{{1,3}} (?:{_SPACE}\d{{3}}(?!\d))+ (?:[.,]\d++)?  # 1 234 567,8
    | \d{{2,}}+ (?:{_SPACE}\d{{2,}}+){{2,}} | \d{{3,}}+ {_SPACE} \d{{3,}}+  # 06 12 34 56 78
    | (?:{_AREA})? \d++ (?:(?:{_JOIN} | {_SPACE}?{_AREA})\d++){{0,40}}
    ) (?!{_W} | {_JOIN}\d | -{_LETTER}*\d)"""
_PER = r"(?:/(?:h|s|min|kg|m[²³]?|l|100)(?![\w]))"
_MEASURE = (  # 5 km, 5 pm, 5 p.m., but without a dot that may end the sentence
    rf"(?:(?:[kcm]?m|[km]?g|[mc]?l|s){_PER}?|min|[kMGT]i?B|[kMG]?Hz|k?Wh?|mph|rpm|fps|px|dpi"
    r"|pm|[AP]M|(?:[ap]\.\s?m|[AP]\.M)(?:\.(?=[,;]|\s[a-z]))?)"
)
_BY = rf"(?:{_SPACE}?[x×]{_SPACE}?|{_SPACE}[–—-]{_SPACE})"
_PIECE = rf"(?:{_LETTER}*+\d(?:{_W}|\d)*|[A-Z]++(?!{_W}))"  # of a word with digits

_ELEMENTS = "script|style|code|pre|kbd|samp|var|math|svg"  # whose content is not translated
_MARKUP = rf"""
    <!--(?:[^<-]|-(?!->)|<(?!!--))*-->
    | <[!?][A-Za-z][^<>]*+> | <%(?:[^%<>]|%(?!>))*+%>
    | <(?P<element>{_ELEMENTS})(?!{_W})[^<>]{{0,200}}+>[^\n]{{0,400}}?</(?P=element)>
    | </?[A-Za-z][\w:.-]*+
      (?: \s++(?=[^<>]*=)(?:"[^"<]*+"|'[^'<]*+'|[^<>"'])*+> | (?:\s++[\w:@.-]++){{0,3}}+\s*+/?> )
    | <(?=[^\s<>]*[\w%@\#])[^\s<>]++>  # <1>, <@id>, <:name:id>, <a@b.org>, <color=red>
    | &lt;/?[A-Za-z][\w:.-]*(?:\s[^&\n]{{0,200}}+)?/?&gt;
    | &(?:[A-Za-z][A-Za-z\d]{{1,31}}|\#\d{{1,7}}|\#[xX][\dA-Fa-f]{{1,6}});
    | §(?:[a-fk-orA-FK-OR]|\d(?![\d.(])) | (?<!\S)&[\da-fk-or](?=[A-Za-z])  # colours of a game
    | (?<!{_W})(?::[\w+-]{{1,20}}+:)?(?<!`)
      (?P<quote>`{{1,3}})(?!`)[^\n]+?(?<!`)(?P=quote)(?!`)_{{0,2}}
"""
_LINK = r"\((?:[^()\s]|\([^()\s]{0,200}\)){0,1000}+(?:\s(?:\"[^\"\n]{0,200}\"|'[^'\n]{0,200}'))?\)"
_REFERENCE = r":\s<?(?:[a-z]{2,9}:/|www\.|[/.\#])"  # "[1]: https://a.org", but not "[Tom]: Hi"
BBCODE = r"\[/?(?:b|i|u|s|url|img|quote|code|color|size|center|list)(?:=[^\[\]\s]{0,200}+)?\]"
_MARKDOWN = rf"""
    {BBCODE} |
    \[?!\[(?=[^\[\]\n]{{0,200}}\][(\[])  # of a link, before and after its text
    | (?:\](?:{_LINK}|\[[^\[\]\n]{{0,200}}+\]))+
    | \]{_REFERENCE}\S*+
    | (?:\[\d{{1,3}}\]|\[\^[^\[\]\s]{{1,50}}+\])+(?!\() # notes: [1], [^note]
    | (?:\[[^\[\]\s]{{0,200}}+\]|\[\ \])(?![(\[]|{_REFERENCE})  # [name], [x], [/b]
    | \.\.\s[\w-]++::
"""
# \n before a word, but \nu and \textbf; then the commands of TeX, with the brace that they open
_TEX = "abla|ewline|oindent|ewpage|eq|ot|u|ext[a-z]*|au|heta|imes|itle|an|o|op|ilde|iny|t|ho|ight|m"
_NO_TEXT = "begin|end|label|input|[a-z]*ref|(?=[a-z]*cite)[a-z]++|include[a-z]*|use[a-z]*"
_ESCAPE = rf"""
    \\(?:{_NO_TEXT})\*?(?:\[[^\[\]\n]{{0,100}}+\])?\{{[^{{}}\n]{{0,200}}+\}}
    | (?:\\[nrtNhfv](?!(?:{_TEX})(?![a-z]))(?!{_LETTER}*[_{{]))++
    | \\u[\dA-Fa-f]{{4}} | \\x[\dA-Fa-f]{{2}}
    | \\\([^\n]{{0,400}}?\\\) | \\\[[^\n]{{0,400}}?\\\]
    | \\[A-Za-z]{{2,30}}+\*?(?:\[[^\[\]\n]{{0,100}}+\])?\{{?
    | \$[A-Za-z]\$ | \$(?=[^\s$])(?=[^$\n]{{0,400}}[\\^_{{}}=])[^$\n]{{0,400}}+(?<=\S)\$(?![{{\w])
    | \\[\\"'%$&\#_/]
"""
_BRACES = r"\{[^{}\n]{0,300}+\}"
for _ in range(4):  # in one another
    _BRACES = rf"\{{(?:[^{{}}\n]|{_BRACES}){{0,600}}+\}}"
_UNIT = r"(?:px|[KMGT]i?B|[kmhsx]|ms|th)?(?![A-Za-z])"
_FORMAT = rf"""%(?:\(\w{{1,50}}+\)|\d{{1,3}}\$)?[-+\#0]*+\d*(?:\.\d++)?(?:hh?|ll?|[Lzjt])?
    [sdiufFeEgGxXocrap@n](?:(?=x%)|{_UNIT})"""
_VARIABLE = rf"""
    [$\#%@]?(?!\{{[A-Z](?=[^{{}}\n]*\s)[^{{}}\n]*+(?<=[.!?])\}}){_BRACES} | \((?:c|r|tm|C|R|TM)\)
    | (?<![\d%])(?:{_FORMAT}|%%)(?:[x×/:.,-]?(?:{_FORMAT}|%%))*+
    | %[A-Za-z](?:[-/:.]?%[A-Za-z])++ | (?<![\w%])%\d{{1,2}}(?![\w%])
    | (?<![\w%])%[A-Za-z_]\w*+%
    | \$\w{{0,50}}+\([^()\s]{{0,100}}+\) | (?<!\w)\$[A-Za-z_][A-Za-z\d_]*+
    | (?<![\w@\#$])(?P<sign>[@\#$])(?P=sign)\w{{1,50}}+(?P=sign){{2}}
    | @:[\w.]*\w | (?<![\w:]):[a-z\d_+-]{{2,40}}+:(?![\w:]) | (?<!\S):[A-Za-z_]\w++(?![\w:])
"""
_ADDRESS = rf"""
    (?<!{_W})(?:
        [A-Za-z][A-Za-z\d+.-]{{0,19}}://{_TAIL} | www\.(?={_W}){_TAIL}
        | [a-z][a-z\d+-]{{1,19}}:(?=[^\s:]{{0,100}}[/?=&@\#])(?!//)(?={_U}){_TAIL}
        | (?<!{_W}[.+%'-])(?:mailto:)?{_W}++(?:[.+%'-]{_W}++)*
          @{_HOST}(?:\.{_HOST})*\.{_LETTER}{{2,}}+(?!{_W})
        | (?:(?<!{_W}[.-])(?:{_HOST}\.)+ (?:{_DOMAIN}|[a-z]{{2,10}}(?=/{_W}))
           | \d{{1,3}}(?:\.\d{{1,3}}){{3}}(?=:\d|/{_W}) | localhost(?=:\d))
          (?::\d{{1,5}})? (?:[/?\#](?={_U}){_TAIL}|/)?
        | (?=[\dA-Fa-f:]{{0,40}}(?:[A-Fa-f]|::))(?=[\dA-Fa-f])(?:[\dA-Fa-f]{{0,4}}:){{2,7}}
          [\dA-Fa-f:]{{0,40}}[\dA-Fa-f](?![{IN_WORD}:])
        | 10\.\d{{4,9}}/(?={_U}){_TAIL}
    # Files.
        | (?:[A-Za-z]:|\.\.?)\\(?:{_STEP}|[\\/])*
        | (?<!\S)\.(?:[A-Z]{{2,}}|git[a-z]*|env|[a-z]+rc|{_FILE})(?!{_W})
        | (?<!{_W}[.+/-]){_W}++(?:[.+/-]{_W}++)*(?:\s?\(\d{{1,2}}\))?\.{_FILE}
    )
    | (?<!{_W})(?<![/.)\]}}>])(?: ~ | \.\.?
        | (?=(?:/[A-Za-z_.][^\s/]*+){{2}} | /(?:{_ROOTS})(?!{_W})) ) (?:/{_STEP}+)+/?
      (?:\(\d{{1,2}}\)\.{_FILE})?
"""
_NAME = rf"""
    (?<!{_W})(?<![@.])@{_W}++(?:(?:-(?={_W})|\.(?=[a-z\d])){_W}++)*(?:@{_HOST}(?:\.{_HOST})+)?
    | (?<!{_W})(?<![&\#])\#(?=\d)\d++(?:-(?:\d++|[A-Z]++))*+(?!{_W})
    | (?<!{_W})(?<![&\#])\#(?=\d*+[^\W\d] | \d{{3}})[{IN_WORD}]+(?:[/-]{_PIECE})*
    | (?: (?<!{_ALONE})(?:{_FACE}) | (?<={_LETTER})(?:{_SMILE}) )(?!{_ALONE})
    | (?:[{_EMOJI}] | {_EMOJI_SIGN})
      (?:[{_EMOJI}\u200d\ufe0e\ufe0f\U000e0020-\U000e007f] | {_EMOJI_SIGN})*
"""
_RAISED = "[²³¹⁰-⁹₀-₉]"
_OPERAND = rf"""(?:\d++(?:[.,]\d++)* | [A-Za-zα-ω]{{2,3}}(?={_RAISED})
    | [A-Za-zα-ω](?!(?!{_RAISED})[^\W\d])) {_RAISED}*"""
_CODED = rf"{_LETTER}*+\d(?:{_LETTER}|\d)*+"
_WORD_OF_CODE = rf"""
    (?<!{_W})(?:
        # torch==2.1, PATH=/usr/bin
        (?<!{_W}\.)[A-Za-z_]\w*+(?:\.\w++)*+={{1,2}}(?=[^\s=])(?!["']?[A-Za-z]*(?!\S))\S*[\w)"'/]
        | (?<![^\n])[A-Za-z][\w.-]*+=(?=[A-Z]['’\w]*\s\w)  # greeting=I am here
        | [A-Za-z_]\w++\.[a-z_]\w*+(?:\.[A-Za-z_]\w*+)++ | (?<![\w.])\w++(?:\.\w++)*+\(\)
        | [A-Za-z]{{1,2}}(?:\+\+|\#)(?!{_W})  # C++
        | [A-Za-z\d]++(?:_++[A-Za-z\d]++)++(?!{_W})
        # web-01, py-3.12, ubuntu-22.04-lts, SARS-CoV-2
        | (?![A-Z]++-(?![A-Z][a-z]++[A-Z])|(?:[Mm]id|[Pp]re|[Pp]ost)-\d{{4}})
            {_LETTER}(?:{_LETTER}|\d)*+-(?:{_LETTER}++-){{0,20}}+{_CODED}(?:[-.]{_CODED})*+(?!{_W})(?:-[a-z]{{1,3}}(?!{_W}))?+
        | \d++(?:-[a-z]++)++-\d++(?!{_W})  # 9-to-5
        | [A-Za-z][\w-]{{0,60}}+@\d++(?:\.\d++)*+(?!{_W})
        | [A-Za-z][\w-]{{0,60}}+(?::++[\w*/-]++){{2,}}+(?!{_W})  # arn:aws:s3:::x
        | (?:[a-z]{{2,}}+|[ei](?=[A-Z][A-Za-z]{{2}}))[A-Z]{_W}*+(?:\.[a-z_]\w*+)*
        | [A-Z][a-z]++(?:[A-Z][a-z]++)++(?:\.[a-z_]\w*+)++
        | [A-Z][a-z]++(?:[A-Z][a-z]++)++(?!{_W})(?:['’]s(?=[^\w\s]|$))?  # "at McDonald's."
        | (?:[A-Za-z]\w{{0,20}}+\s)?[A-Za-z]\w{{0,20}}+\([A-Za-z](?:,\s?[A-Za-z])*\)\s=
            \s\S*[\w)](?:\s[=+*/×÷^−-]\s\S*[\w)])*
        | {_OPERAND}(?:\s?(?:[=>≤≥≠≈+*×÷^±→⇒↔∈∉⊂⊆∪∩∧∨≡∝]|<(?![A-Za-z])|!(?==))[=>]?\s?{_OPERAND}
            | \s?[-−/]\s?{_OPERAND}(?=\s?[=<>≤≥≠≈+*×÷^±→])){{1,40}}+(?!{_W})
          (?:{_SPACE}{_MEASURE}(?!{_W}))?
        | [A-Z]{{1,2}}\d[A-Z\d]?\s\d[A-Z]{{2}}(?!{_W})  # a British postcode
    )
    | (?<=\S\s)(?:--[A-Za-z][\w-]*+(?:=\S*[\w"'])?|-[a-zB-HJ-Z](?=[.,;:?!)]?(?:\s|$)))
      (?:\s"[^"\n]{{0,100}}+")?
    | (?<!\S)__[A-Za-z\d]++(?:_[A-Za-z\d]++)*__(?!{_W})
"""
_DEGREES = r"\d++(?:[.,]\d++)?\s?°(?:\s?\d++(?:[.,]\d++)?\s?['′](?:\s?\d++(?:[.,]\d++)?\s?[\"″])?)?"
_CLAUSE = r"(?:\((?:[a-z]|[ivx]{1,5}|\d{1,2})\))"  # 4.2(b)
_DIGITS = rf"""
    §\s?\d++(?:\.\d++)*{_CLAUSE}* | (?<![{IN_WORD}.])\d++(?:\.\d++)*{_CLAUSE}+(?!{_W})
    | (?<!{_W})(?:pp?|[Vv]ol|[Ff]igs?|[Ee]qs?|[Nn]os?|[Cc]h|[Ss]ec|[Aa]rt)\.\s?
      \d++(?:[.,–-]\d++)*+(?:-[A-Z]++)?(?!{_W})  # p. 5, no. 12-AB
    | (?<![{IN_WORD}.,:])\d{{1,2}}['′]\s?\d{{1,2}}(?:["″]|'')  # feet and inches
    | (?<![{IN_WORD}.,:])\d++(?:[.,]\d++)?(?:{_BY}\d++(?:[.,]\d++)?){{1,3}}  # 10 x 20 cm, 5 - 6
      (?:{_SPACE}?{_MEASURE})?(?!{_W})
    | (?<![{IN_WORD}.,:])[-−]?{_DEGREES}(?:\s?[CFKNSEWO](?!{_W}))?
    | (?<![{IN_WORD}.,:-])\d[\d-]*-[A-Z]{{3,}}+(?!{_W})
    | (?<![{IN_WORD}.])[vV]?\d++(?:\.\d++)+-(?:alpha|beta|rc|dev|pre|snapshot)(?:\.?\d++)?(?!{_W})
    | (?<!{_W})(?=\d*[a-f])[\da-f]{{8,}}+(?!{_W}|-{_W})
    | (?P<roman> (?<![{IN_WORD}.'’-])(?=[IVXLCDM]{{2}}) M{{0,3}}(?:CM|CD|D?C{{0,3}})
        (?:XC|XL|L?X{{0,3}})(?:IX|IV|V?I{{0,3}})(?:(?<=[IVX]{{2}})(?:e|ème|ᵉ))?
        (?![{IN_WORD}'’]|-{_LETTER}) )  # Louis XIV, le XIXe
    | (?<=[\s:])\.{{5,}}+ | (?<!\.)\.{{5,}}+(?=\s?\d)
    | (?P<digits> (?<!{_W})(?:[A-Z]{{0,3}}{_MONEY})? (?:
          [-−]?{_NUMBER} (?:{_SPACE}?(?:\\?[%‰]|{_MONEY}){_PER}?(?!{_W}|[@(])
            | {_SPACE}{_MEASURE}(?!['’]?{_W}) )?
          | {_PIECE} (?:(?:[-._]|(?<=\d)[,:/'](?=\d)){_PIECE} | (?<=\d)/[a-z](?!{_W}))*
        ) | \d{{3,}}+ )
"""
# A whole line of code.
CODE = re.compile(
    r"""\s*+(?:
    (?:def|class|function|public|private|static|void|int)\s+\w+\s*[(:{<=][^\n]*
    | (?:if|for|while|switch|catch)\s*\([^\n]*[;{}]
    | (?:if|elif|for|while|with)\s(?=[^()=\[\]\n]*[()=\[\]])[^\n]*: | (?:else|try|finally):
    | [\w.]+\((?:["'][^\n]*["'])?\);?
    | (?:const|let|var|auto|char|float|double)\s+\w+\s*=[^\n]*
    | (?:from\s+[\w.]+\s+import\s++|import\s++(?=\w*+[.*]))[\w.,*\s]*+;? | \#include\s*[<"][^\n]*
    | (?: SELECT\s(?:(?!\sFROM\s)[^\n])*+\sFROM | UPDATE\s(?:(?!\sSET\s)[^\n])*+\sSET
        | INSERT\s+INTO | DELETE\s+FROM | CREATE\s+TABLE )\s
      (?=[^\n]*[a-z*=();])[^\n]*  # but "SELECT A FILE FROM THE LIST"
    | [\w.\[\]]+(?:\s*[-+*/]?=|\()[^\n]*;
    | [\w.]+\s=\s(?:[\w.]+\([^\n]*\)|[\d\[{][^\n]*)
    )\s*""",
    re.VERBOSE,
)
# What a sentence has not, as a rule, in the inside of a character class: operators, brackets of
# code, bullets, arrows, superscripts, fractions.
SIGNS = (
    r"*_\#\[\]<>|\\=@&/{}~^+$%"
    r"\u00a2-\u00a7\u00a9\u00ac\u00ae-\u00b3\u00b6\u00b9\u00bc-\u00be\u00d7\u00f7\u2020-\u2023"
    r"\u2030-\u2038\u203b\u2043-\u2046\u204a-\u205e\u2070-\u209f\u20a0-\u20bf\u2100-\u2101"
    r"\u2103-\u2109\u2114-\u2118\u211e-\u2123\u214a-\u2153\u2154-\u215f\u2190-\u2bff\uf000-\uf8ff\ufffd"
)


# A character of which _W, _LETTER and _U say other than \w; a time of the day, which is the model's
# business; and what makes a short number be copied: a currency or a percent sign.
FEELING = re.compile(  # an emoji or a face, or several emoji
    rf"(?:[{_EMOJI}\u200d\ufe0e\ufe0f]|{_EMOJI_SIGN})+|{_FACE}", re.VERBOSE
)
OTHERS = re.compile(rf"[^\0-\u052f\u1e00-\u2bff]|[{MARKS}]")
CLOCK = re.compile(r"\d{1,2}[:hH]\d\d(?::\d\d)?")  # 10:30, 9h05, but not 10:30pm
MONEY = re.compile(rf"[%‰]|{_MONEY}")


@cache
def formats(*, plain: bool) -> re.Pattern[str]:
    """Return the pattern of every format.

    A match of its groups `digits` or `roman` may yet be none: see `placeholders`. `plain`
    is for text without OTHERS. It finds the same there, and is built in a tenth of the time.
    """
    kinds = _MARKUP, _MARKDOWN, _ESCAPE, _VARIABLE, _ADDRESS, _NAME, _WORD_OF_CODE, _DIGITS
    pattern = "|".join(f"(?:{kind})" for kind in (ANY_PLACEHOLDER, *kinds))
    if plain:
        for own, simple in ((_W, r"\w"), (_LETTER, r"[^\W\d]"), (_U, r"[/=&%\#~+$@|\w-]")):
            pattern = pattern.replace(own, simple)
    return re.compile(pattern, re.VERBOSE)
