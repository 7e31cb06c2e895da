"""The words beside a figure: about, more than, at most, never, first, by: what they make of it."""

from __future__ import annotations

from typing import Any

import pytest

from programs.grounding import ground
from signatures.contracts import LiteralFinding
from tests.programs.test_literals_width import evidence

CLAIM = "连接池 active {words}"


def words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",")]


ABOUT = words(
    "约,大约,大概,约为,大致,差不多,接近,将近,近,~,≈,几乎,about,around,roughly,approximately,approx.,nearly,almost,circa"
)
ABOUT += words("close to,some,大约是,约为")
ABOUT_AFTER = words("左右,上下,前后,附近,or so,ish")
OVER = words(
    "超过,超出,大于,高于,多于,突破,超,逾,至少,不低于,不少于,不小于,>,>=,≥,over,above,more than,exceeds,exceeded"
)
OVER += words("exceed,exceeding,greater than,higher than,at least,beyond,超过了,不止,不只")
OVER_AFTER = words("以上,多,+,余,or more,or higher")
UNDER = words(
    "低于,小于,少于,不到,不足,至多,最多,不超过,不高于,不大于,<,<=,≤,below,under,less than,fewer than,lower than"
)
UNDER += words("at most,up to,no more than,within")
UNDER_AFTER = words("以下,以内,之内,or less,or lower,or fewer")


def finding(said: str, value: Any) -> LiteralFinding:
    (found,) = ground(CLAIM.format(words=said), evidence({"pool_active": value}))
    return found


def status(said: str, value: Any) -> str:
    return finding(said, value).status


@pytest.mark.parametrize("said", [*(f"{word} 100" for word in ABOUT), *(f"100 {word}" for word in ABOUT_AFTER)])
def test_about_admits_what_is_near(said: str) -> None:
    assert status(said, 104) == status(said, 96) == "found"
    assert status(said, 130) != "found"


def test_without_about_nothing_near_is_admitted() -> None:
    assert (status("100", 104), status("100", 100)) == ("conflicting", "found")


@pytest.mark.parametrize("said", [*(f"{word} 100" for word in OVER), *(f"100 {word}" for word in OVER_AFTER)])
def test_more_than_admits_what_is_more(said: str) -> None:
    assert status(said, 150) == "found"
    assert status(said, 50) != "found"


@pytest.mark.parametrize("said", [*(f"{word} 100" for word in UNDER), *(f"100 {word}" for word in UNDER_AFTER)])
def test_less_than_admits_what_is_less(said: str) -> None:
    assert status(said, 50) == "found"
    assert status(said, 150) != "found"


@pytest.mark.parametrize(
    "never", ["从未", "从来没有", "从没", "没有", "没", "未曾", "不曾", "并未", "never", "never went"]
)
def test_never_over_is_not_found_in_a_value_over(never: str) -> None:
    over = "above" if never.isascii() else "超过"
    assert status(f"{never} {over} 100", 150) != "found"
    assert status(f"{never} {over} 100", 50) == "found"


@pytest.mark.parametrize("no", ["不是", "并非", "而非", "而不是", "不等于", "is not", "rather than", "instead of"])
def test_a_denied_figure_is_no_conflict(no: str) -> None:
    assert status(f"{no} 100", 150) != "conflicting"


@pytest.mark.parametrize(
    "said",
    [
        *(
            f"{word} 100 ms"
            for word in words("增加了,上涨,上升了,下降,减少,降低,提高了,缩短,延长,高出,快了,慢了,相差,间隔,持续,平均")
        ),
        *(f"{word} 100 ms" for word in words("过去,最近,连续,increased by,every,per,on average,past,lasted,after")),
        *(
            f"100 ms {word}"
            for word in words("之后,后,之前,前,内,里,期间,的差距,的增幅,later,earlier,apart,before,ago,longer")
        ),
    ],
)
def test_a_difference_or_span_need_not_stand_in_a_record(said: str) -> None:
    (found,) = (item for item in ground(f"延迟 {said}", evidence({"latency_ms": 250})) if item.text.startswith("100"))
    assert found.status == "unseen"
    assert not found.critical


@pytest.mark.parametrize("ordinal", ["第 3", "步骤 3", "阶段 3", "step 3", "section 3", "level 3", "priority 3"])
def test_an_ordinal_is_no_figure(ordinal: str) -> None:
    assert [
        item for item in ground(f"{ordinal} 失败", evidence({"retries": 7})) if item.critical and item.text == "3"
    ] == []


@pytest.mark.parametrize(
    "text", ["请求 30 秒后超时", "30 秒之后就超时", "the call timed out after 30 s", "token expires in 30 s"]
)
def test_a_limit_that_was_hit_is_a_figure(text: str) -> None:
    (found,) = (item for item in ground(text, evidence("timeout=30s")) if item.text.startswith("30"))
    assert found.status == "found"


SLOW = {"service": "order-api", "message": "request took 120 ms", "disk": "95%"}


@pytest.mark.parametrize(
    "claim",
    [
        *(
            "order-api 没有耗时 480 ms",
            "order-api 的请求没耗到 480 ms",
            "order-api 并没有出现 480 ms 的请求",
            "耗时并非 480 ms",
        ),
        *(
            "耗时未曾到 480 ms",
            "order-api 的耗时不是 480 ms",
            "耗时是 120 ms 而非 480 ms",
            "order-api 的耗时不等于 480 ms",
        ),
        *("order-api did not take 480 ms", "order-api didn't take 480 ms", "order-api never took 480 ms"),
        *("requests without a latency of 480 ms", "no request took 480 ms", "neither request took 480 ms"),
        *("it took 120 ms rather than 480 ms", "it took 120 ms instead of 480 ms", "Not one took 480 ms"),
    ],
)
def test_a_denied_figure_conflicts_with_no_other(claim: str) -> None:
    assert all(item.status != "conflicting" for item in ground(claim, evidence(SLOW)))


@pytest.mark.parametrize(
    "claim",
    [
        *("order-api 没有恢复，耗时 480 ms", "order-api 没有报错；耗时 480 ms", "未来得及扩容，请求耗时 480 ms"),
        *("耗时不是 120 ms 而是 480 ms", "it did not recover, a request took 480 ms"),
        *("耗时不是几十毫秒而是 480 ms", "原因未知的请求耗时 480 ms", "order-api 耗时 480 ms，没有恢复"),
    ],
)
def test_what_is_denied_elsewhere_leaves_the_figure_told(claim: str) -> None:
    (found,) = [item for item in ground(claim, evidence(SLOW)) if item.text == "480 ms"]
    assert found.status == "conflicting"
