"""Messages of ICU: the arms of their plurals and selects are translated, their syntax is kept.

See unicode-org.github.io/icu/userguide/format_parse/messages.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from gru_mt.data.text.placeholders import Span
from gru_mt.inference.translation import Translation

_ARGUMENT = re.compile(
    r"\{\s*[\w.-]+\s*,\s*(?:plural|select|selectordinal)\s*,\s*(?:offset:\d+\s*)?"
)
_SELECTOR = re.compile(r"\s*(?:=\d+|[\w-]+)\s*\{")
_END = re.compile(r"\s*\}")
_BRACE = re.compile(r"[{}]")


def arms(line: str) -> list[list[Span]]:
    """Return the texts of the arms of each plural and select in a line that is not in another one.

    "{n, plural, one {# cat} other {# cats}}" -> [[Span(17, 22, "# cat"), Span(31, 37, "# cats")]]
    """
    found, closing = [], _closing(line)
    end = 0
    for match in _ARGUMENT.finditer(line):
        if match.start() < end:  # within an arm
            continue
        texts, index = [], match.end()
        while selector := _SELECTOR.match(line, index):
            index = closing.get(selector.end(), len(line))
            texts.append(Span(selector.end(), index, line[selector.end() : index]))
            index += 1
        if texts and (closed := _END.match(line, index)):
            end = closed.end()
            found.append(texts)
    return found


def _closing(line: str) -> dict[int, int]:
    """Return where each pair of braces ends, by where its inside begins."""
    found, opened = dict[int, int](), list[int]()
    for brace in _BRACE.finditer(line):
        if brace[0] == "{":
            opened.append(brace.end())
        elif opened:
            found[opened.pop()] = brace.start()
    return found


def with_arms(
    translation: Translation, line: str, arms: Sequence[Span], texts: Sequence[str]
) -> Translation:
    """Return the translation of `line`, as it is read, with `texts` in place of its `arms`."""
    start = arms[0].start
    old, new = line[start : arms[-1].end], ""
    for arm, text in zip(arms, texts, strict=True):
        new += line[start : arm.start] + text + arm.text[len(arm.text.rstrip()) :]
        start = arm.end
    sentences = []
    for sentence in translation.sentences:
        found = [replace(each, text=each.text.replace(old, new)) for each in sentence.candidates]
        sentences.append(replace(sentence, candidates=found))
    return replace(translation, sentences=sentences)
