"""Which process a run belongs to, so that runs of dead processes can be told from running ones.

A process id alone is not enough: in a container the restarted service has the id of the dead one. The kernel's start
time of the process goes with it where the system tells it.
"""

from __future__ import annotations

import os
import socket
import sys
from functools import cache
from pathlib import Path


def _start_mark(pid: int) -> str | None:
    """Boot id and start tick of a process; None when there is none, '' when the system does not tell."""
    if not Path("/proc/self/stat").exists():
        return ""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return None
    state, *fields = stat.rpartition(")")[2].split()
    return None if state == "Z" else f"{boot}:{fields[18]}"


@cache
def _own_mark(pid: int) -> str:
    return f"{socket.gethostname()}|{pid}|{_start_mark(pid) or ''}"


def current_owner() -> str:
    """The mark of this process."""
    return _own_mark(os.getpid())


def is_dead(owner: str) -> bool | None:
    """Whether the owning process is gone; None when it cannot be told from here (another host, Windows)."""
    host, _, rest = owner.partition("|")
    pid_text, _, mark = rest.partition("|")
    if host != socket.gethostname() or not pid_text.isdigit() or sys.platform == "win32":
        return None
    pid = int(pid_text)
    found = _start_mark(pid)
    if found is None:
        return True
    if found and mark:
        return found != mark
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False
