"""Articles of French, Italian and Spanish, which are one word with what stands before them."""

import re

from gru_mt.data.text.normalize import SPACELESS

_ARTICLE = re.compile(r"(le|el|il|les) (?=\w)")
_BEFORE_ARTICLE = re.compile(
    r"(?<!\w)(?:(à|a|de|di|da|le|el|il|les) |(jusqu['’]))(<[^<>]*>|[*_]+)?$"
)
_CONTRACTED = {"à le": "au", "de le": "du", "à les": "aux", "de les": "des"}
_CONTRACTED |= {"a el": "al", "de el": "del"}
_CONTRACTED |= {"a il": "al", "di il": "del", "da il": "dal"}
_CONTRACTED |= {"le le": "le", "el el": "el", "il il": "il", "les les": "les"}  # le <b>le 4 mai</b>


def contracted(left: str, right: str) -> tuple[str, str]:
    """Return two texts, the article that begins `right` as one word with what ends `left`.

    "jusqu'à ", "le 4 mai" -> "jusqu'au ", "4 mai". It is so in French, Italian and Spanish. In
    scripts without spaces there is none between them.
    """
    if SPACELESS.match(left[-2:-1]) and SPACELESS.match(right[-1:]):
        return left.rstrip(), right
    article, before = _ARTICLE.match(right), _BEFORE_ARTICLE.search(left)
    if not (article and before):
        return left, right
    preposition, elided, tag = before.groups(default="")
    joined = f"{elided}au" if elided else _CONTRACTED.get(f"{preposition} {article[1]}")
    if not joined:
        return left, right
    return f"{left[: before.start()]}{joined} {tag}", right[article.end() :]
