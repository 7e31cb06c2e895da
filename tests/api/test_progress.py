"""Run events as the lines of the live progress and of ``--trace``."""

from api.progress import event_line, trace_line
from signatures.contracts import RunEvent


def event(kind: str, **data: object) -> RunEvent:
    return RunEvent(seq=3, at="2026-01-01T10:00:00+08:00", node="verify", kind=kind, message="断言成立", data=data)


def test_finished_step_shows_its_seconds() -> None:
    assert event_line(event("node_finished", seconds=2.04)) == "核查  ✓ 断言成立（2.0 s）"


def test_a_judged_claim_shows_its_class_and_how_it_was_judged() -> None:
    by_model = event("claim_checked", classification="contradicted", basis="model", seconds=3.14)
    assert event_line(by_model) == "核查  与证据矛盾（模型判断 3.1 s）：断言成立"
    rendered = event("claim_checked", classification="direct_observation", basis="rendered", seconds=0.0)
    assert event_line(rendered) == "核查  直接证实（按原始记录重写核对）：断言成立"
    assert event_line(event("claim_checked", seconds="soon")) == "核查  ?（模型判断）：断言成立"


def test_end_of_the_run_adds_no_line() -> None:
    assert event_line(event("run_finished")) is None


def test_trace_shows_the_data_cut_to_a_readable_size() -> None:
    assert trace_line(event("note", a=float("nan"))).endswith('断言成立 {"a": "NaN"}')
    assert len(trace_line(event("note", a="x" * 5_000))) < 800
