"""Runs the server: its socket, and uvicorn."""

import math
import socket

import uvicorn

from gru_mt.errors import UserError, short_text
from gru_mt.server.app import Api


def bound_socket(host: str, port: int) -> socket.socket:
    """Return a socket at an address, which does not listen yet; port 0 is any that is free.

    Raises UserError where the address is in use, or none of this machine.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        bound = socket.socket(family, kind, protocol)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UserError(
            f"--host {short_text(host)} --port {port}: {reason}; choose another address or port"
        ) from None
    return bound


def address(bound: socket.socket) -> str:
    """Return the address of a socket for a browser: http://127.0.0.1:5000."""
    host, port = bound.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def serve(api: Api, bound: socket.socket) -> None:
    """Answer requests until a signal stops it: what is under way is finished, nothing new taken."""
    config = uvicorn.Config(
        api.app(),
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="on",
        ws="none",
        timeout_graceful_shutdown=math.ceil(api.limits.seconds),
    )
    uvicorn.Server(config).run(sockets=[bound])
