"""`gru-mt serve`."""

import logging
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from gru_mt.cli.app import Command, DeviceOption, app
from gru_mt.cli.streams import print_messages, say
from gru_mt.cli.translator import finished_runs, load_translator
from gru_mt.errors import UserError, require_packages, short_text
from gru_mt.model.fast.waiting import while_computing
from gru_mt.run import Run

PACKAGES = ("starlette", "uvicorn", "httptools", "python_multipart")
EXAMPLES = """\b
Examples:
  gru-mt serve
  gru-mt serve --model runs/en-ja --model runs/ja-en/onnx-int8 --port 8080
  gru-mt serve --host 0.0.0.0 --api-key keys.txt --allow-origin '*'
  curl http://127.0.0.1:5000/translate -d q="I see." -d source=en -d target=fr
"""


ModelsOption = Annotated[
    list[Path],
    typer.Option(
        "--model",
        metavar="FOLDER",
        help="A run, a model folder, an export, an archive, or hf:OWNER/NAME; once for each "
        "direction.  [default: the newest finished run of each]",
    ),
]
OriginsOption = Annotated[
    list[str],
    typer.Option(
        "--allow-origin",
        metavar="ORIGIN",
        help="Let pages of https://example.org ask, or those of any site: *.",
    ),
]
RateOption = Annotated[
    int | None,
    typer.Option(
        "--requests-per-minute", metavar="N", min=1, help="At most, of a key or an address."
    ),
]
SuggestOption = Annotated[
    bool,
    typer.Option("--suggest", help="Let clients correct translations, for all clients at once."),
]
LearnOption = Annotated[
    bool,
    typer.Option(
        "--learn",
        help="Train models on their corrections, beside: after a minute without texts, or an hour.",
    ),
]


@app.command(cls=Command, epilog=EXAMPLES)
def serve(
    models: ModelsOption = [],
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Where to listen; 0.0.0.0 is everywhere.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(metavar="N", min=0, max=65_535, help="0 is one that is free.")
    ] = 5000,
    key_file: Annotated[
        Path | None,
        typer.Option("--api-key", metavar="FILE", help="Ask for one of these keys, a line each."),
    ] = None,
    origins: OriginsOption = [],
    characters: Annotated[
        int, typer.Option("--max-characters", metavar="N", min=1, help="Of the texts of a request.")
    ] = 20_000,
    size: Annotated[
        int, typer.Option("--max-bytes", metavar="N", min=1, help="Of a request and its file.")
    ] = 10_000_000,
    waiting: Annotated[
        int, typer.Option("--queue", metavar="N", min=1, help="Requests that may wait.")
    ] = 1_000,
    seconds: Annotated[
        float,
        typer.Option("--timeout", metavar="SECONDS", min=0.1, max=86_400, help="For a request."),
    ] = 60.0,
    per_minute: RateOption = None,
    suggestions: SuggestOption = False,
    learns: LearnOption = False,
    device: DeviceOption = "auto",
) -> None:
    """Serve a page for people, and LibreTranslate's REST API.

    A signal stops it once what is under way is done, a second one at once. Requests that come
    together are translated together.
    """
    require_packages("serve", "serve", *PACKAGES)
    from gru_mt.corrections.store import check_run
    from gru_mt.inference.preprocessing.lines import read_lines
    from gru_mt.server.api import Api, Limits
    from gru_mt.server.app import Server, address_of, open_socket
    from gru_mt.server.directions import Direction, Directions

    print_messages(logging.INFO)
    keys = [line for line in read_lines(key_file) if line] if key_file else []
    if key_file and not keys:
        raise UserError(f"{key_file}: no key is in it; write one on each line")
    for origin in origins:
        if origin != "*" and (origin.count("/") != 2 or "://" not in origin):
            raise UserError(f"--allow-origin {short_text(origin)}: expected https://HOST, or *")
    with open_socket(host, port) as listening:
        paths = models or _newest_of_each()
        for run in map(Run, paths) if learns else ():
            if not (run.config.is_file() and run.bundle.is_dir()):
                name = short_text(run.folder)
                raise UserError(f"--learn: {name} is no run; name runs with --model")
        for path in paths if suggestions else ():
            check_run(path)
        load = partial(load_translator, device=device)
        directions = Directions([Direction(path, partial(load, [path])) for path in paths])
        for each in directions.all:
            each.loaded.translate([])  # it reads the corrections
        limits = Limits(characters, size, waiting, seconds, per_minute)
        api = Api(directions, limits, keys, origins, suggestions, learns)
        served = ", ".join(f"{each.source} to {each.target}" for each in directions.all)
        say(f"serving {served} at {address_of(listening)}; Ctrl-C stops it")
        if not keys and listening.getsockname()[0] not in ("127.0.0.1", "::1"):
            say("note: whoever reaches this address can use it; --api-key FILE asks for a key")
        with while_computing(directions.all[0].loaded.engine.device_type):
            Server(api).run(sockets=[listening])


def _newest_of_each() -> list[Path]:
    from gru_mt.server.directions import served_code

    newest: dict[tuple[str, str], Path] = {}
    for run, data in finished_runs():
        newest.setdefault((served_code(data.source), served_code(data.target)), run.folder)
    if not newest:
        raise UserError("no finished run can be read; name one with --model")
    return [*newest.values()]
