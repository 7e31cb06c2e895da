"""A raised setting told as lowered, or the other way round, is a conflict although every number is right."""

import pytest

from programs.grounding import ground
from programs.literals.setting import direction_of
from signatures.contracts import VerifiedEvidence

LOWERED = "config published payment-gateway-prod.yaml: datasource.pool.maximum-pool-size 64 -> 8"


def conflicts(claim: str, *texts: str) -> list[str]:
    evidence = [
        VerifiedEvidence(
            binding_id=f"b{number}",
            run_id="r",
            claim_id="c",
            source_invocation_id="inv_1",
            tool_name="query_logs",
            raw_path=f"$.logs[{number}].message",
            matched_text=text,
        )
        for number, text in enumerate(texts)
    ]
    return [item.text for item in ground(claim, evidence) if item.status == "conflicting" and item.kind == "state"]


@pytest.mark.parametrize(
    "claim",
    [
        "配置变更增加了 payment-gateway 的最大连接数，导致请求排队。",
        "连接池上限被调大了。",
        "The config change raised the pool limit.",
    ],
)
def test_raised_against_a_lowered_setting_conflicts(claim: str) -> None:
    assert conflicts(claim, LOWERED)


@pytest.mark.parametrize(
    "claim",
    [
        "配置变更把 maximum-pool-size 从 64 调小到 8，导致 http_5xx_percent 升高。",
        "连接池上限降低之后，等待的请求增加。",
        "配置变更之后 hikaricp_connections_pending 增加。",
    ],
)
def test_the_right_direction_and_other_quantities_do_not(claim: str) -> None:
    assert not conflicts(claim, LOWERED)


def test_changes_in_both_directions_decide_nothing() -> None:
    assert not conflicts("配置变更提高了上限。", LOWERED, "queue.limit 10 -> 20")


def test_a_heap_that_shrinks_in_a_collection_is_no_setting() -> None:
    assert not conflicts("堆上限被调大了。", "[gc] Pause Full (G1 Compaction Pause) 1545M->1531M(1740M) 321.5ms")
    assert direction_of("recommend-service 出现 WARN「[gc] Pause Full 1545M->1531M(1740M)」") == 0
    assert direction_of("config-center 配置变更：「queue.limit 10 -> 20」") == 1


@pytest.mark.parametrize(
    ("claim", "record", "told"),
    [
        ("优先级从 3 提到了 7", "audit: action=set_priority old=7 new=3", True),
        ("优先级从 7 改成了 3", "audit: action=set_priority old=7 new=3", False),
        ("连接池从 10 调到 64", LOWERED, False),
        ("连接池从 8 调到 64", LOWERED, True),
        ("连接池从 64 调到 8", LOWERED, False),
        ("the pool went from 8 to 64", LOWERED, True),
        ("从 8:00 到 64 分钟后", LOWERED, False),
    ],
)
def test_a_change_told_the_other_way_round_is_a_conflict(claim: str, record: str, told: bool) -> None:
    evidence = VerifiedEvidence(
        binding_id="b",
        run_id="r",
        claim_id="c",
        source_invocation_id="inv_1",
        tool_name="query_logs",
        raw_path="$.logs[0].message",
        matched_text=record,
    )
    swapped = [item for item in ground(claim, [evidence]) if item.kind == "order" and item.status == "conflicting"]
    assert bool(swapped) is told
    assert all(item.place == "inv_1 $.logs[0].message" for item in swapped)
