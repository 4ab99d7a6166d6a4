"""What a bundle says of where it comes from, `provenance.json`: its corpora and versions."""

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from gru_mt.errors import UserError, short_text
from gru_mt.storage import read_json

PROVENANCE = "provenance.json"
_MOST_BYTES = 10_000_000  # of the file; a thousand corpora take a fiftieth


class _Values(BaseModel):
    model_config = ConfigDict(strict=True, extra="allow", allow_inf_nan=False)


class _Corpus(_Values):
    name: str
    sha256: str
    path: list[str] = []


class _Provenance(_Values):
    """The types of what may be there; only `training` writes it."""

    corpora: list[_Corpus] = []
    attribution: str = ""
    training_pairs: int = 0
    sentences: dict[str, dict[str, int]] = {}  # by part and set
    gru_mt: str = ""
    torch: str = ""
    python: str = ""


def read_provenance(bundle: Path) -> dict[str, Any]:
    """Return what a bundle's file says; it may say less than training writes.

    Raises UserError where the file is missing or damaged, or a value is of another type.
    """
    path = bundle / PROVENANCE
    values = read_json(path, most_bytes=_MOST_BYTES)
    try:
        _Provenance.model_validate(values)
    except ValidationError as error:
        found = error.errors()[0]
        name = short_text(".".join(map(str, found["loc"])))
        raise UserError(f"{path}: damaged: {name}: {found['msg']}") from None
    return values
