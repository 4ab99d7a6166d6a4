"""Where the files of the page are, and what they may do in a browser."""

from importlib.resources import files
from importlib.resources.abc import Traversable

from starlette.responses import Response
from starlette.routing import Route

OWN, OFFLINE = files("gru_mt.server.page"), files("gru_mt.page")  # they share style and elements
FILES = {
    "/": ("text/html", [OWN / "page.html"]),
    "/page.css": ("text/css", [OFFLINE / "page.css", OWN / "page.css"]),
    "/page.js": ("text/javascript", [OWN / "page.js"]),
    "/page_text.js": ("text/javascript", [OFFLINE / "page_text.js"]),
}
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "
        "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}


def page_routes() -> list[Route]:
    """Return the routes of the page: its HTML at /, its style and scripts beside it."""
    return [
        Route(path, Response(_joined(parts), media_type=kind, headers=HEADERS), methods=["GET"])
        for path, (kind, parts) in FILES.items()
    ]


def _joined(parts: list[Traversable]) -> str:
    return "".join(part.read_text("utf-8") for part in parts)
