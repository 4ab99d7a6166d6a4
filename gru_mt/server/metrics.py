"""Counts what is asked and answered, and shows it as Prometheus reads it."""

from collections import Counter

from starlette.types import ASGIApp, Message, Receive, Scope, Send


class Statuses:
    """ASGI middleware that counts the answers by their status."""

    def __init__(self, app: ASGIApp, counts: Counter[int]) -> None:
        self._app, self._counts = app, counts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._counts[message["status"]] += 1
            await send(message)

        await self._app(scope, receive, counted)


def exposition(metrics: dict[str, tuple[str, str, dict[str, float]]]) -> str:
    """Return metrics as Prometheus's text: by name a kind, a description and values by label.

    {"jobs": ("gauge", "Jobs.", {"": 2})} gives "# HELP jobs Jobs.", "# TYPE jobs gauge", "jobs 2".
    """
    lines = []
    for name, (kind, description, values) in metrics.items():
        lines += [f"# HELP {name} {description}", f"# TYPE {name} {kind}"]
        lines += [f"{name}{label} {value:g}" for label, value in values.items()]
    return "".join(f"{line}\n" for line in lines)
