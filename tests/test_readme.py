"""The guides' commands are ones that gru-mt takes, and what they name and link to is there."""

import re
import shlex
from pathlib import Path

import pytest
import typer.main

from gru_mt.cli import app
from gru_mt.config.load import load_config, parse_config

ROOT = Path(__file__).parents[1]
GUIDES = {
    str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
    for path in [ROOT / "CHANGELOG.md", *ROOT.glob("README.md"), *ROOT.glob("*/README.md"),
                 ROOT / "configs" / "ABLATION.md", *ROOT.glob("scripts/results/*.md"),
                 *ROOT.glob("scripts/examples/*.md")]
}  # fmt: skip
README = GUIDES["README.md"]
BLOCKS = [
    (guide, language, block)
    for guide, text in GUIDES.items()
    for language, block in re.findall(r"^```(\w*)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
]
COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]
NAMED = {  # but the changelog names what is gone, too
    path
    for guide, text in GUIDES.items()
    if guide != "CHANGELOG.md"
    for path in re.findall(r"`((?:scripts|configs|gru_mt)/[\w./-]+)`", text)
}
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
PARTS = re.findall(r"^(gru_mt/[\w./]+)  ", CONTRIBUTING, re.MULTILINE)  # the map of the code


def commands(*guides: str) -> list[str]:
    """Return the gru-mt command lines of the guides' shell blocks, without prompts."""
    lines = [
        line.strip().removeprefix("$ ")
        for guide, language, block in BLOCKS
        if guide in guides and language in ("sh", "console")
        for line in block.replace("\\\n", "").splitlines()
    ]
    return [line for line in lines if line.startswith("gru-mt ")]


def slug(heading: str) -> str:
    """Return the anchor of a heading: "How to measure" -> "how-to-measure"."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("line", sorted(set(commands(*GUIDES))))
def test_a_command_of_the_guides_parses(line: str) -> None:
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|<>")
    lexer.whitespace_split = True
    words = list(lexer)
    ends = [index for index, word in enumerate(words) if word in ("|", "<", ">")]
    _, name, *arguments = words[: ends[0] if ends else len(words)]
    COMMANDS[name].make_context(name, arguments)  # raises for an option that it does not know


def test_the_readme_shows_every_command() -> None:
    assert {line.split()[1] for line in commands("README.md")} == set(COMMANDS)


@pytest.mark.parametrize("block", [block for _, language, block in BLOCKS if language == "yaml"])
def test_a_configuration_of_the_guides_is_one(block: str) -> None:
    parse_config(block, where="README.md")


@pytest.mark.parametrize("path", sorted(NAMED))
def test_a_file_that_a_guide_names_is_there(path: str) -> None:
    assert (ROOT / path).exists()
    if path.endswith(".yaml"):
        load_config(ROOT / path)


def test_the_map_of_the_code_has_every_folder_and_only_what_is_there() -> None:
    assert [path for path in PARTS if not (ROOT / path).exists()] == []
    folders = {f"gru_mt/{path.parent.name}/" for path in ROOT.glob("gru_mt/*/__init__.py")}
    assert folders <= set(PARTS)


@pytest.mark.parametrize("guide", GUIDES)
def test_a_link_of_a_guide_leads_somewhere(guide: str) -> None:
    for target in re.findall(r"\]\((?!https:)([^)]*)\)", GUIDES[guide]):
        path, _, anchor = target.partition("#")
        file = (ROOT / guide).parent / path if path else ROOT / guide
        assert file.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)", file.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in map(slug, headings), target


def test_the_readme_fits_a_newcomer() -> None:
    lines = README.splitlines()
    assert len(lines) <= 150
    assert max(map(len, lines)) <= 110
