"""README's commands are ones that gru-mt takes."""

import re
import shlex
from pathlib import Path

import pytest
import typer.main

from gru_mt.cli import app
from gru_mt.config_file import load_config, parse_config

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def commands() -> list[str]:
    """Return the gru-mt command lines of README's shell blocks, without prompts and comments."""
    lines = [
        line.strip().removeprefix("$ ")
        for language, block in BLOCKS
        if language in ("sh", "console")
        for line in block.splitlines()
    ]
    return [line for line in lines if line.startswith("gru-mt ")]


@pytest.mark.parametrize("line", commands())
def test_a_command_of_the_readme_parses(line: str) -> None:
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|<>")
    lexer.whitespace_split = True
    words = list(lexer)
    ends = [index for index, word in enumerate(words) if word in ("|", "<", ">")]
    _, name, *arguments = words[: ends[0] if ends else len(words)]
    command = typer.main.get_command(app).commands[name]  # type: ignore[attr-defined]
    command.make_context(name, arguments)  # raises for an option that it does not know


def test_the_readme_shows_commands() -> None:
    assert {line.split()[1] for line in commands()} == {
        "train",
        "eval",
        "translate",
        "export",
        "data",
    }


@pytest.mark.parametrize("block", [block for language, block in BLOCKS if language == "yaml"])
def test_a_configuration_of_the_readme_is_one(block: str) -> None:
    parse_config(block, where="README.md")


@pytest.mark.parametrize("path", re.findall(r"`((?:scripts|configs|gru_mt)/[\w./-]+)`", README))
def test_a_file_that_the_readme_names_is_there(path: str) -> None:
    assert (ROOT / path).exists()
    if path.endswith(".yaml"):
        load_config(ROOT / path)
