"""Types of fields that several sections have, each with its range, and the base of a section."""

import codecs
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from gru_mt.errors import escape, short_repr


def _without_controls(text: str) -> str:
    if escape(text) != text or "\n" in text:
        raise ValueError(f"must have no control characters, got {short_repr(text)}")
    return text


def known_encoding(name: str) -> str:
    """Return an encoding's name, of UTF-8 always the same; ValueError if Python has no such."""
    try:
        "a".encode(name)  # LookupError for one of bytes, such as "hex"
        known = codecs.lookup(name).name
        if known in ("punycode", "idna", "unicode_escape", "raw_unicode_escape", "unicode-escape"):
            raise ValueError(name)  # no file is written so
    except (LookupError, ValueError):
        raise ValueError(f"is no encoding that Python knows, got {short_repr(name)}") from None
    return "utf-8" if known in ("utf-8", "utf-8-sig") else name


# The bounds are far beyond what anybody trains with. Within them no sum or product overflows.
Text = Annotated[str, Field(min_length=1, max_length=4_096), AfterValidator(_without_controls)]
Language = Annotated[str, Field(pattern=r"^[\w .-]{1,40}$")]  # a part of file names
Count = Annotated[int, Field(gt=0, le=1_000_000_000)]
CountOrZero = Annotated[int, Field(ge=0, le=1_000_000_000)]
Size = Annotated[int, Field(gt=0, le=16_384)]
Layers = Annotated[int, Field(gt=0, le=32)]
Rate = Annotated[float, Field(gt=0, le=1_000)]
RateOrZero = Annotated[float, Field(ge=0, le=1_000)]
Positive = Annotated[float, Field(ge=1e-6, le=1e9)]
Share = Annotated[float, Field(ge=0, le=1)]
Fraction = Annotated[float, Field(ge=0, lt=1)]
Auto = Literal["auto"]


class Section(BaseModel):
    """A frozen group of fields; an unknown key or a value of another type is an error."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        allow_inf_nan=False,
        use_attribute_docstrings=True,
    )


def as_list(value: Any) -> Any:
    """Return a single value as a list of one."""
    return value if isinstance(value, list) else [value]


_Files = Annotated[list[Text], Field(min_length=1, max_length=2)]
Paths = Annotated[_Files, BeforeValidator(as_list, json_schema_input_type=Text | _Files)]
_SetFiles = Annotated[list[Text], Field(min_length=1, max_length=100)]
SetPaths = Annotated[_SetFiles, BeforeValidator(as_list, json_schema_input_type=Text | _SetFiles)]
Columns = Annotated[list[Annotated[int, Field(ge=1, le=10_000)]], Field(min_length=1, max_length=2)]
Encoding = Annotated[str, Field(min_length=1, max_length=40), AfterValidator(known_encoding)]
Delimiter = Annotated[str, Field(pattern=r'^[^"\\\r\n]{1,5}$')]
