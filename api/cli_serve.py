"""``superbiz serve``: the HTTP service and its page, on this machine only."""

from __future__ import annotations

import contextlib
import errno
import ipaddress
import os
import socket
import sys
from typing import Any

from api.console import tell
from api.errors import BadInput
from api.settings import read_settings

GRACEFUL_SECONDS = 3


def loopback_address(host: str) -> str:
    """The address to bind for ``host``.

    Raises:
        BadInput: it is not of this machine alone. There are no access keys, so anyone who reaches the port may ask,
            read every run and spend the model's time.
    """
    try:
        found = {str(info[4][0]) for info in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)}
    except (OSError, UnicodeError):
        raise BadInput("host", f"host {host!r} cannot be resolved; use --host 127.0.0.1") from None
    if not all(ipaddress.ip_address(address.partition("%")[0]).is_loopback for address in found):
        raise BadInput(
            "host",
            f"refusing to listen on {host!r}: the service has no access keys, so everyone who reaches the port could "
            "use it and read every run; keep --host 127.0.0.1 and put a proxy that checks who asks (nginx, an SSH "
            "tunnel) in front",
        )
    return host if host in found else sorted(found)[0]


def bound_socket(host: str, port: int) -> socket.socket:
    """A socket on the address, so that a port in use is told before anything is loaded.

    Raises:
        BadInput: the port is taken, or not allowed.
    """
    address = loopback_address(host)
    listening = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
    if os.name == "posix":
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((address, port))
        listening.listen(2048)  # who connects while the service loads waits instead of being refused
    except OSError as error:
        listening.close()
        if error.errno == errno.EADDRINUSE:
            hint = f"stop the program that uses it, or choose another: --port {port + 1 if port < 65535 else port - 1}"
            raise BadInput("port", f"port {port} on {address} is in use; {hint}") from None
        raise BadInput("port", f"cannot listen on {address} port {port}: {error.strerror}; use --port 8000") from None
    return listening


def run_serve(host: str | None, port: int | None) -> None:
    """Serve until Ctrl-C or SIGTERM; running questions are then stopped and marked cancelled."""
    settings = read_settings()
    listening = bound_socket(host or settings.host, settings.port if port is None else port)
    import uvicorn

    from api.app import create_app

    app = create_app(settings)

    class Stopping(uvicorn.Server):
        """Stops the runs when the signal comes, not when the last connection is closed: they hold it open."""

        def handle_exit(self, sig: int, frame: Any) -> None:
            app.state.service.queue.cancel_all()
            super().handle_exit(sig, frame)

    address, bound = listening.getsockname()[:2]
    shown = f"[{address}]" if ":" in address else address
    tell(f"SuperBiz 服务 http://{shown}:{bound}/ （Ctrl-C 停止）")
    config = uvicorn.Config(app, log_level="info", timeout_graceful_shutdown=GRACEFUL_SECONDS)
    with contextlib.suppress(KeyboardInterrupt):  # uvicorn repeats the signal after it has stopped cleanly
        Stopping(config).run(sockets=[listening])
    if len(app.state.service.queue):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)  # a model call in native code would hold the process; its run is marked already
