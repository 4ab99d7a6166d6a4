"""What our pages have in common: a policy that asks no address, and data that is never markup."""

import base64
import hashlib
import json
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader

from gru_mt.errors import shell_quoted
from gru_mt.evaluation.score import FEW
from gru_mt.report import pictures


def policy(style: str, script: str, *, script_sources: str = "", more: str = "") -> str:
    """Return the content security policy that allows this style and this script, and no address.

    `script_sources` come after the script's digest; `more` are further directives.
    """
    style_digest, script_digest = (
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for text in (style, script)
    )
    scripts = f"'sha256-{script_digest}' {script_sources}".rstrip()
    own = f"default-src 'none'; style-src 'sha256-{style_digest}'; script-src {scripts}"
    return f"{own}; {more}; base-uri 'none'; form-action 'none'"


def json_in_page(values: Any) -> str:
    """Return JSON that no parser of HTML takes for markup."""
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def render(template: str, values: dict[str, Any], script: str = "") -> str:
    """Return a page of a report by its template, with the style of all and its own policy.

    All values are escaped: a line of a corpus may be markup.
    """
    style = environment().get_template("page.css").render()
    common = {"style": style, "policy": policy(style, script, more="img-src data:")}
    return environment().get_template(template).render(values | common)


@cache
def environment() -> Environment:
    """Return what renders the templates of reports."""
    loader = PackageLoader("gru_mt.report")
    found = Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    found.globals |= {"few": FEW, "pictures": pictures}
    found.filters["quoted"] = shell_quoted
    return found
