"""Running the page's JavaScript in Node."""

import json
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

import gru_mt

FOLDER = Path(gru_mt.__file__).parent / "page"
NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="the page's JavaScript is tried in Node")


def run_node(script: str, data: Any = None) -> Any:
    """Return what a module gives as `result`, as JSON; it has `data`, and imports `from "./x.js"`.

    The module lies in the page's folder, as far as its imports are concerned.
    """
    assert NODE
    prelude = 'import { readFileSync } from "node:fs";\n'
    prelude += "const data = JSON.parse(readFileSync(0, 'utf8'));\nlet result;\n"
    ending = "\nprocess.stdout.write(JSON.stringify(result ?? null));\n"
    module = (prelude + script + ending).replace('from "./', f'from "{FOLDER.as_uri()}/')
    with TemporaryDirectory() as folder:  # the worker is too long for a command line
        path = Path(folder) / "script.mjs"
        path.write_text(module, "utf-8")
        ended = subprocess.run(
            [NODE, path],
            input=json.dumps(data).encode("utf-8", errors="surrogatepass"),
            capture_output=True,
            check=False,
        )
    assert ended.returncode == 0, ended.stderr.decode()
    return json.loads(ended.stdout)


def assert_same(
    script: str, python: Callable[[str], Any], texts: Sequence[str], **data: Any
) -> None:
    """Assert that the function `of` of a script gives for each text what one of Python gives."""
    found = run_node(f"{script}\nresult = data.texts.map(of);", {"texts": texts, **data})
    for text, of_javascript in zip(texts, found, strict=True):
        assert of_javascript == json.loads(json.dumps(python(text))), ascii(text)
