"""Literal grounding: every number, time, name and state of a claim looked up in the claim's own excerpts.

No model takes part, so what it says can be trusted blindly: the same claim and excerpts give the same findings. It is
precise before it is broad. ``conflicting`` means that the same quantity, name or state stands in the excerpts with
another value and nowhere with this one; when in doubt a literal is ``unseen``. # G12
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from programs.literals.claims import MAX_CHARACTERS, ClaimText, Figure, read_claim
from programs.literals.excerpts import Excerpts, excerpts_of, in_path_order
from programs.literals.flags import flags_in, look_up_flag
from programs.literals.identifiers import Name
from programs.literals.match_names import contradicted_name, look_up_name
from programs.literals.match_numbers import look_up_number
from programs.literals.match_states import look_up_state
from programs.literals.match_times import contradicted_time, look_up_time
from programs.literals.order import order, transfer
from programs.literals.outcome import Outcome, Scope
from programs.literals.pairing import mispaired_with_entity, mispaired_with_time
from programs.literals.quantity import Quantity
from programs.literals.setting import swapped_changes, wrong_directions
from programs.literals.states import states_in
from programs.literals.trend import direction
from signatures.contracts import LiteralFinding, VerifiedEvidence

_ENTITIES = frozenset({"ip", "host", "service", "code"})
_DIMENSION_KIND = {
    "percent": "percent",
    "time": "duration",
    "bytes": "bytes",
    "byterate": "bytes",
    "cpu": "cpu",
    "count": "count",
}
_SHOWN = 160


@dataclass(frozen=True, slots=True)
class ClaimLiteral:
    """One literal of a text. ``start`` and ``end`` are offsets into it; ``kind`` as in ``LiteralFinding``."""

    text: str
    kind: str
    start: int
    end: int
    critical: bool


def literals(text: str) -> tuple[ClaimLiteral, ...]:
    """Every literal of a claim or fact in order of appearance, without looking anything up."""
    claim = read_claim(text)
    found = [(n.start, n.end, n.kind, n.critical) for n in (*claim.names, *claim.quotes)]
    found += [(w.moment.start, w.moment.end, "time", True) for w in claim.whens]
    found += [(f.quantity.start, f.quantity.end, _kind(f.quantity), _is_critical(f)) for f in claim.figures]
    out = []
    for s, e, kind, critical in sorted(found):
        start, end = claim.span_as_written(s, e)
        out.append(ClaimLiteral(text[start:end], kind, start, end, critical))
    return tuple(out)


def ground(claim_text: str, evidence: Sequence[VerifiedEvidence]) -> tuple[LiteralFinding, ...]:
    """Look every literal of the claim up in its own excerpts, in order of appearance.

    Pure and deterministic. ``place`` is ``invocation_id raw_path`` of the excerpt that decided.
    """
    claim = read_claim(claim_text)
    shown = in_path_order(evidence)
    excerpts = excerpts_of(shown)
    names = _names(claim, excerpts)
    scopes = _scopes(claim, names)
    times = {when: look_up_time(when, excerpts) for when in claim.whens}
    figures = {f: look_up_number(claim, f, excerpts, scopes.get(f.clause, scopes[-1])) for f in claim.figures}
    for when, outcome in times.items():
        if outcome.status == "unseen":
            times[when] = contradicted_time(claim, when, excerpts, _anchored(when.clause, claim, names, figures))
    figures = mispaired_with_time(claim, figures, times, excerpts)
    figures, times = mispaired_with_entity(claim, names, figures, times, excerpts)

    said = [(n.start, n.end, n.kind, o, n.critical) for n, o in names.items()]
    said += [(w.moment.start, w.moment.end, "time", o, True) for w, o in times.items()]
    said += [(f.quantity.start, f.quantity.end, _kind(f.quantity), o, _weighs(f, o)) for f, o in figures.items()]
    states = [(start, end, "state", o) for start, end, o in _states(claim, excerpts, scopes)]
    ways = (direction(claim.text, excerpts), order(claim, names, figures, times, excerpts), transfer(claim, names))
    orders = [(way[0], way[1], "order", way[2]) for way in ways if way]
    said += [(start, end, kind, o, o.status == "conflicting") for start, end, kind, o in states + orders]

    findings = [(start, _finding(claim, start, end, kind, o, critical)) for start, end, kind, o, critical in said]
    if claim.unread >= 0:
        findings.append((claim.unread, _unread(claim)))
    findings.sort(key=lambda pair: pair[0])
    settings = (*wrong_directions(claim_text, shown), *swapped_changes(claim_text, shown))
    return tuple(dict.fromkeys((*(finding for _, finding in findings), *settings)))


def _names(claim: ClaimText, excerpts: Excerpts) -> dict[Name, Outcome]:
    names = {name: look_up_name(name, excerpts) for name in (*claim.names, *claim.quotes)}
    held = frozenset(r for n, o in names.items() if o.status == "found" and n.critical for r in o.records)
    for name, outcome in names.items():
        if outcome.status == "unseen":
            names[name] = contradicted_name(claim, name, excerpts, held)
    return names


def _states(claim: ClaimText, excerpts: Excerpts, scopes: dict[int, Scope]) -> list[tuple[int, int, Outcome]]:
    """(start, end, outcome) of every switch and state that the excerpts show; a switch is told no second time."""

    def scope(at: int) -> Scope:
        return scopes.get(claim.clause_of(at), scopes[-1])

    said = [(s, e, look_up_flag(key, on, excerpts, scope(s))) for s, e, key, on in flags_in(claim)]
    switches = {start for start, _, outcome in said if outcome.status != "unseen"}
    states = [state for state in states_in(claim.text) if state.start not in switches]
    said += [(s.start, s.end, look_up_state(claim, s, excerpts, scope(s.start))) for s in states]
    return [item for item in said if item[2].status != "unseen"]


def _scopes(claim: ClaimText, names: dict[Name, Outcome]) -> dict[int, Scope]:
    """Per clause, the records of the entities it names; a clause without one inherits the claim's (key -1)."""
    by_clause: dict[int, list[tuple[Name, Outcome]]] = {}
    for name, outcome in names.items():
        if name.kind in _ENTITIES and name.critical:
            by_clause.setdefault(claim.clause_of(name.start), []).append((name, outcome))
            by_clause.setdefault(-1, []).append((name, outcome))
    scopes = {clause: _scope(items) for clause, items in by_clause.items()}
    scopes.setdefault(-1, Scope())
    return scopes


def _scope(items: list[tuple[Name, Outcome]]) -> Scope:
    records = frozenset(record for _, outcome in items for record in outcome.records)
    missing = any(o.status != "found" for n, o in items if n.kind in ("host", "service", "ip"))
    return Scope(records, bool(records), missing)


def _anchored(
    clause: int, claim: ClaimText, names: dict[Name, Outcome], figures: dict[Figure, Outcome]
) -> frozenset[str]:
    """Records that hold every found strong literal of a clause."""
    sets = [o.records for n, o in names.items() if o.status == "found" and claim.clause_of(n.start) == clause]
    sets += [o.records for f, o in figures.items() if o.status == "found" and f.clause == clause and f.quantity.values]
    sets = [records for records in sets if records]
    return frozenset.intersection(*sets) if sets else frozenset()


def _kind(quantity: Quantity) -> str:
    if not quantity.values:
        return "number"
    if quantity.unit == "m" and quantity.raw >= 60:
        return "cpu"  # 950m: millicores, nobody writes 950 minutes so
    return _DIMENSION_KIND.get(quantity.values[0][0], "number")


def _is_critical(figure: Figure) -> bool:
    """Numbers with a unit and telling bare numbers; small cardinals, ordinals and relative expressions are not."""
    quantity = figure.quantity
    if figure.cue.vague or quantity.is_factor:
        return False
    if quantity.values and not quantity.is_count:
        return True
    return not quantity.is_whole or abs(quantity.raw) >= 10


def _weighs(figure: Figure, outcome: Outcome) -> bool:
    """Whether the finding of a number is critical: a derived one need not stand in the excerpts."""
    if outcome.status == "unseen" and figure.cue.derived:
        return False
    return outcome.status == "conflicting" or _is_critical(figure)


def _unread(claim: ClaimText) -> LiteralFinding:
    """The beginning of what was not read."""
    at = MAX_CHARACTERS if claim.unread >= len(claim.text) else claim.span_as_written(claim.unread, len(claim.text))[0]
    text = claim.original[at : at + _SHOWN]
    detail = "too long or too many literals: not looked up from here on"
    return LiteralFinding(text=text, kind="quoted", status="unseen", detail=detail)


def _finding(claim: ClaimText, start: int, end: int, kind: str, outcome: Outcome, critical: bool) -> LiteralFinding:
    cell = outcome.cell
    return LiteralFinding(
        text=claim.original[slice(*claim.span_as_written(start, end))],
        kind=kind,
        status=outcome.status,
        critical=critical,
        place=cell.place if cell else None,
        evidence_text=cell.text[:_SHOWN] if cell else None,
        detail=outcome.detail,
    )
