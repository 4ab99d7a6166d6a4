"""What our pages have in common: a policy that asks no address, and data that is never markup."""

import base64
import hashlib
import json
from typing import Any


def policy(style: str, script: str, **more: str) -> str:
    """Return the content security policy that allows this style and this script, and no address.

    `more` are further directives, with _ for -: worker_src="blob:". What it has for script_src
    comes after the script's digest.
    """
    added = more.pop("script_src", "")
    directives = {
        "default-src": "'none'",
        "style-src": f"'sha256-{_digest(style)}'",
        "script-src": f"'sha256-{_digest(script)}' {added}".strip(),
        **{name.replace("_", "-"): value for name, value in more.items()},
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in directives.items())


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def json_in_page(values: Any) -> str:
    """Return JSON that no parser of HTML takes for markup."""
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
