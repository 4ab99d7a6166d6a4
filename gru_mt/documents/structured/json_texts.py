"""JSON with texts of a program: of i18next, Flutter (.arb), browser extensions and others."""

import json
import re
from collections.abc import Iterator
from functools import partial

from gru_mt.documents.document import Document, Place, Source, replacing
from gru_mt.documents.structured.program_text import is_text, program_place
from gru_mt.errors import UserError

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]]')
_COLON = re.compile(r"\s*:")


def read_json(source: Source) -> Document:
    """Read the strings that are texts, but no keys; nor what @key says of a key, as in .arb."""
    file, name = source.decode(), source.name
    try:
        json.loads(file.text)
    except json.JSONDecodeError as error:
        message = f"is no JSON at column {error.colno}: {error.msg}"
        raise file.error(error.pos, message) from None
    except (ValueError, RecursionError) as error:  # a number, or a depth, that Python won't read
        raise UserError(f"{name}: is no JSON that can be read: {error}") from None
    return file.document(_places(file.text))


def _places(source: str) -> Iterator[Place | None]:
    written = partial(json.dumps, ensure_ascii=source.isascii() and "\\u" in source)
    depth, key, hidden_depth = 0, "", 0  # the depth of an object that says something of a key

    for token in _TOKEN.finditer(source):
        if token[0] in ("{", "["):
            depth += 1
            hidden_depth = hidden_depth or (depth if key.startswith("@") else 0)
        elif token[0] in ("}", "]"):
            hidden_depth = 0 if depth == hidden_depth else hidden_depth
            depth -= 1
        elif _COLON.match(source, token.end()):
            key = json.loads(token[0])
            continue
        elif not (hidden_depth or key.startswith("@")):
            value = json.loads(token[0])
            if is_text(value):
                yield program_place(value, replacing(*token.span(), written))
        key = ""
