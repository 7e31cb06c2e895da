"""Names of a claim looked up in its excerpts: whole tokens, and near misses that contradict."""

from __future__ import annotations

import re

from programs.literals.cells import Cell
from programs.literals.claims import ClaimText
from programs.literals.concepts import concepts, core
from programs.literals.excerpts import Excerpts
from programs.literals.identifiers import Name, near_miss, whole
from programs.literals.names import ALIASES
from programs.literals.outcome import UNSEEN, Outcome
from programs.literals.text import negated

_HTTP_SEEN = re.compile(
    r"(?:\bhttp(?:/\d(?:\.\d)?)?\"?[\s:=]+|\b(?:status|status_code|statuscode|code|http_status|returned|返回)\"?[\s:=]+(?:http\s)?|\"\s)([1-5]\d\d)(?![\w.%])"
    r"|(?<![\w.])([45]\d\d)\s(?:service|bad|gateway|not found|internal|too many|forbidden|unauthor|request time)"
)
_ERROR_SEEN = re.compile(r"\berror\s(\d{3,5})(?=\s*[(:])")
_PORT_NAMED = re.compile(r"(?:\bport|_port|端口)[\"']?[\s:=]{0,3}[\"']?(?:号|is|为|是)?\s?(\d{1,5})(?![\w.:])")
_PORT_SEEN = re.compile(rf"(?<=[\w\]]):(\d{{1,5}})(?![\w:]|\.\d)|{_PORT_NAMED.pattern}|(?<=\s):(\d{{1,5}})(?![\w:.])")
_CODE_KEYS = re.compile(r"exit|code|errno|error$|\brc\b|sqlstate|status", re.I)
_VERSION = re.compile(r"v?\d+(?:\.\d+)+$")
_PREFIXED = re.compile(r"([a-z]{2,}[-_]?)\d+$")
_LONG = 12


def _records(cells: list[Cell]) -> frozenset[str]:
    return frozenset(cell.record for cell in cells)


def look_up_name(name: Name, excerpts: Excerpts) -> Outcome:
    """Found as a whole token, or unseen; contradictions are a second step because they need the other names."""
    if name.kind == "port":
        return _port(name, excerpts)
    hits = [cell for cell in excerpts.cells if name.needle in cell.low and whole(name.needle, cell.low) >= 0]
    if hits:
        return Outcome("found", hits[0], records=_records(hits))
    if name.kind == "code" and _VERSION.match(name.needle):
        prefix = re.compile(rf"(?<![\w.])v?{re.escape(name.needle.lstrip('v'))}(?![\d])")
        hits = [cell for cell in excerpts.cells if prefix.search(cell.low)]
        if hits:
            return Outcome("found", hits[0], records=_records(hits))
    for alias in ALIASES.get(name.needle, ()):
        hits = [cell for cell in excerpts.cells if whole(alias, cell.low) >= 0]
        if hits:
            return Outcome("found", hits[0], detail=f"as {alias}", records=_records(hits))
    if name.kind == "quoted":
        hits = [cell for cell in excerpts.cells if name.needle in " ".join(cell.low.split())]
        if hits and len(name.needle) >= 6:
            return Outcome("found", hits[0], records=_records(hits))
    return UNSEEN


def _port(name: Name, excerpts: Excerpts) -> Outcome:
    """Found behind a colon or the word port, or as the value of a port field: 8080 ms is no port."""
    hits = [
        cell
        for cell in excerpts.cells
        if name.needle in cell.low
        and (
            ("port" in cell.field.lower() and cell.low == name.needle)
            or any(name.needle in found.groups() for found in _PORT_SEEN.finditer(cell.low))
        )
    ]
    return Outcome("found", hits[0], records=_records(hits)) if hits else UNSEEN


def _shown(pattern: re.Pattern[str], excerpts: Excerpts) -> dict[str, Cell]:
    """What the pattern's groups show, each with the first cell that has it."""
    out: dict[str, Cell] = {}
    for cell in excerpts.cells:
        for match in pattern.finditer(cell.low):
            out.setdefault(next(filter(None, match.groups())), cell)
    return out


def _codes(name: Name, excerpts: Excerpts) -> dict[str, Cell]:
    """The codes of that kind in the excerpts: ports; else HTTP statuses, error numbers or fields of codes."""
    if name.kind == "port":
        return _shown(_PORT_NAMED, excerpts)
    is_status = len(name.needle) == 3 and name.needle[0] in "12345"
    fields = [
        (number.quantity.text, number.cell)
        for number in excerpts.numbers
        if not number.quantity.unit and _CODE_KEYS.search(number.key)
    ]
    return (is_status and _shown(_HTTP_SEEN, excerpts)) or _shown(_ERROR_SEEN, excerpts) or dict(reversed(fields))


def _differs(claim: ClaimText, name: Name, excerpts: Excerpts) -> tuple[str, Cell] | None:
    """The one other code of the same kind that the excerpts show."""
    others = {code: cell for code, cell in _codes(name, excerpts).items() if code != name.needle}
    mentioned = any(other.needle in others for other in claim.names)
    return next(iter(others.items())) if len(others) == 1 and not mentioned else None


def _surroundings(claim: ClaimText, name: Name, cell: Cell, excerpts: Excerpts, found: frozenset[str]) -> bool:
    """Whether the record of a near miss speaks of what the claim's clause speaks of."""
    if cell.record in found:
        return True
    about = core(concepts(claim.clause_text(claim.clause_of(name.start)))) or core(concepts(claim.text))
    text = " ".join(item.text for item in excerpts.records[cell.record])
    return bool(about & core(concepts(text)))


def contradicted_name(claim: ClaimText, name: Name, excerpts: Excerpts, found: frozenset[str]) -> Outcome:
    """Conflicting when the excerpts show another code of that kind or a near miss in matching surroundings.

    ``found``: records that hold the claim's other names.
    """
    if name.kind == "quoted" or negated(claim.text, name.start):
        return UNSEEN
    if name.needle.lstrip("-").isdigit():  # HTTP status, exit code, errno
        other = _differs(claim, name, excerpts)
        if other and (not found or other[1].record in found):
            return Outcome("conflicting", other[1], detail=f"the excerpts show code {other[0]}")
        return UNSEEN
    if name.kind == "code" and _VERSION.match(name.needle):
        return _other_version(claim, name, excerpts)
    if name.kind == "service" and not any(char.isdigit() for char in name.needle):
        return UNSEEN
    mine = {item.needle for item in claim.names}
    near: dict[str, Cell] = {}
    for word, cell in excerpts.words_like(name.needle):
        if word not in mine and _alike(name, word):
            near[word] = cell
    if not near:
        return UNSEEN
    long = [word for word in near if len(word) >= _LONG and len(name.needle) >= _LONG]
    word = long[0] if long else next(iter(near)) if len(near) == 1 else ""
    prefixed = word and name.kind == "code" and _PREFIXED.match(word)
    if word and (prefixed or word in long or _surroundings(claim, name, near[word], excerpts, found)):
        return Outcome("conflicting", near[word], detail=f"the excerpts show {word}")
    return UNSEEN


def _other_version(claim: ClaimText, name: Name, excerpts: Excerpts) -> Outcome:
    """nginx 1.18 against nginx/1.20.1: another version right behind a name that the claim's clause has."""
    start, end = claim.spans[claim.clause_of(name.start)]
    bare = name.needle.lstrip("v")
    for other in claim.names:
        if other is name or not start <= other.start < end:
            continue
        behind = re.compile(rf"(?<![\w-]){re.escape(other.needle)}[\s/:@-]*(?:version\s*)?v?(\d+(?:\.\d+)+)")
        for cell in excerpts.cells:
            seen = behind.search(cell.low)
            if seen and not f"{seen[1]}.".startswith(f"{bare}."):
                return Outcome("conflicting", cell, detail=f"the excerpts show {other.text} {seen[1]}")
    return UNSEEN


def _alike(name: Name, word: str) -> bool:
    needle = name.needle
    if name.kind == "code":
        prefixed, other = _PREFIXED.match(needle), _PREFIXED.match(word)
        if prefixed and other:  # ORA-01652, ORA-01555
            return prefixed[1] == other[1]
    if needle.count(":") == 1 and needle.partition(":")[0] == word.partition(":")[0]:
        return ":" in word  # the same address with another port
    return near_miss(needle, word)
