"""A module imports only its own layer and those above it, never in a circle. The command line
starts without the heavy libraries, and every configuration field has a reader."""

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from graphlib import TopologicalSorter
from importlib.util import resolve_name
from pathlib import Path

import pytest

import gru_mt
from gru_mt.config.schema import Config

ROOT = Path(gru_mt.__file__).parent

# Top to bottom: files and folders of the package. A module may import those above and its own.
ROWS = """
    errors config storage progress run tensors data model bundle inference corrections documents
    evaluation training runs report page onnx_export server cli __main__
"""
LAYERS = ROWS.split()
MOST_FILES, MOST_LINES = 9, 300  # of Python in a folder; of a file
ELSEWHERE = {  # modules that stand in another layer than their folder
    "onnx_export.int8": "model",
    "inference.translator": "corrections",
    **dict.fromkeys(("data.loader", "data.prepare", "corrections.learn"), "training"),
}


def module_paths(root: Path) -> dict[str, Path]:
    """Return the file of each module below `root`, by its name within: data.corpus, data, cli.

    The package's own __init__ has the name "".
    """
    paths = {}
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        paths[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return paths


def imported_modules(path: Path, root: Path, modules: set[str]) -> Iterator[str]:
    """Yield those of `modules` that the file imports: `from gru_mt.data import corpus` is one."""
    package = ".".join((root.name, *path.parent.relative_to(root).parts))
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        base = ""
        if isinstance(node, ast.ImportFrom):
            base = f"{resolve_name('.' * node.level + (node.module or ''), package)}."
        for alias in node.names:
            name = f"{base}{alias.name}"
            within = name.removeprefix(f"{root.name}.")
            if within != name:
                yield within if within in modules else within.rpartition(".")[0]


def imports_of(root: Path) -> dict[str, set[str]]:
    """Return the modules that each module of the package at `root` imports."""
    paths = module_paths(root)
    return {
        name: {found for found in imported_modules(path, root, set(paths)) if found}
        for name, path in paths.items()
        if name
    }


def imports_upwards(imports: dict[str, set[str]], layers: list[str]) -> list[str]:
    """Return each import that `layers` forbid, as "importer: imported"."""

    def layer(module: str) -> int:
        return layers.index(ELSEWHERE.get(module, module.split(".")[0]))

    return [
        f"{importer}: {imported}"
        for importer, found in imports.items()
        for imported in found
        if layer(imported) > layer(importer)
    ]


def test_no_module_imports_a_lower_layer_nor_itself_by_way_of_others() -> None:
    imports = imports_of(ROOT)
    assert imports_upwards(imports, LAYERS) == []
    TopologicalSorter(imports).prepare()  # raises for a circle, and names it
    found = imports_upwards(imports, LAYERS[::-1])
    for pair in ("run: storage", "model.seq2seq: config.schema", "report.page: run"):
        assert pair in found, "each import is found"


def test_a_reader_can_survey_each_folder_and_each_file() -> None:
    paths = [path for path in ROOT.rglob("*.py") if path.stat().st_size]  # no empty __init__
    folders = Counter(path.parent.relative_to(ROOT) for path in paths if path.stem != "__init__")
    assert {folder: count for folder, count in folders.items() if count > MOST_FILES} == {}
    lines = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in paths}
    assert {path: count for path, count in lines.items() if count > MOST_LINES} == {}


@pytest.mark.parametrize(
    ("module", "heavy"),
    [("gru_mt.cli", r"torch|numpy|pydantic|sacrebleu|sentencepiece"), ("gru_mt", r"gru_mt\..*")],
)
def test_it_starts_without_heavy_libraries_and_modules(module: str, heavy: str) -> None:
    code = f"import sys, {module}; print(*sys.modules)"
    names = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
    assert [name for name in names.decode().split() if re.fullmatch(heavy, name)] == []


def read_attributes(path: Path) -> set[str]:
    """Return each x that a file reads as `config.x`, `self.config.x`, `training.x` and the like."""
    owners = {"config", *Config.model_fields}
    read = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            owner = node.value
            name = owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")
            if name.split("_")[-1] in owners:  # `training_config` is one too
                read.add(node.attr)
    return read


def test_every_config_field_is_read_somewhere() -> None:
    paths = module_paths(ROOT)
    sections = [paths.pop(name) for name in ("config.data", "config.schema")]
    read = set().union(*map(read_attributes, paths.values()))
    text = "\n".join(path.read_text(encoding="utf-8") for path in sections)
    for function in ast.walk(ast.parse(text)):
        # What a property of the configuration reads counts where that property is read.
        if isinstance(function, ast.FunctionDef) and function.name in read:
            read |= {node.attr for node in ast.walk(function) if isinstance(node, ast.Attribute)}
    defaults = Config.model_validate({"data": {"corpus": "phrasebook"}})
    fields = [(name, field) for name, values in defaults.model_dump().items() for field in values]
    unread = [f"{section}.{name}" for section, name in fields if name not in read]
    assert not unread, f"nobody reads {', '.join(unread)}"
