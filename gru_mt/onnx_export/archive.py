"""Write a translator for others: its files with a model card, as a zip file or for the hub.

No folder of this machine is in them: paths in configuration and provenance are reduced to names.
"""

import hashlib
import io
import logging
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZipFile, ZipInfo

import torch

from gru_mt.bundle import Bundle, load_bundle, save_bundle
from gru_mt.config.schema import Config
from gru_mt.errors import UserError, escape, require_packages
from gru_mt.evaluation.hypotheses import run_of
from gru_mt.inference.engines.onnx_engine import (
    DECODER,
    ENCODER,
    METADATA,
    fitting_export,
    read_metadata,
)
from gru_mt.inference.published import CARD, CREDITS, REPOSITORY, SUMS, hub_errors
from gru_mt.onnx_export.card import model_card
from gru_mt.run import WEIGHTS, bundle_of, named
from gru_mt.storage import (
    check_output,
    file_digest,
    write_checksummed_json,
    write_file,
    write_output,
)
from gru_mt.tensors import tensors_info

log = logging.getLogger(__name__)

# Keys whose texts are paths.
_PATHS = ("path", "start", "folder", "back_translate", "teachers", "model")


def write_archive(folder: Path, out: Path | None, license_: str | None) -> Path:
    """Write the archive of a run or its model, NAME.zip in the run by default; return its path.

    The same run and version give the same bytes. Raises UserError as `load_bundle` does, and where
    it cannot be written.
    """
    name = _name(folder)
    out = out or named(bundle_of(folder)).parent / f"{name}.zip"
    check_output(out)
    buffer = io.BytesIO()
    with (
        _published_files(folder, f"{name}.zip", license_) as files,
        ZipFile(buffer, "w") as archive,
    ):
        for path in sorted(path for path in files.rglob("*") if path.is_file()):
            member = ZipInfo(path.relative_to(files).as_posix())  # of 1980, and not compressed
            member.create_system, member.external_attr = 3, 0o644 << 16  # on any system
            archive.writestr(member, path.read_bytes())
    content = buffer.getvalue()
    write_output(out, content)
    digest = hashlib.sha256(content).hexdigest()
    log.info("wrote %s: %.1f MB, SHA-256 %s", out, len(content) / 1e6, digest)
    return out


def push(folder: Path, repository: str, license_: str | None, *, private: bool) -> str:
    """Upload the files of an archive to the Hugging Face hub; return the address they have there.

    `repository` is owner/name; it is made if it is not there. Raises UserError as `write_archive`
    does, and where the hub refuses.
    """
    reference = f"hf:{repository}"
    if not (match := REPOSITORY.fullmatch(reference)) or match[2]:
        raise UserError(f"{repository}: expected owner/name, a repository of the Hugging Face hub")
    require_packages(f"{reference}: the Hugging Face hub", "hub", "huggingface_hub")
    from huggingface_hub import HfApi

    with _published_files(folder, reference, license_) as files, hub_errors(reference):
        api = HfApi(library_name="gru-mt", library_version=version("gru-mt"))
        address = api.create_repo(repository, private=private or None, exist_ok=True)
        if private and not api.model_info(repository).private:
            raise ValueError("it is public already; make it private there, or leave out --private")
        api.upload_folder(
            repo_id=repository,
            folder_path=files,
            delete_patterns=["tokenizer*", "onnx/*"],  # of an earlier model
            commit_message=f"Model of gru-mt {version('gru-mt')}",
        )
    log.info("uploaded to %s; translate with --model %s", address, reference)
    return str(address)


def _name(folder: Path) -> str:
    """Return the name of the run that `folder` is or has the model of; else its own."""
    run = run_of(folder, "test")
    return escape((run.folder if run else bundle_of(folder)).resolve().name)


@contextmanager
def _published_files(folder: Path, reference: str, license_: str | None) -> Iterator[Path]:
    """Yield a folder with the files of an archive; `reference` is what --model takes for it.

    A model folder may have a card already, as that of an unpacked archive has, which may have been
    edited: it is kept.
    """
    own_card = None if run_of(folder, "test") else bundle_of(folder) / CARD
    bundle, export = load_bundle(folder, torch.device("cpu")), fitting_export(folder, warn=log.info)
    config = Config.model_validate(_without_folders(bundle.config.model_dump()))
    provenance = _without_folders(bundle.provenance)
    metadata = provenance.pop("weights")
    bundle = Bundle(bundle.model, bundle.tokenizer, config, provenance)
    with TemporaryDirectory() as temporary:
        files = Path(temporary) / "files"
        save_bundle(files, bundle, metadata)
        info = tensors_info(files / WEIGHTS)
        if export:
            (files / "onnx").mkdir()
            for path in (export / ENCODER, export / DECODER, *export.glob("tokenizer*")):
                shutil.copyfile(path, files / "onnx" / path.name)
            belongs = {
                "weights_sha256": info.digest,
                "provenance": {**provenance, "weights": info.header},
            }
            write_checksummed_json(files / "onnx" / METADATA, read_metadata(export) | belongs)
        if own_card and own_card.is_file():
            if license_:
                raise UserError(f"{own_card}: a card that is kept; name the license in it")
            shutil.copyfile(own_card, files / CARD)
        else:
            card = model_card(folder, bundle, _name(folder), reference, license_)
            write_file(files / CARD, card.encode())
        if provenance.get("attribution"):
            write_file(files / CREDITS, f"{provenance['attribution']}\n".encode())
        names = sorted(
            path.relative_to(files).as_posix() for path in files.rglob("*") if path.is_file()
        )
        sums = "".join(f"{file_digest(files / name)}  {name}\n" for name in names)
        write_file(files / SUMS, sums.encode())
        yield files


def _without_folders(value: Any, key: str = "") -> Any:
    """Return values of JSON with the names of files alone where a key's texts are their paths."""
    if isinstance(value, dict):
        return {name: _without_folders(one, name) for name, one in value.items()}
    if isinstance(value, list):
        return [_without_folders(one, key) for one in value]
    return (Path(value).name or value) if key in _PATHS and isinstance(value, str) else value
