"""Compiling with a scripted model: which demos win, what is refused, what a stop keeps."""

from pathlib import Path
from typing import Any

import pytest

from optimize import compilers
from optimize.checks import CompileError, check_labels, check_name
from optimize.compilers import Job, build, compile_program
from optimize.dataset import claim_rows, load_split
from optimize.demos import demo_order
from optimize.evaluate import AnswerStore, PreparedRow, evaluate, prepare
from optimize.manifest import content_hash, program_state
from signatures.contracts import CLASSIFICATIONS


@pytest.fixture
def rows(train_file: Path) -> tuple[PreparedRow, ...]:
    return prepare(claim_rows(load_split(train_file)))


@pytest.fixture
def store(tmp_path: Path) -> AnswerStore:
    return AnswerStore(tmp_path / "answers.sqlite3")


def demos_of(program: Any) -> list[dict[str, Any]]:
    return [dict(demo) for predictor in program.predictors() for demo in predictor.demos]


# --- refusals -------------------------------------------------------------------------------------------------------


def test_a_misspelt_optimizer_names_the_near_one_and_compiles_nothing() -> None:
    with pytest.raises(CompileError, match=r"unknown optimizer 'bootstarp': did you mean 'bootstrap'\?.*Nothing was"):
        check_name("optimizer", "bootstarp", compilers.OPTIMIZERS)


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ([], "has no rows"),
        ([None, None, None], r"3 of 3 rows without a label \(\(none\) 3\)"),
        (["contradicted", None], r"1 of 2 rows without a label \(contradicted 1, \(none\) 1\)"),
        (["contradicted"], r"1 row, at least 2 are needed \(contradicted 1\)"),
        (["contradicted"] * 3, r"rows of one class only \(contradicted 3\)"),
    ],
)
def test_a_set_that_teaches_nothing_is_refused_with_its_counts(labels: list[str | None], said: str) -> None:
    with pytest.raises(CompileError, match=said):
        check_labels("train", labels)


def test_too_many_demos_are_refused(rows: tuple[PreparedRow, ...], lms: Any) -> None:
    with pytest.raises(CompileError, match=r"max-demos is 7, expected 1\.\.6"):
        compile_program(build("verifier"), rows, Job("verifier", "labeled", max_demos=7), lms)


# --- demos ----------------------------------------------------------------------------------------------------------


def test_demos_take_each_class_in_turn_and_prefer_short_rows(rows: tuple[PreparedRow, ...]) -> None:
    long = [
        PreparedRow(item.row, {**item.inputs, "excerpts": item.inputs["excerpts"] + "x" * 5000}, item.findings)
        for item in rows[:6]
    ]
    ordered = demo_order([*long, *rows[6:]])
    assert [item.row.label for item in ordered] == list(CLASSIFICATIONS)
    assert {item.row.family for item in ordered} == {"bravo-case"}


def test_a_class_with_long_rows_only_keeps_one(rows: tuple[PreparedRow, ...]) -> None:
    ordered = demo_order(rows, limit=1)
    assert [item.row.label for item in ordered] == list(CLASSIFICATIONS)


def test_the_seed_decides_among_rows_of_like_length(rows: tuple[PreparedRow, ...]) -> None:
    orders = {tuple(item.row.row_id for item in demo_order(rows, seed=seed)) for seed in range(8)}
    assert len(orders) > 1
    assert demo_order(rows, seed=3) == demo_order(rows, seed=3)


def test_labeled_shows_one_demo_a_class_and_asks_no_model(rows: tuple[PreparedRow, ...], lms: Any) -> None:
    compiled = compile_program(build("verifier"), rows, Job("verifier", "labeled"), lms)
    assert [demo["classification"] for demo in demos_of(compiled.program)] == list(CLASSIFICATIONS)
    assert (compiled.calls, lms.decide.asked, compiled.status) == (0, 0, "complete")
    assert len(set(compiled.demos)) == 6
    assert "?" not in compiled.demos


def test_bootstrap_keeps_only_what_the_model_got_right_and_fills_the_other_classes_with_labels(
    rows: tuple[PreparedRow, ...], scripted: Any
) -> None:
    def weak(state: dict[str, Any]) -> str:
        label = str(scripted.label_of(state["inputs"]["claim"]))
        return "unsupported" if label in ("contradicted", "overstated") else label

    lms = scripted.lms(weak, "scripted/weak")
    compiled = compile_program(build("verifier"), rows, Job("verifier", "bootstrap"), lms)
    demos = demos_of(compiled.program)
    assert sorted(demo["classification"] for demo in demos) == sorted(CLASSIFICATIONS)
    by_label = {demo["classification"]: bool(demo.get("augmented")) for demo in demos}
    assert [name for name, augmented in by_label.items() if not augmented] == ["overstated", "contradicted"]
    assert all(scripted.label_of(demo["claim"]) == demo["classification"] for demo in demos)
    assert all(demo["supported"] == (demo["classification"] in CLASSIFICATIONS[:2]) for demo in demos)


def test_rows_the_model_fails_on_are_reported_by_name(rows: tuple[PreparedRow, ...], scripted: Any) -> None:
    def fails(state: dict[str, Any]) -> str:
        if "的网卡" in state["inputs"]["claim"]:
            raise RuntimeError("server went away")
        return str(scripted.label_of(state["inputs"]["claim"]))

    compiled = compile_program(
        build("verifier"), rows, Job("verifier", "bootstrap"), scripted.lms(fails, "scripted/fails-on-two")
    )
    assert sorted(compiled.errors) == [
        "alpha-case/c3: RuntimeError: server went away",
        "bravo-case/c3: RuntimeError: server went away",
    ]
    unsupported = [demo for demo in demos_of(compiled.program) if demo["classification"] == "unsupported"]
    assert [bool(demo.get("augmented")) for demo in unsupported] == [False]


def test_the_saved_state_has_every_predictor_although_dspy_freezes_compiled_modules(
    rows: tuple[PreparedRow, ...], lms: Any
) -> None:
    import dspy

    compiled = compile_program(build("verifier"), rows, Job("verifier", "labeled"), lms)
    frozen = compiled.program
    frozen._compiled = True

    class Outer(dspy.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.inner = frozen

    outer = Outer()
    assert outer.named_predictors() == []
    compilers.thaw(outer)
    assert list(program_state(outer)) == [f"inner.{name}" for name in program_state(build("verifier"))]


# --- reanchor -------------------------------------------------------------------------------------------------------


def test_reanchor_fits_weights_and_asks_each_row_only_once(
    rows: tuple[PreparedRow, ...], store: AnswerStore, scripted: Any
) -> None:
    lms = scripted.lms(scripted.leans_to_direct, "scripted/leans")
    student = build("verifier")
    before = content_hash(student)
    compiled = compile_program(student, rows, Job("verifier", "reanchor"), lms)
    assert lms.decide.asked == len(rows)
    assert content_hash(student) == before
    assert content_hash(compiled.program) != before
    found = evaluate(compiled.program, rows, lms, store=store).outcomes
    assert [outcome.model_classification for outcome in found] == [outcome.label for outcome in found]
    assert compiled.report["train_score"] > compiled.report["train_score_before"]


def test_reanchor_that_finds_nothing_says_so_instead_of_saving_a_copy(
    rows: tuple[PreparedRow, ...], scripted: Any
) -> None:
    lms = scripted.lms(lambda state: scripted.label_of(state["inputs"]["claim"]), "scripted/perfect")
    with pytest.raises(CompileError, match="no threshold or weight that holds across folds"):
        compile_program(build("verifier"), rows, Job("verifier", "reanchor"), lms)


def test_reanchor_names_the_row_that_fails(rows: tuple[PreparedRow, ...], scripted: Any) -> None:
    def fails(state: dict[str, Any]) -> str:
        if state["inputs"]["claim"].startswith("bravo 的网卡"):
            raise RuntimeError("out of memory")
        return "unsupported"

    lms = scripted.lms(fails, "scripted/fails")
    with pytest.raises(CompileError, match=r"1 of 12 rows failed \(bravo-case/c3: RuntimeError: out of memory\)"):
        compile_program(build("verifier"), rows, Job("verifier", "reanchor"), lms)


# --- stops ----------------------------------------------------------------------------------------------------------


def test_a_stopped_bootstrap_keeps_the_demos_found_so_far(rows: tuple[PreparedRow, ...], scripted: Any) -> None:
    lms = scripted.lms(scripted.interrupted_at(3), "scripted/stopped")
    compiled = compile_program(build("verifier"), rows, Job("verifier", "bootstrap"), lms)
    assert compiled.status == "stopped"
    assert sum(bool(demo.get("augmented")) for demo in demos_of(compiled.program)) == 2


def test_a_bootstrap_stopped_before_the_first_demo_keeps_nothing(rows: tuple[PreparedRow, ...], scripted: Any) -> None:
    lms = scripted.lms(scripted.interrupted_at(1), "scripted/stopped-at-once")
    with pytest.raises(KeyboardInterrupt):
        compile_program(build("verifier"), rows, Job("verifier", "bootstrap"), lms)


# --- evaluation -----------------------------------------------------------------------------------------------------


def test_a_repeated_evaluation_pays_for_nothing_and_gives_the_same(
    rows: tuple[PreparedRow, ...], lms: Any, store: AnswerStore
) -> None:
    first = evaluate(build("verifier"), rows, lms, store=store, threads=3)
    again = evaluate(build("verifier"), rows, lms, store=store)
    assert (first.calls, first.reused, again.calls, again.reused) == (12, 0, 0, 12)
    assert again.outcomes == first.outcomes
    assert lms.decide.asked == 12


def test_a_failing_row_stays_as_an_error_and_is_asked_again_next_time(
    rows: tuple[PreparedRow, ...], store: AnswerStore, scripted: Any
) -> None:
    broken = True

    def script(state: dict[str, Any]) -> str:
        if broken and state["inputs"]["claim"].startswith("alpha 的网卡"):
            raise TimeoutError("60 s")
        return "unsupported"

    lms = scripted.lms(script, "scripted/flaky")
    first = evaluate(build("verifier"), rows, lms, store=store)
    assert [(o.row_id, o.error) for o in first.outcomes if o.error] == [("alpha-case/c3", "TimeoutError: 60 s")]
    assert len(first.outcomes) == 12
    broken = False
    again = evaluate(build("verifier"), rows, lms, store=store)
    assert (again.calls, again.reused) == (1, 11)
    assert not any(outcome.error for outcome in again.outcomes)


def test_an_interrupted_evaluation_goes_on_where_it_stopped(
    rows: tuple[PreparedRow, ...], store: AnswerStore, scripted: Any
) -> None:
    lms = scripted.lms(scripted.interrupted_at(5), "scripted/evaluation-stopped")
    with pytest.raises(KeyboardInterrupt):
        evaluate(build("verifier"), rows, lms, store=store)
    again = evaluate(build("verifier"), rows, lms, store=store)
    assert again.reused >= 4
    assert len(again.outcomes) == 12
