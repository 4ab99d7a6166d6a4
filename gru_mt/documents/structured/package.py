"""Documents that are zip archives of files, as those of Word and e-books are."""

import copy
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import islice

from gru_mt.documents.document import Document
from gru_mt.errors import UserError

MOST_MEMBERS = 10_000
_COMPRESSIONS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
MOST_UNPACKED = 400_000_000  # bytes of all members


@dataclass(frozen=True, slots=True)
class Package:
    """The members of an archive by name, and the archive."""

    name: str  # for messages
    archive: zipfile.ZipFile

    @classmethod
    def read(cls, data: bytes, name: str) -> "Package":
        """Read an archive; UserError where it is damaged, encrypted or larger than is allowed."""
        if data.startswith(b"\xd0\xcf\x11\xe0"):
            fix = "save it as .docx, without a password"
            raise UserError(f"{name}: is encrypted, or of an older Word; {fix}")
        try:
            archive = zipfile.ZipFile(BytesIO(data))
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
            raise UserError(f"{name}: is damaged, or no such document: {error}") from None
        members = archive.infolist()
        size = sum(member.file_size for member in members)
        if len(members) > MOST_MEMBERS or size > MOST_UNPACKED:
            raise UserError(
                f"{name}: has {len(members):,} members of {size:,} bytes unpacked; at most "
                f"{MOST_MEMBERS:,} of {MOST_UNPACKED:,} are read"
            )
        packed = {member.compress_type for member in members} - _COMPRESSIONS
        if packed or len(archive.NameToInfo) < len(members):
            raise UserError(f"{name}: has two members of one name, or an odd compression")
        return cls(name, archive)

    def member(self, member: str) -> bytes:
        """Return a member; UserError where it is missing or damaged."""
        try:
            return self.archive.read(member)
        except KeyError:
            raise UserError(f"{self.name}: is damaged, or no such document: no {member}") from None
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError) as error:
            raise UserError(f"{self.name}: is damaged: {member}: {error}") from None
        except RuntimeError:
            raise UserError(f"{self.name}: is encrypted; save it without a password") from None

    def replaced(self, members: Mapping[str, bytes]) -> bytes:
        """Return the archive with these members in place of its own; others keep all they have."""
        out = BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            for info in self.archive.infolist():
                content = members.get(info.filename)
                content = self.member(info.filename) if content is None else content
                archive.writestr(copy.copy(info), content)
            archive.comment = self.archive.comment
        return out.getvalue()


@dataclass(frozen=True, slots=True)
class PackedDocument:
    """A package, and those of its members that have texts."""

    package: Package
    data: bytes  # of the package
    parts: Mapping[str, Document]

    @property
    def texts(self) -> Sequence[str]:
        """The texts of all parts."""
        return [text for part in self.parts.values() for text in part.texts]

    def replaced(self, texts: Sequence[str]) -> bytes:
        """Return the file with one text for each of `texts`."""
        if [*texts] == self.texts:
            return self.data
        left = iter(texts)
        return self.package.replaced(
            {
                name: part.replaced([*islice(left, len(part.texts))])
                for name, part in self.parts.items()
            }
        )
