"""What `bench spelling` measures: what spelling correction changes in correctly spelt text."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import cycle
from pathlib import Path

from gru_mt.config.load import load_config
from gru_mt.data.tokenizer.tokenizer import Tokenizer
from gru_mt.evaluation.robustness.cases import NAMES as RARE_NAMES
from gru_mt.inference.preprocessing.reader import Reader
from gru_mt.inference.preprocessing.sentence import Sentence
from gru_mt.run import CONFIG, bundle_of

_COMMON_NAMES = """
Adam Alan Albert Alfred Alice Amanda Amy Andrea Andrew Angela Ann Anthony Arthur Barbara Ben Betty
Bill Bob Brenda Brian Carl Carol Charles Chloe Chris Clara Daniel Dave David Dean Debra Dennis Diana
Donald Doris Dorothy Dylan Edward Elena Ella Emily Emma Eric Ethan Eva Evelyn Felix Frank Fred Gary
Gene George Gerald Gloria Grace Greg Greta Hannah Harold Harry Heidi Helen Henry Hugo Ingrid Isabel
Jack Jacob James Jane Janet Jason Jean Jeff Jennifer Jesse Jill Joan Joe Joseph Joyce Juan Judith
Julia Justin Karen Kate Keith Kevin Klaus Kyle Larry Laura Lena Leo Liam Linda Lisa Lois Louis Lucas
Lucy Luke Maria Marie Mark Martin Mary Matthew Maya Megan Mia Michael Nancy Nathan Nina Noah Nora
Olga Oliver Olivia Oscar Otto Owen Pamela Patrick Paul Paula Peter Philip Rachel Ralph Randy Ray
Rebecca Rita Robert Robin Roger Rosa Rose Roy Russell Ruth Ryan Sam Samuel Sara Scott Sean Sharon
Simon Sophia Stella Steve Susan Teresa Theo Thomas Tim Tina Tom Tony Vera Victor Vincent Walter
"""
_NAMES = (*_COMMON_NAMES.split(), *RARE_NAMES)
_WORD = re.compile(r"\w+(?:['’]\w+)*")


def spelling(run: Path, lines: Sequence[str]) -> dict[str, float]:
    """Return how many lines of a source text are changed, and how often each change is made.

    Of names at the start of a line, in the place of its first word, it has the share that stays.
    Raises UserError where `run` holds no translator.
    """
    bundle = bundle_of(run)
    truecaser = Tokenizer.load(bundle).truecaser
    language = load_config(bundle / CONFIG).data.source

    def read(line: str) -> list[Sentence]:
        return [*Reader(truecaser, language, lambda *_: True).sentences(line)]

    spelling_corrected = [
        [each for each in read(line) if each.spelling_corrected] for line in lines
    ]
    made = Counter(
        change for each in spelling_corrected for sentence in each for change in changes(sentence)
    )
    changed = sum(map(bool, spelling_corrected))
    kept = 0
    for name, line in zip(_NAMES, cycle(lines), strict=False):
        first = read(f"{name} {line.partition(' ')[2]}")[0]
        kept += first.finished(first.text).lower().startswith(name.lower())
    return {
        "lines": len(lines),
        "changed_lines": changed,
        "changed_lines_percent": 100 * changed / len(lines),
        "names_kept_at_the_start_percent": 100 * kept / len(_NAMES),
        **dict(made.most_common()),
    }


def changes(sentence: Sentence) -> Iterator[str]:
    """Yield each change of a sentence's words, their case aside: "mad -> made"."""
    read = sentence.finished(sentence.text)
    before, after = (_WORD.findall(text.lower()) for text in (sentence.source, read))
    for kind, *places in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        start, end, new_start, new_end = places
        old, new = before[start:end], after[new_start:new_end]
        if len(old) == len(new):
            yield from map("{} -> {}".format, old, new)
        else:  # a word was cut in two, or the like
            yield f"{' '.join(old)} -> {' '.join(new)}"
