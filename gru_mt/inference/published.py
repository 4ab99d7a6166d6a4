"""Models that somebody published, as local folders: an archive of `gru-mt export`, or a repository
of the Hugging Face hub.

What is in them is data from strangers: it is checked before it is written, and none of it is run.
"""

import logging
import re
import stat
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import platformdirs

from gru_mt.errors import UserError, require_packages, short_repr, short_text
from gru_mt.run import CONFIG, PROVENANCE, WEIGHTS, check_path
from gru_mt.storage import file_digest, os_errors_as

# Files of an archive beside those of the model; the last is as sha256sum writes it.
CARD, CREDITS, SUMS = "README.md", "attribution.txt", "SHA256SUMS"
REPOSITORY = re.compile(r"hf:([\w.-]+/[\w.-]+)(@(.+))?", re.ASCII)
_MEMBER = re.compile(r"(onnx/)?\w[\w.-]*", re.ASCII)
_MOST_TIMES = 20  # the size of an archive, that its files may have; weights do not shrink
# What zipfile raises; RuntimeError where it needs a password.
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError)


def local_folder(model: Path) -> Path:
    """Return the folder of a model: where an archive is unpacked, or a repository downloaded to.

    An archive is unpacked once, into the user's cache folder. A repository, hf:owner/name or
    hf:owner/name@revision, is kept in that of huggingface_hub, and used from there without network.
    Any other path is returned as it is. Raises UserError where there is no model to be had.
    """
    if (name := model.as_posix()).startswith("hf:"):
        return _downloaded(name)
    check_path(model)
    return _unpacked(model) if model.is_file() else model


def _unpacked(archive: Path) -> Path:
    folder = platformdirs.user_cache_path("gru-mt") / "models" / file_digest(archive)
    if folder.is_dir():
        return folder
    with os_errors_as(folder, more="; or unpack the archive yourself, and name its folder"):
        folder.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=folder.parent, prefix="unpack-") as temporary:
            whole = Path(temporary) / "model"
            _unpack(archive, whole)
            try:
                whole.rename(folder)
            except OSError:  # another process was faster
                if not folder.is_dir():
                    raise
    return folder


def _unpack(archive: Path, folder: Path) -> None:
    """Write the files of an archive into a new folder; UserError where one is not as it should."""
    name = short_text(archive)
    try:
        with zipfile.ZipFile(archive) as opened:
            members = [member for member in opened.infolist() if not member.is_dir()]
            names = Counter(member.filename.lower() for member in members)
            if not names[SUMS.lower()] or not names[CONFIG]:
                raise UserError(f"{name}: no model of gru-mt export --format archive is in it")
            for member in members:
                if (
                    not _MEMBER.fullmatch(member.filename)
                    or names[member.filename.lower()] > 1
                    or stat.S_ISLNK(member.external_attr >> 16)
                    or member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
                ):
                    odd = short_repr(member.filename)
                    raise UserError(f"{name}: damaged: {odd} is no file of a model")
            size = sum(member.file_size for member in members)
            if size > _MOST_TIMES * archive.stat().st_size:
                raise UserError(f"{name}: damaged: its files would have {size:,} bytes")
            opened.extractall(folder, members)  # of each no more than the size that was summed up
        lines = (folder / SUMS).read_text("utf-8").splitlines()
        digests = dict(line.split("  ")[::-1] for line in lines)
    except _DAMAGED as error:
        raise UserError(
            f"{name}: damaged, or no archive of a model ({short_text(error)})"
        ) from None
    found = {member.filename for member in members} - {SUMS}
    for file in sorted(found | digests.keys()):
        if file not in found or file_digest(folder / file) != digests.get(file):
            raise UserError(f"{name}: damaged: {short_repr(file)} is not what {SUMS} says")


def _downloaded(name: str) -> Path:
    if not (match := REPOSITORY.fullmatch(name)):
        raise UserError(f"{short_text(name)}: expected hf:owner/name or hf:owner/name@revision")
    require_packages(f"{name}: the Hugging Face hub", "hub", "huggingface_hub")
    from huggingface_hub import snapshot_download
    from huggingface_hub.utils.tqdm import tqdm

    class TerminalBar(tqdm):  # the hub's own would be shown in files and pipes, too
        def __init__(self, *arguments: Any, **options: Any) -> None:
            options["disable"] = None
            super().__init__(*arguments, **options)  # type: ignore[no-untyped-call]

    wanted = [CARD, CREDITS, CONFIG, PROVENANCE, WEIGHTS, "tokenizer*", "onnx/*"]
    with hub_errors(name):
        found = snapshot_download(
            match[1], revision=match[3], allow_patterns=wanted, tqdm_class=TerminalBar
        )
    if not (Path(found) / CONFIG).is_file():
        raise UserError(f"{name}: no model of gru-mt is there")
    return Path(found)


@contextmanager
def hub_errors(name: str) -> Iterator[None]:
    """Raise UserError, of one line, instead of what huggingface_hub raises; hold its warnings."""
    logger = logging.getLogger("huggingface_hub")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    except Exception as error:  # those of its HTTP library have no parent that all versions share
        status = getattr(getattr(error, "response", None), "status_code", None)
        hint = ""
        if status in (401, 403, 404):
            hint = "; check the name, or log in: hf auth login, or the variable HF_TOKEN"
        said = getattr(error, "server_message", None) or str(error).strip() or type(error).__name__
        reason = short_text(said.splitlines()[0].rstrip("."))
        raise UserError(f"{name}: the Hugging Face hub: {reason}{hint}") from None
    finally:
        logger.setLevel(level)
