"""What counts as a question: checked once, before anything is stored, loaded or asked."""

from __future__ import annotations

import re
import secrets

from api.errors import BadInput

MAX_CHARACTERS = 4_000
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_SESSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}")


def valid_question(text: str) -> str:
    """The question without surrounding blanks.

    Raises:
        BadInput: empty, more than 4,000 characters, a control character, or bytes that are no UTF-8.
    """
    text = text.replace("\r\n", "\n")
    if len(text) > MAX_CHARACTERS:
        raise BadInput(
            "question",
            f"the question has {len(text):,} characters, the limit is {MAX_CHARACTERS:,}; "
            "shorten it and name the service, the time and the symptom",
        )
    if broken := _SURROGATE.search(text):
        raise BadInput(
            "question", f"the question is not valid UTF-8 at character {broken.start() + 1}; send it as UTF-8"
        )
    if control := _CONTROL.search(text):
        raise BadInput(
            "question",
            f"the question holds the control character U+{ord(control.group()):04X} "
            f"at character {control.start() + 1}; remove it and ask again",
        )
    if not any(char.isprintable() and not char.isspace() for char in text):
        raise BadInput("question", "the question is empty; say what is wrong, where and since when")
    return text.strip()


def valid_session(session_id: str | None) -> str:
    """The given session id, or a new one.

    Raises:
        BadInput: not 1 to 64 letters, digits and ``_ . : -``.
    """
    if session_id is None:
        return f"ses_{secrets.token_hex(8)}"
    if not _SESSION.fullmatch(session_id):
        raise BadInput(
            "session_id", f"session {session_id[:80]!r} is no session id; use 1 to 64 letters, digits and _ . : -"
        )
    return session_id


def new_run_id() -> str:
    """A fresh run id. Its first characters are random: invocation ids carry them."""
    return secrets.token_hex(8)
