"""Split a line into its sentences where placeholders, tabs and labels tell more than its marks."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise

from gru_mt.data.text.normalize import SPACELESS, WORD
from gru_mt.data.text.patterns import FEELING
from gru_mt.data.text.placeholders import Span
from gru_mt.data.text.sentences import split_sentences
from gru_mt.data.text.truecase import Truecaser
from gru_mt.data.tokenizer.special import ANY_PLACEHOLDER, PLACEHOLDER
from gru_mt.inference.preprocessing.frames import MAIL_LABELS, is_wordlike
from gru_mt.inference.preprocessing.sentence import ENDS

_WINDOW = 40  # characters beside a placeholder that tell whether a sentence ends there
_BULLETS = "[•◦▪■□●○◆►]"
_BLOCKS = "p|div|li|ul|ol|h[1-6]|t[dhr]|table|summary|option|title|button|label|dt|dd"
_BREAK = re.compile(
    rf"(?:\\t)*+(?:\\[nrN](?:\\t)*+)++|(?:&#(?:1[03]|x[AD]);)++|<(?:br|hr)\b[^<>]*>|[|;>→]+|,"
    rf"|{_BULLETS}|</?(?:{_BLOCKS})\b[^<>]*>",
    re.IGNORECASE,
)
_NO_BREAK_SPACES = re.compile("(?:&nbsp;|&#160;|&#x[Aa]0;)+")
_LABEL = re.compile(  # (laughs) or (0:32) before a capital, **Note:** and <b>Note</b>:
    r"\((?!(?:[IVXivx]+|\w{1,2})\))[^()]{1,40}\)\s+(?=[A-Z])|"
    rf"\W*{ANY_PLACEHOLDER}[^\W\d_][^\W_]{{0,30}}+(?: [^\W_]{{1,30}}){{0,2}}"
    rf"(?:\s?:{ANY_PLACEHOLDER}|{ANY_PLACEHOLDER}\s?:)\s+"
)
# Note: He is big. To: a@b.org
_BEGINS = '(?=[¿¡"“«(]*[A-ZÀ-ÖØ-Þ])'
_WORDS_LABEL = re.compile(
    rf"({WORD.pattern}(?: {WORD.pattern}){{0,2}})(?: (?:\d+(?:\.\d+)*|{ANY_PLACEHOLDER}))?"
    rf"\s?:\s+(?:{_BEGINS}|(?=[\W\d_]*$)|(?<=[A-ZÀ-ÖØ-Þ]{{2}}:\s)|(?<=[A-ZÀ-ÖØ-Þ]{{2}}\s:\s))"
)
_OPENS = re.compile(rf"<(?!br|hr)\w|{_BULLETS}", re.IGNORECASE)


def is_break(placeholder: str) -> bool:
    """Return whether a sentence ends at what is copied: a line break, a bullet, a block's tag."""
    return _BREAK.fullmatch(placeholder) is not None


def _cells(text: str) -> list[str]:
    """Return the cells of a text, divided by tabs or "," between quotes, with what divides them."""
    cuts = r"(?<=\S)[^\S\t]*+\t\s*+(?=\S)|(?<=\"[,;])(?=\")|(?<=[.!?][\"'],\s)(?=[\"'])"
    ends = [match.end() for match in re.finditer(cuts, text)]
    return [text[i:j] for i, j in pairwise([0, *ends, len(text)]) if i < j]


def split_masked(
    masked: str, spans: Sequence[Span], language: str, truecaser: Truecaser
) -> Iterator[str]:
    """Yield the sentences of a masked line, whose placeholders stand for `spans`.

    They end also at a break that is a placeholder, and after a label that is no name.
    """
    left = iter(spans)
    for piece in chain.from_iterable(map(_cells, split_sentences(masked, language))):
        label, words = _LABEL.match(piece), _WORDS_LABEL.match(piece)
        is_of_frame = words and (len(words[1]) == 1 or words[1] in MAIL_LABELS)  # "A: "
        if words and not is_of_frame and any(map(truecaser.is_small, WORD.findall(words[1]))):
            label = words
        start = label.end() if label and label.end() < len(piece) else 0
        if start:
            yield piece[:start]
        # Where what is neither copied nor a space stands, and letters among it, for breaks
        signs = PLACEHOLDER.sub(" ", piece)
        shown = enumerate(signs) if signs != piece else ()
        visible = [index for index, sign in shown if not sign.isspace()]
        letters = [index for index in visible if piece[index].isalpha()]
        is_list = len(piece.split()) == 1 and not SPACELESS.search(piece)  # Yes/No
        for match in PLACEHOLDER.finditer(piece):
            placeholder = next(left).text
            told = piece[max(start, match.start() - _WINDOW) : match.start()]
            rest = piece[match.end() : match.end() + _WINDOW]
            word = WORD.match(rest.lstrip())
            is_after_words = (  # I see you 😀 He is big.
                FEELING.fullmatch(placeholder) is not None
                and len(WORD.findall(told)) > 1
                and word is not None
                and truecaser.needs_no_capital(word[0])
            )
            is_end = is_after_words or (
                PLACEHOLDER.sub("", told).endswith(ENDS)
                and (rest[:1].isspace() or _NO_BREAK_SPACES.fullmatch(placeholder))
                and not is_wordlike(placeholder)
                and PLACEHOLDER.sub("", rest).lstrip()[:1].isupper()
            )
            if re.fullmatch(_BULLETS, placeholder) and not told[-1:].isspace():
                continue
            is_apart = told[-1:].isspace() and rest[:1].isspace() and rest.lstrip()[:1].isupper()
            is_slash = placeholder == "/" and (is_list or is_apart)
            if not (is_end or is_break(placeholder) or is_slash):
                continue
            end = match.start() if _OPENS.match(placeholder) else match.end()
            while piece[end : end + 1].isspace():
                end += 1
            number = bisect_left(letters, end)
            has_words = 0 < number < len(letters) and letters[number - 1] >= start
            if not has_words:
                continue
            number = bisect_left(visible, end)
            goes_on = placeholder.lower().startswith(("\\", "&", "<br", "<hr")) and not (
                piece[visible[number - 1]] in ENDS or piece[visible[number]].isupper()
            )
            if not goes_on:
                yield piece[start:end]
                start = end
        yield piece[start:]
