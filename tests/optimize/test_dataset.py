"""The shipped labelled set, its rows and counts, and the check of a labelled file."""

from __future__ import annotations

import copy
import difflib
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from optimize.data_cli import app
from optimize.dataset import SHIPPED_SPLITS, check_file, claim_rows, load_split, stats
from programs.raw_path import resolve, text_of
from signatures.contracts import CLASSIFICATIONS
from signatures.verdict_case import CaseFileError, VerdictCase

FOLDER = Path(__file__).parents[2] / "data" / "verdicts"
SHARED = Path(__file__).parents[2].parent / "shared" / "data"
run = CliRunner().invoke


@pytest.fixture(scope="module")
def splits() -> dict[str, list[VerdictCase]]:
    return {name: load_split(name) for name in SHIPPED_SPLITS}


def broken_copy(tmp_path: Path, change: Any, line: int = 2) -> Path:
    lines = [json.loads(text) for text in (FOLDER / "train.jsonl").read_text(encoding="utf-8").splitlines()]
    value = copy.deepcopy(lines[line - 1])
    change(value)
    lines[line - 1] = value
    path = tmp_path / "broken.jsonl"
    path.write_text("".join(json.dumps(item, ensure_ascii=False) + "\n" for item in lines), encoding="utf-8")
    return path


# --- the shipped data ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SHIPPED_SPLITS)
def test_shipped_split_has_no_problem(name: str) -> None:
    assert check_file(FOLDER / f"{name}.jsonl") == []


def test_every_excerpt_stands_at_its_path(splits: dict[str, list[VerdictCase]]) -> None:
    for case in (case for cases in splits.values() for case in cases):
        outputs = {item.invocation_id: item.output for item in case.invocations}
        for claim in case.claims:
            assert claim.evidence, claim.claim_id
            for item in claim.evidence:
                assert item.raw_path is not None
                place = f"{case.case_id}/{claim.claim_id} {item.raw_path}"
                assert item.matched_text in text_of(resolve(outputs[item.source_invocation_id], item.raw_path)), place


def test_the_set_is_large_enough_and_its_classes_are_even(splits: dict[str, list[VerdictCase]]) -> None:
    assert sum(len(cases) for cases in splits.values()) >= 24
    assert sum(len(claim_rows(cases)) for cases in splits.values()) >= 100
    for name, cases in splits.items():
        rows = claim_rows(cases)
        counts = Counter(row.label for row in rows)
        mean = len(rows) / len(CLASSIFICATIONS)
        assert set(counts) == set(CLASSIFICATIONS)
        assert all(abs(count - mean) <= 0.15 * mean for count in counts.values()), (name, counts)


def test_language_tool_and_criticality_shares(splits: dict[str, list[VerdictCase]]) -> None:
    rows = [row for cases in splits.values() for row in claim_rows(cases)]
    tools = [{item.tool_name for item in row.evidence} for row in rows]
    assert sum(row.lang == "zh" for row in rows) / len(rows) >= 0.65
    assert sum("query_metrics" in used for used in tools) / len(rows) >= 1 / 3
    assert any("lookup_knowledge" in used for used in tools)
    assert sum(len(row.evidence) > 1 for row in rows) / len(rows) >= 0.25
    assert 0.6 <= sum(row.is_critical for row in rows) / len(rows) <= 0.8
    assert all(row.why for row in rows)
    assert all((row.lang == "zh") == bool(re.search("[一-鿿]", row.claim)) for row in rows)


def test_no_family_stands_in_two_splits(splits: dict[str, list[VerdictCase]]) -> None:
    train, dev = ({case.case_id for case in splits[name]} for name in SHIPPED_SPLITS)
    assert not train & dev


def test_no_claim_of_one_split_is_nearly_a_claim_of_the_other(splits: dict[str, list[VerdictCase]]) -> None:
    train, dev = (claim_rows(splits[name]) for name in SHIPPED_SPLITS)
    for mine in train:
        matcher = difflib.SequenceMatcher(b=mine.claim)
        for other in dev:
            matcher.set_seq1(other.claim)
            assert matcher.quick_ratio() < 0.8 or matcher.ratio() < 0.8, (mine.row_id, other.row_id)


def test_the_wording_alone_does_not_give_the_class_away(splits: dict[str, list[VerdictCase]]) -> None:
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.naive_bayes import MultinomialNB

    train, dev = (claim_rows(splits[name]) for name in SHIPPED_SPLITS)
    ngrams = CountVectorizer(analyzer="char", ngram_range=(2, 4))
    model = MultinomialNB().fit(ngrams.fit_transform([row.claim for row in train]), [row.label for row in train])
    guessed = model.predict(ngrams.transform([row.claim for row in dev]))
    right = sum(guess == row.label for guess, row in zip(guessed, dev, strict=True))
    assert right / len(dev) <= 0.30


def test_the_card_tells_the_true_counts(splits: dict[str, list[VerdictCase]]) -> None:
    card = (FOLDER / "README.md").read_text(encoding="utf-8")
    told = {key: (int(train), int(dev)) for key, train, dev in re.findall(r"\| (\w+) \| (\d+) \| (\d+) \|", card)}
    found = [stats(splits[name]) for name in SHIPPED_SPLITS]
    flat = [
        item["labels"]
        | item["langs"]
        | item["difficulties"]
        | item["tools"]
        | {key: item[key] for key in ("cases", "claims", "critical", "multi_excerpt")}
        for item in found
    ]
    assert told == {key: (flat[0][key], flat[1][key]) for key in flat[0]}


# --- rows ---------------------------------------------------------------------------------------------------------


def test_a_row_carries_its_own_excerpts_and_family(splits: dict[str, list[VerdictCase]]) -> None:
    row = claim_rows(splits["train"])[0]
    assert (row.row_id, row.family, row.label, row.lang) == (
        "pg-wal-slot/c1",
        "pg-wal-slot",
        "direct_observation",
        "zh",
    )
    assert [(item.tool_name, item.raw_path, item.claim_id) for item in row.evidence] == [
        ("query_metrics", "$.series[0]", "c1")
    ]
    assert "65498251264" in row.evidence[0].matched_text
    assert row.query.startswith("订单库主库")


def test_row_ids_are_unique(splits: dict[str, list[VerdictCase]]) -> None:
    ids = [row.row_id for cases in splits.values() for row in claim_rows(cases)]
    assert len(ids) == len(set(ids))


def test_a_split_that_is_neither_shipped_nor_a_file_is_named() -> None:
    with pytest.raises(CaseFileError, match=r"nosuch: no such file, and not a shipped split \(train, dev\)"):
        load_split("nosuch")


def test_the_shared_evaluation_file_has_the_same_format() -> None:
    path = SHARED / "claims-dev.jsonl"
    if not path.exists():
        pytest.skip("the evaluation file beside the repository is not here")
    assert check_file(path) == []
    assert len(claim_rows(load_split(path))) == 80


# --- check --------------------------------------------------------------------------------------------------------


def test_check_names_every_fault_in_line_order(tmp_path: Path) -> None:
    path = broken_copy(tmp_path, lambda case: case["claims"][2].update(label="suported"))
    with path.open("a", encoding="utf-8") as file:
        file.write("{\n")
    problems = check_file(path)
    assert [(item.line, item.field) for item in problems] == [(2, "claims[2].label"), (17, "")]
    assert "'suported'" in problems[0].reason


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("matched_text", "磁盘水位告警", "which is not in the value at $.logs[0]"),
        ("matched_text", " ", "is blank"),
        ("raw_path", "$.logs[99]", "no element [99]"),
        ("raw_path", "$.logs[*]", "$.logs[*]"),
        ("raw_path", None, "is missing"),
        ("source_invocation_id", "inv-9", "no invocation of this case (inv-1, inv-2)"),
        ("tool_name", "query_metrics", "inv-1 is a query_logs call"),
    ],
)
def test_check_names_a_pointer_that_does_not_hold(tmp_path: Path, key: str, value: object, reason: str) -> None:
    path = broken_copy(tmp_path, lambda case: case["claims"][1]["evidence"][0].update({key: value}))
    [problem] = check_file(path)
    assert (problem.line, problem.field) == (2, f"claims[1].evidence[0].{key}")
    assert reason in problem.reason


def test_check_names_a_claim_without_excerpts(tmp_path: Path) -> None:
    [problem] = check_file(broken_copy(tmp_path, lambda case: case["claims"][3].update(evidence=[])))
    assert (problem.line, problem.field) == (2, "claims[3].evidence")


# --- the command --------------------------------------------------------------------------------------------------


def test_check_command_fails_with_line_field_and_reason(tmp_path: Path) -> None:
    path = broken_copy(tmp_path, lambda case: case["claims"][0].pop("claim_text"), line=5)
    plain = run(app, ["check", str(path)])
    assert plain.exit_code == 1
    assert f"{path} line 5: claims[0].claim_text is missing" in plain.output
    told = run(app, ["check", str(path), "--json"])
    assert told.exit_code == 1
    assert json.loads(told.stdout)["problems"] == [{"line": 5, "field": "claims[0].claim_text", "reason": "is missing"}]


def test_check_command_passes_a_good_file() -> None:
    result = run(app, ["check", str(FOLDER / "dev.jsonl"), "--json"])
    assert result.exit_code == 0
    assert json.loads(result.stdout)["ok"] is True


def test_check_command_names_a_file_that_is_not_there(tmp_path: Path) -> None:
    result = run(app, ["check", str(tmp_path / "none.jsonl")])
    assert result.exit_code == 1
    assert "none.jsonl: cannot be read" in result.output


def test_stats_command_counts_a_split_and_refuses_an_unknown_one() -> None:
    told = run(app, ["stats", "train", "--json"])
    assert told.exit_code == 0
    assert json.loads(told.stdout)["claims"] == 64
    assert "direct_observation" in run(app, ["stats", "dev"]).stdout
    refused = run(app, ["stats", "trian"])
    assert refused.exit_code == 1
    assert "not a shipped split (train, dev)" in refused.output


def test_the_command_loads_nothing_heavy() -> None:
    code = "import sys, optimize.data_cli; print({'pydantic', 'dspy', 'sklearn', 'programs'} & set(sys.modules))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert result.stdout.strip() == "set()"
