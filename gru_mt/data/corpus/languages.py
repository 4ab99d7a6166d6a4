"""Tell whether texts are in the languages that they should be in, by scripts and frequent words.

It knows some languages, and is silent about the others, and about texts that tell too little.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import cache

from gru_mt.data.text.normalize import WORD

# Codes of ISO 639 and names, each language's own and what its neighbours call it.
_LANGUAGES = """
ar ara arabic arabe arabisch árabe عربي العربية
be bel belarusian
bg bul bulgarian български
bn ben bengali bangla বাংলা
ca cat catalan català
cs cze ces czech tschechisch čeština česky
cy wel cym welsh
da dan danish dänisch dansk
de ger deu german deutsch allemand alemán tedesco немецкий 德语 ドイツ語
el gre ell greek griechisch grec ελληνικά
en eng english anglais englisch inglés ingles inglese inglês engelska английский 英语 英文 英語
eo epo esperanto
es spa spanish español espanol castellano espagnol spanisch spagnolo испанский 西班牙语 スペイン語
et est estonian eesti
eu baq eus basque euskara
fa per fas persian farsi persisch فارسی
fi fin finnish finnisch suomi
fr fre fra french français francais französisch francés francese francês французский 法语 フランス語
ga gle irish gaeilge
gl glg galician galego
he heb hebrew עברית
hi hin hindi हिन्दी हिंदी
hr hrv croatian hrvatski
hu hun hungarian ungarisch magyar
hy arm hye armenian
id ind indonesian indonesia
is ice isl icelandic íslenska
it ita italian italiano italien italienisch итальянский 意大利语 イタリア語
ja jp jpn japanese japonais japanisch japonés giapponese 日本語 日语 日文
ka geo kat georgian ქართული
kk kaz kazakh
km khm khmer ភាសាខ្មែរ
ko kr kor korean coréen koreanisch 한국어 韩语 韓国語
la lat latin latine
lt lit lithuanian lietuvių
lv lav latvian latviešu
mk mac mkd macedonian
mn mon mongolian
mr mar marathi मराठी
ms may msa malay
my bur mya burmese မြန်မာ
ne nep nepali नेपाली
nl dut nld dutch néerlandais niederländisch nederlands
no nb nn nor norwegian norsk bokmål nynorsk
pl pol polish polnisch polonais polski
pt por portuguese português portugues portugais portugiesisch portugués
ro rum ron romanian română
ru rus russian russe russisch ruso русский 俄语 ロシア語
sk slo slk slovak slovenčina
sl slv slovenian slovenščina
sq alb sqi albanian shqip
sr srp serbian srpski српски
sv swe swedish schwedisch suédois svenska
sw swa swahili kiswahili
ta tam tamil தமிழ்
te tel telugu తెలుగు
th tha thai ไทย
tl tgl tagalog filipino
tr tur turkish türkisch turc türkçe
uk ukr ukrainian ukrainisch українська
ur urd urdu اردو
vi vie vietnamese tiếng
zh cn zho chi cmn cht chs chinese mandarin chinois chinesisch cinese 中文 汉语 漢語 中国語
"""
CODE_BY_NAME = {name: line.split()[0] for line in _LANGUAGES.split("\n") for name in line.split()}
_REGION = re.compile(r"(?<=..)[-_][a-z0-9]{2,4}$")
_KANA = "Hiragana"
_SCRIPT = " script"
_SCRIPTS = {  # the languages that have each script alone, by ISO 639 code
    "Latin": "en fr de es it pt nl sv da no fi pl cs hu ro tr id vi ca gl eu et lv lt sk sl hr sq "
    "af sw ms tl is ga cy mt eo la",
    "Cyrillic": "ru uk bg be mk",
    "Arabic": "ar fa ur",
    "Devanagari": "hi mr ne",
    _KANA: "ja", "Han": "zh", "Hangul": "ko", "Greek": "el", "Hebrew": "he", "Bengali": "bn",
    "Tamil": "ta", "Telugu": "te", "Kannada": "kn", "Malayalam": "ml", "Gujarati": "gu",
    "Sinhala": "si", "Georgian": "ka", "Armenian": "hy", "Ethiopic": "am", "Thai": "th",
    "Lao": "lo", "Khmer": "km", "Myanmar": "my", "Tibetan": "bo",
}  # fmt: skip
_SCRIPT_OF = {code: script for script, codes in _SCRIPTS.items() for code in codes.split()}
_WORDS = {  # frequent words that mean little; a Latin letter alone may be an index
    "en": "the of and to in is it you that was for on are with he she not this have be we they",
    "fr": "de la le et les des en un une du que est pour qui dans il elle pas je vous nous ce ne",
    "de": "der die und das ist ich nicht sie zu ein eine den mit es wir auf dem von für im du er",
    "es": "de la que el en los se del las un por con no una su para es lo como más pero está",
    "it": "di che la il un è non per in una sono si le con mi del lo ho da ma della gli",
    "pt": "de que do da em um para não com uma os no se na por mais as é eu você está",
    "nl": "de het een en van ik is dat niet je in te op zijn met voor hij ze er maar wat dit",
    "sv": "och att det en är jag som på inte han av för med den till ett har de vi om var",
    "da": "og at det er en jeg ikke de på han til den af for med har var vi et som du hvad",
    "no": "og å det er en jeg ikke de på han til den av for med har var vi et som du hva",
    "fi": "ja on ei se että en hän oli minä ovat mutta olen niin kun tämä mitä sen joka ole",
    "pl": "nie to się na jest że do jak co ale ja mi czy był tak po mnie jestem",
    "cs": "je se na to že do si by jsem jak ale co není za už být mi jste jsou",
    "hu": "az és nem hogy is van egy ez de meg ki volt mi csak ha én el azt már vagy",
    "ro": "de și nu în la că este un pe cu să am mai din care el ea pentru ce sunt",
    "tr": "bir bu ve ne için çok ben da de var mı değil gibi daha ama mi ile en sen",
    "id": "yang dan di itu tidak saya ini dengan untuk dia ada akan dari aku kami ke pada kamu",
    "vi": "là của và có không tôi được trong một cho những người này đã với các anh bạn khi ở",
    "ru": "и в не на что я с он это как а по но к у из за его она мы то так был",
    "uk": "і в не на що я з він це як та до але у за його вона ми й є був так",
    "bg": "и в не на че да се е за от си с по това аз той са как но ще",
    "ar": "في من على لا أن هذا ما إلى هو أنا كان هل مع هذه لقد عن التي لم إن كل",
    "fa": "و در به از که این است را با من او برای آن نیست می تو یک ما چه هم",
    "ur": "کے میں ہے کی اور سے کا کو نہیں یہ وہ نے پر کہ ہیں ایک کیا بھی ہو تو",
    "hi": "के में है की और से का को नहीं यह वह ने पर कि हैं एक क्या भी हो मैं",
    "mr": "आहे आणि मी तो या ते नाही च्या हे ला ती होते एक काय त्या आहेत तू",
}
_WORDS_OF = {code: frozenset(listed.split()) for code, listed in _WORDS.items()}
LEAST_SHARE = 0.05  # of a side's letters, in a script that belongs to its language
_LEAST_LETTERS = 50
_LEAST_OWN = 1 / 3  # letters of a language's script, for each of another script in its texts
_SYLLABLE = 3  # letters that one of Han, kana or Hangul counts for
_LEAST_KANA = 0.1  # of kana and Han together, in Japanese
_LEAST_HITS = 15  # of frequent words
_LEAST_WORDS = 4  # different ones
_LEAST_SHARE = 0.06  # of the words that are frequent ones
_LEAST_TIMES = 5  # as many frequent words of another language as of a text's own


@cache
def language_code(name: str) -> str:
    """Return the two letters of a language's code or name: "eng", "English", "en-GB" -> "en".

    A name that is not known is its own code, in small letters and without a region.
    """
    plain = name.strip().lower()
    code = _REGION.sub("", plain)
    return CODE_BY_NAME.get(code, code)


def script_counts(text: str) -> Counter[str]:
    """Return how many letters a text has of each script."""
    return Counter(script(letter) for letter in text if letter.isalpha())


def main_scripts(counts: Counter[str]) -> set[str]:
    """Return the scripts that have at least LEAST_SHARE of the letters."""
    return {name for name, count in counts.items() if count >= LEAST_SHARE * counts.total()}


@cache
def script(letter: str) -> str:
    """Return a letter's script, as Unicode begins its name: "Latin", "Cyrillic", "Han"."""
    name = unicodedata.name(letter, "unknown").split()[0].title()
    return {"Cjk": "Han", "Fullwidth": "Latin", "Halfwidth": "Katakana"}.get(name, name)


def languages_warning(sides: Sequence[Sequence[str]], languages: Sequence[str]) -> str | None:
    """Return what two sides look like and how to set it right, where that is not `languages`.

    A side without texts looks like its language.
    """
    others = [*reversed(languages)]
    found = [*map(_other_language, sides, languages, others)]
    for side, language in enumerate(languages):
        beside_is_right = not found[1 - side] and _has_words(sides[1 - side], others[side])
        if beside_is_right and not _can_be_told(language):
            found[side] = None  # it may be near to the other, as Catalan is to Spanish
    if not any(found):
        return None
    looks = [each or language for each, language in zip(found, languages, strict=True)]
    if all(map(_may_be_other, sides, languages, others, found)):
        looks = others
        fix = f"set languages: [{', '.join(looks)}], or columns: [2, 1] (of two files: their order)"
    elif looks[0] == looks[1] or any(each.endswith(_SCRIPT) for each in looks):
        fix = "name other columns or files"
    else:
        fix = f"set languages: [{', '.join(looks)}], or name other columns or files"
    return f"the first side looks like {looks[0]}, the second like {looks[1]}: {fix}"


def _may_be_other(texts: Sequence[str], language: str, other: str, found: str | None) -> bool:
    """Return whether texts may be in `other`; `found` is what `_other_language` says of them."""
    if found:
        return found == other or not _can_be_told(other)
    return any(texts) and _other_language(texts, other, language) is None


def _can_be_told(language: str) -> bool:
    """Return whether a language is told from all others that are known."""
    code = language_code(language)
    return code in _WORDS_OF or _SCRIPTS.get(_SCRIPT_OF.get(code, "")) == code


def _has_words(texts: Sequence[str], language: str) -> bool:
    """Return whether texts have frequent words of a language, or are too short to have any."""
    counts = _counts(texts)
    own = sum(counts[word] for word in _WORDS_OF.get(language_code(language), ()))
    return own >= _LEAST_SHARE / 2 * counts.total() or counts.total() < _LEAST_HITS / _LEAST_SHARE


def _counts(texts: Sequence[str]) -> Counter[str]:
    return Counter(word.lower() for text in texts for word in WORD.findall(text))


def _other_language(texts: Sequence[str], language: str, other: str) -> str | None:
    """Return what texts look like where they are clearly not in `language`; else None.

    It is a code, the name of a script, or `other`, which is the other side's language. Where
    `language` cannot be told, it is no more than `other`.
    """
    code, other_code = language_code(language), language_code(other)
    letters = _letters(texts)
    [(script, count)] = letters.most_common(1)
    if letters.total() < _LEAST_LETTERS or 2 * count < letters.total():
        return None
    counts = _counts(texts)
    own = None if "latn" in language.lower() else _SCRIPT_OF.get(code)
    if own and letters[own] < _LEAST_OWN * count:
        found = _likeliest(counts, script, "") or _named(script)
        return other if found == other_code else found
    likeliest = _likeliest(counts, script, code)
    if likeliest == other_code:
        return other
    return likeliest if code in _WORDS_OF else None


def _letters(texts: Sequence[str]) -> Counter[str]:
    """Return how many letters texts have of each script; those of Japanese count as kana."""
    letters = script_counts("".join(texts))
    kana = letters.pop("Hiragana", 0) + letters.pop("Katakana", 0)
    both = kana + letters.pop("Han", 0)
    letters[_KANA if kana > _LEAST_KANA * both else "Han"] = _SYLLABLE * both
    letters["Hangul"] *= _SYLLABLE
    return letters


def _named(script: str) -> str:
    """Return the only language of a script, or else its name."""
    codes = _SCRIPTS.get(script, "").split()
    return codes[0] if len(codes) == 1 else f"{script}{_SCRIPT}"


def _likeliest(counts: Counter[str], script: str, code: str) -> str | None:
    """Return the language of a script whose frequent words are met, if those of `code` are not.

    Words that both have tell nothing.
    """
    own = _WORDS_OF.get(code, frozenset())
    found = {}
    for other, listed in _WORDS_OF.items():
        if other == code or _SCRIPT_OF[other] != script:
            continue
        for_it = [counts[word] for word in listed - own if counts[word]]
        against = sum(counts[word] for word in own - listed)
        least = max(_LEAST_HITS, _LEAST_SHARE * counts.total(), _LEAST_TIMES * against)
        if sum(for_it) >= least and len(for_it) >= _LEAST_WORDS:
            found[other] = sum(for_it)
    return max(found, key=found.__getitem__, default=None)
