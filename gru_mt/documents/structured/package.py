"""Documents that are zip archives of files, as those of Word and e-books are."""

import copy
import math
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from itertools import islice

from gru_mt.documents.document import Document, Source
from gru_mt.errors import UserError

MOST_MEMBERS = 10_000
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError)
_COMPRESSIONS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
MOST_UNPACKED = 400_000_000  # bytes of all members
CHARACTER_BYTES = 20  # of all members, for a character of text


@dataclass(frozen=True, slots=True)
class Package:
    """The members of an archive by name, and the archive."""

    source: Source
    archive: zipfile.ZipFile

    @classmethod
    def read(cls, source: Source) -> "Package":
        """Read an archive; UserError where it is damaged, encrypted or larger than is allowed."""
        data, name = source.data, source.name
        if data.startswith(b"\xd0\xcf\x11\xe0"):
            fix = "save it as .docx, without a password"
            raise UserError(f"{name}: is encrypted, or of an older Word; {fix}")
        try:
            try:  # some programs write UTF-8 without saying so
                archive = zipfile.ZipFile(BytesIO(data), metadata_encoding="utf-8")
            except UnicodeDecodeError:
                archive = zipfile.ZipFile(BytesIO(data))
        except (NotImplementedError, *_DAMAGED) as error:
            raise UserError(f"{name}: is damaged, or no such document: {error}") from None
        members = archive.infolist()
        size = sum(member.file_size for member in members)
        most = min(MOST_UNPACKED, CHARACTER_BYTES * source.most_characters)
        if len(members) > MOST_MEMBERS or size > most:
            raise UserError(
                f"{name}: has {len(members):,} members of {size:,} bytes unpacked; at most "
                f"{MOST_MEMBERS:,} of {most:,} are read"
            )
        packed = {member.compress_type for member in members} - _COMPRESSIONS
        if packed or len(archive.NameToInfo) < len(members):
            raise UserError(f"{name}: has two members of one name, or an odd compression")
        return cls(source, archive)

    def member(self, name: str) -> Source:
        """Return a member; UserError where it is missing or damaged."""
        try:
            data = self.archive.read(name)
        except (KeyError, RuntimeError, *_DAMAGED) as error:  # it is missing; it is encrypted
            message = f"is damaged, encrypted or no such document: {name}: {error}"
            raise UserError(f"{self.source.name}: {message}") from None
        whole = f"{self.source.name}, {name}"
        return replace(self.source, name=whole, data=data, most_characters=math.inf)

    def document(self, parts: Mapping[str, Document]) -> Document:
        """Return a document of members; others keep all that they have."""
        whole = [text for part in parts.values() for text in part.texts]

        def replaced(texts: Sequence[str]) -> bytes:
            if [*texts] == whole:
                return self.source.data
            left, out = iter(texts), BytesIO()
            new = {
                name: part.replaced([*islice(left, len(part.texts))])
                for name, part in parts.items()
            }
            with zipfile.ZipFile(out, "w") as archive:
                for info in self.archive.infolist():
                    name = info.filename
                    archive.writestr(copy.copy(info), new.get(name) or self.member(name).data)
                archive.comment = self.archive.comment
            return out.getvalue()

        return Document(self.source.name, whole, replaced)
