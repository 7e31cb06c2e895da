"""What code sees in a model's sentence: the facts it is about, and what is wrong with it."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from programs.fact_listing import listing, short
from programs.facts import Fact
from programs.story import assess, bound_facts, finished, guess_of

START = datetime.fromisoformat("2026-03-11T10:02:11+08:00")
QUESTION = "支付网关从 10:05 开始大量 5xx，为什么？"


def fact(handle: str, kind: str, text: str, minutes: float | None, score: float = 5.0, entity: str = "pay") -> Fact:
    time = None if minutes is None else START + timedelta(minutes=minutes)
    abnormal = kind in ("error_event", "metric_value")
    return Fact(handle, "change_event", text, kind, time, entity, "error", score, (), abnormal)


FACTS = (
    fact("e1", "change_event", "10:02:11 config-center 配置变更：「pool.max-size 64 -> 8」", 0, 7.0, "config-center"),
    fact("e2", "error_event", "pay 出现 ERROR「HikariPool timed out waiting=57」，首次 10:04:07", 2, 8.0),
    fact("e3", "metric_value", "pay 的 http_5xx_percent 在 10:05:30 由约 0.06% 升到约 38.84%", 3.3, 8.0),
)
GOOD = "config-center 把 pool.max-size 从 64 改成 8，导致 HikariPool 取连接超时，进而 http_5xx_percent 升到 38.84%。"


def problems(sentence: str, **counts: int) -> tuple[str, ...]:
    return assess(sentence, QUESTION, FACTS, [], counts.get("conflicts", 0), counts.get("unseen", 0)).problems


def test_a_sentence_is_bound_to_the_facts_it_shares_names_and_numbers_with_in_its_own_order() -> None:
    assert [item.handle for item in bound_facts(GOOD, FACTS, [])] == ["e1", "e2", "e3"]


def test_a_service_name_alone_means_its_strongest_fact_and_only_when_nothing_else_of_it_is_meant() -> None:
    many = (*FACTS, fact("e10", "error_event", "pay 出现 ERROR「disk quota exceeded」", 4, 9.0))
    assert [item.handle for item in bound_facts("pool.max-size 改了，导致 pay 报错。", many, [])] == ["e1", "e10"]
    assert [item.handle for item in bound_facts("pay 的 waiting=57 导致超时。", many, [])] == ["e2"]


def test_a_good_story_has_no_problem() -> None:
    assert problems(GOOD) == ()


@pytest.mark.parametrize(
    ("sentence", "problem"),
    [
        (
            "http_5xx_percent 升到 38.84%，导致 HikariPool 超时 waiting=57，导致 pool.max-size 变成 8。",
            "effect_before_cause",
        ),
        ("HikariPool 超时 waiting=57，导致 HikariPool 超时 waiting=57。", "tautology"),
        ("支付网关大量 5xx，因为 5xx。", "echoes_question"),
        ("config-center 改了配置，导致 HikariPool waiting=57 超时。", "vague_change"),
        (GOOD.rstrip("。") + "，最后 order", "cut_off"),
        ("pool.max-size 从 64 改成 8，导致支付-service HikariPool waiting=57。", "mangled_name"),
        ("HikariPool waiting=57，http_5xx_percent 升到 38.84%。", "no_cause_told"),
    ],
)
def test_what_is_wrong_with_a_story_is_named(sentence: str, problem: str) -> None:
    told = assess(sentence, QUESTION, FACTS, ["e1"] if problem == "vague_change" else [], 0, 0)
    assert problem in told.problems
    assert told.reward < assess(GOOD, QUESTION, FACTS, [], 0, 0).reward


def test_the_questions_own_guess_is_no_cause_unless_a_fact_speaks_of_it() -> None:
    asked = "推荐服务一直重启，是不是流量高峰导致的？"
    told = assess("流量高峰导致 HikariPool waiting=57 超时。", asked, FACTS, [], 0, 0)
    assert guess_of(asked) == "流量高峰" and "question_guess" in told.problems
    assert guess_of("Is it caused by a traffic peak?") == "traffic peak"
    assert guess_of("支付网关从 10:05 开始大量 5xx，为什么？") == ""


def test_a_cause_that_never_reaches_what_is_broken_is_noticed() -> None:
    told = assess(
        "config-center 把 pool.max-size 从 64 改成 8，导致 config-center 重启。", QUESTION, FACTS, ["e1"], 0, 0
    )
    assert "misses_symptom" in told.problems


def test_conflicting_literals_cost_more_than_unseen_ones() -> None:
    assert assess(GOOD, QUESTION, FACTS, [], 1, 0).reward < assess(GOOD, QUESTION, FACTS, [], 0, 1).reward


def test_times_are_taken_out_and_a_cut_clause_is_dropped() -> None:
    assert finished("在 10:02:11 config-center 改了配置，导致 10:04:07 起 pay 报错。")[0] == (
        "config-center 改了配置，导致 pay 报错。"
    )
    text, cut = finished("config-center 把 pool.max-size 从 64 改成 8，导致 pay 出现 ERROR「HikariPool time")
    assert (text, cut) == ("config-center 把 pool.max-size 从 64 改成 8。", True)


def test_the_model_reads_shorter_facts_with_the_direction_said() -> None:
    told = short(FACTS[0].text)
    assert told.endswith("（调小了）") and "64 -> 8" in told
    long = "pay（pay-7d9c6b5f48-2xk9p） 的 pending 在 10:04:00 由约 0 升到约 63，峰值 71（10:08:00），末值 58"
    assert short(long) == "pay 的 pending 在 10:04:00 由约 0 升到约 63"


def test_a_release_that_starts_and_ends_is_listed_once() -> None:
    started = fact("e1", "change_event", "14:10 deploy 发布：「rollout started v2.13.4 -> v2.14.0」", 0, 6, "deploy")
    ended = fact("e9", "change_event", "14:16 deploy 发布：「rollout finished v2.13.4 -> v2.14.0」", 6, 6, "deploy")
    assert [item.text for item in listing((started, ended, FACTS[1]))] == [started.text, FACTS[1].text]
