"""A module imports only what stands above it, the command line starts without the heavy
libraries, and every configuration field has a reader."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import resolve_name
from pathlib import Path

import pytest

import gru_mt
from gru_mt.config.schema import Config

ROOT = Path(gru_mt.__file__).parent

# Top to bottom: a module may import those before it. A package stands before its modules, so its
# __init__ cannot import them; but cli's is the entry that puts its commands together.
ROWS = """
    errors config config.decoding config.fields config.data config.schema config.yaml_text
        config.recipes
        config.load config.reference storage progress run data data.text data.text.normalize
        data.corpus data.corpus.detect data.dataset data.dataset.store data.dataset.components
        data.pool data.corpus.files data.corpus.readers data.corpus.languages data.corpus.report
        data.corpus.text_stream data.corpus.readers.columns data.corpus.readers.records
        data.corpus.readers.table data.corpus.readers.parquet data.corpus.readers.json_lines
        data.corpus.readers.sgml data.corpus.readers.tmx
        data.corpus.readers.registry data.corpus.fra_eng data.types data.corpus.filters
        data.corpus.builder data.corpus.load data.dataset.source_files data.evaluation_set
        data.splits data.dataset.plain_text data.statistics data.suggest_config data.tokenizer
        data.tokenizer.special data.text.patterns data.text.placeholders data.text.glossary
        data.text.sentences data.text.spelling data.text.truecase data.text.names data.augment
        data.augment.word_lists data.augment.bilingual_lexicon data.tokenizer.words
        data.tokenizer.subword_sampling data.tokenizer.sentencepiece
        data.text.translation_memory data.tokenizer.tokenizer data.augment.augmenter
        data.dataset.ids data.dataset.dataset data.batching model
        model.device model.fast
        model.fast.waiting model.fast.distinct model.fast.gru model.fast.loss model.fast.product
        model.layers model.cells model.recurrent model.attention model.seq2seq
        model.decoder_step model.loss tensors bundle inference inference.preprocessing
        inference.preprocessing.lines inference.preprocessing.frames inference.search
        inference.constraints inference.engines inference.engines.engine
        inference.engines.ensemble inference.engines.torch_engine inference.preprocessing.tags
        inference.preprocessing.sentence inference.preprocessing.reader inference.confidence
        inference.translation inference.engines.onnx_engine inference.preprocessing.messages
        inference.sentence_translator inference.published
        corrections corrections.store corrections.memory
        inference.translator
        documents documents.document documents.sentences documents.plain_text
        documents.markdown documents.structured documents.structured.marked
        documents.subtitles documents.structured.program_text documents.structured.po
        documents.structured.json_texts documents.structured.properties
        documents.structured.xml_tree documents.structured.xliff documents.structured.package
        documents.structured.docx documents.html documents.epub documents.registry
        onnx_export
        onnx_export.graphs onnx_export.int8 evaluation evaluation.bleu_tokenizer evaluation.score
        evaluation.hypotheses evaluation.calibration evaluation.evaluate
        evaluation.systems evaluation.compare evaluation.robustness
        evaluation.robustness.perturbations evaluation.robustness.cases
        evaluation.robustness.markup evaluation.robustness.measure training training.launch
        training.distributed training.state data.loader training.optim training.optim.optimizer
        training.optim.lr_schedule training.optim.speed training.output training.output.logging
        training.output.signals training.output.checkpoint training.output.lock
        training.resume training.synthetic data.prepare training.output.run_writer
        training.validation training.estimate training.trainer training.train corrections.learn
        runs report
        evaluation.overlap report.tables report.failures report.pictures report.html
        report.samples report.contents report.page report.compare_page page page.model_data
        page.write onnx_export.card onnx_export.archive
        onnx_export.write server server.detection server.directions server.batcher server.requests
        server.texts server.downloads server.spec server.api server.page server.page.routes
        server.app cli.streams cli.app cli.translator
        cli.directions cli.line_progress cli.document cli.comparison cli.commands
        cli.commands.train cli.commands.evaluate cli.commands.compare
        cli.commands.runs cli.commands.translation cli.commands.translation.translate
        cli.commands.translation.serve
        cli.commands.translation.correct
        cli.commands.export cli.commands.data
        cli.commands.config cli.commands.checks cli __main__
"""
ORDER = ROWS.split()


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


def imports_upwards(root: Path, order: list[str]) -> list[str]:
    """Return each import in the package at `root` that `order` forbids, as "importer: imported"."""
    paths = module_paths(root)
    return [
        f"{importer}: {imported}"
        for importer, path in paths.items()
        if importer
        for imported in imported_modules(path, root, set(paths))
        if imported and order.index(imported) >= order.index(importer)
    ]


def test_no_module_imports_what_stands_below_it_in_the_order() -> None:
    modules = set(module_paths(ROOT)) - {""}
    assert modules - set(ORDER) == set(), "ROWS does not name these"
    assert imports_upwards(ROOT, ORDER) == []
    found = imports_upwards(ROOT, ORDER[::-1])
    for pair in ("run: storage", "model.layers: model.fast.product", "report.page: report.html"):
        assert pair in found, "each import is found"


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
