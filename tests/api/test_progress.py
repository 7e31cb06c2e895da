"""Run events as the lines of the live progress and of ``--trace``."""

from api.progress import event_line, trace_line
from signatures.contracts import RunEvent


def event(kind: str, **data: object) -> RunEvent:
    return RunEvent(seq=3, at="2026-01-01T10:00:00+08:00", node="verify", kind=kind, message="断言成立", data=data)


def test_finished_step_shows_its_seconds() -> None:
    assert event_line(event("node_finished", seconds=2.04)) == "核查  ✓ 断言成立（2.0 s）"
    assert event_line(event("claim_checked", seconds="soon")) == "核查  断言成立"


def test_end_of_the_run_adds_no_line() -> None:
    assert event_line(event("run_finished")) is None


def test_trace_shows_the_data_cut_to_a_readable_size() -> None:
    assert trace_line(event("note", a=float("nan"))).endswith('断言成立 {"a": "NaN"}')
    assert len(trace_line(event("note", a="x" * 5_000))) < 800
