"""Translations of programs in gettext's format: .po, and .pot without translations."""

import re
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from gettext import c2py
from itertools import accumulate, chain, pairwise
from textwrap import TextWrapper

import polib

from gru_mt.config.fields import known_encoding
from gru_mt.documents.document import Document, Place, Source, Span, TextFile
from gru_mt.documents.structured.program_text import program_place
from gru_mt.errors import UserError

_CHARSET = re.compile(rb"charset=([\w-]+)")
_QUOTED = r'"(?:[^"\\\n]|\\.)*"'
_FIELD = re.compile(
    rf"^[ \t]*(msg\w+)(?:\[(\d{{1,9}})\])?[ \t]*({_QUOTED}(?:[ \t]*\r?\n[ \t]*{_QUOTED})*)",
    re.MULTILINE,
)
_OTHER_LINE_ENDS = re.compile(r"[\v\f\x1c-\x1e\x85\u2028\u2029]")  # of Python, not of gettext
_FLAGS = re.compile(r"^[ \t]*(#,|#\||msg)", re.MULTILINE)
_PLACE = re.compile(r"\(line (\d+)\)(?:: (.*))?")
_WRAPPER = TextWrapper(  # as gettext's tools wrap a string, which has two quotes more
    75, drop_whitespace=False, break_long_words=False, break_on_hyphens=False
)


def read_po(source: Source) -> Document:
    """Read the untranslated entries, or all with `everything`; what is filled is marked fuzzy.

    So it is reviewed before users see it, as translators expect; msgfmt --use-fuzzy takes it too.
    """
    charset, encoding = _CHARSET.search(source.data), "utf-8"
    with suppress(ValueError):  # "CHARSET" in a template
        encoding = known_encoding(charset[1].decode() if charset else encoding)
    file = source.decode(encoding)
    text = _OTHER_LINE_ENDS.sub(" ", file.text)
    try:
        po = polib.pofile(f"{text}\n")  # no path, which polib would open, ends like this
    except OSError as error:
        place = _PLACE.search(str(error))
        line, what = place.groups() if place else ("1", None)
        what = what or "is no line of .po, or stands in a wrong place"
        raise UserError(f"{file.name}, line {line}: {what}") from None
    one = _form_of_one(po.metadata.get("Plural-Forms", ""))
    lines = [0, *accumulate(map(len, text.splitlines(keepends=True)))]
    starts = [lines[max(0, entry.linenum - 1)] for entry in po]
    places = list[Place | None]()
    for entry, (start, end) in zip(po, pairwise([*starts, len(text)]), strict=True):
        if not entry.obsolete:
            places += _places(file, start, end, one, everything=source.everything)
    return file.document(places)


def _form_of_one(plural_forms: str) -> int:
    """Return the n of the msgstr[n] for one thing: 0 but in a few languages, such as Arabic."""
    _, _, rule = plural_forms.partition("plural=")
    with suppress(ValueError, ArithmeticError):
        return int(c2py(rule.strip().removesuffix(";"))(1)) if rule else 0
    return 0


def _places(
    file: TextFile, start: int, end: int, one: int, *, everything: bool
) -> Iterator[Place | None]:
    """Yield the places of each msgstr of an entry that is empty, or of all with `everything`."""
    fields = [*_FIELD.finditer(file.text, start, end)]
    sources = {field[1]: _unquoted(field[3]) for field in fields if not field[2]}
    forms = [field for field in fields if field[1] == "msgstr"]
    if "msgid" not in sources or not forms:
        raise file.error(start, "an entry wants msgid and msgstr, each with its quotes")
    line_end = "\r\n" if "\r\n" in file.text[start:end] else "\n"
    flags = _FLAGS.search(file.text, start, end)
    assert flags, "an entry has a msgid"
    if flags[1] != "#,":
        fuzzy = Span(flags.start(), flags.start(), f"#, fuzzy{line_end}")
    else:
        is_fuzzy = "fuzzy" in file.text[flags.end() : file.text.index("\n", flags.end())]
        fuzzy = Span(flags.end(), flags.end(), "" if is_fuzzy else " fuzzy,")

    def edits(form: re.Match[str], new: str) -> list[Span]:
        return [fuzzy, Span(*form.span(3), _quoted(new, line_end))]

    for form in forms:
        # A single form is for any number: its text is the plural.
        is_plural = form[2] and (len(forms) == 1 or int(form[2]) != one)
        source = sources.get("msgid_plural" if is_plural else "msgid", "")
        if everything or not _unquoted(form[3]):
            yield program_place(source, partial(edits, form))


def _unquoted(field: str) -> str:
    quoted = re.findall(_QUOTED, field)
    return "".join(polib.unescape(each[1:-1]) for each in quoted)


def _quoted(text: str, line_end: str) -> str:
    """Return a string as gettext's tools write it: on lines of its own where it has several."""
    lines = [polib.escape(line) for line in text.splitlines(keepends=True)]
    if len(lines) > 1 or len(text) > _WRAPPER.width - len("msgstr "):
        lines = ["", *chain.from_iterable(map(_WRAPPER.wrap, lines))]
    return line_end.join(f'"{line}"' for line in lines or [""])
