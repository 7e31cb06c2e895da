"""lookup_knowledge: Chinese search over Markdown runbooks."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from programs.raw_path import canonical_json
from programs.tools.base import ToolOutput
from programs.tools.lookup_knowledge import LookupKnowledge
from programs.tools.scenario import load_scenario

Make = Callable[..., Any]

BOOKS = {
    "pool": "# 数据库连接池耗尽\n\n## 现象\n\n获取连接超时，返回 503。\n\n## 处置\n\n检查上限，必要时回滚配置。\n",
    "disk": "# 磁盘写满\n\n## 处置\n\n清理日志，扩容磁盘。\n",
    "oom": "# 容器内存超限（OOMKilled）\n\n## 原因\n\n流量高峰最常见，其次是内存泄漏。\n",
    "fuse": "# 熔断器打开\n\n## 处置\n\n熔断后先看下游。\n",
    "tls": "# 证书过期\n\n## 处置\n\n替换证书。\n",
}


def ask(folder: Path, query: str, **params: Any) -> ToolOutput:
    return LookupKnowledge(load_scenario(str(folder))).bind({"query": query, **params}).run()


@pytest.mark.parametrize(
    ("query", "doc"),
    [
        ("连接池耗尽了怎么办？", "pool"),
        ("磁盘满了", "disk"),
        ("OOMKilled 是内存泄漏吗", "oom"),
        ("熔断", "fuse"),
        ("证书过期怎么处理", "tls"),
    ],
)
def test_a_chinese_question_finds_its_runbook(query: str, doc: str, scenario_folder: Make) -> None:
    answer = ask(scenario_folder(runbooks=BOOKS), query)
    assert answer.output["chunks"][0]["doc"] == doc


def test_sharing_two_words_is_high_and_sharing_one_is_low(scenario_folder: Make) -> None:
    folder = scenario_folder(runbooks=BOOKS)
    high = ask(folder, "连接池耗尽，获取连接超时")
    assert (high.output["chunks"][0]["relevance"], high.evidence_level) == ("high", "strong")
    low = ask(folder, "日志太多，人手不够，预算紧张")
    assert {chunk["relevance"] for chunk in low.output["chunks"]} == {"low"}
    assert low.evidence_level == "weak"


def test_nothing_in_common_is_no_hit(scenario_folder: Make) -> None:
    answer = ask(scenario_folder(runbooks=BOOKS), "今天天气怎么样")
    assert (answer.failure_code, answer.output["chunks"], answer.evidence_level) == ("NO_HIT", [], "none")


def test_search_syntax_in_a_question_is_only_text(scenario_folder: Make) -> None:
    folder = scenario_folder(runbooks=BOOKS)
    for query in ('" OR title:* NEAR(', "连接池' AND -磁盘 *", "((((", "\x00 证书"):
        assert ask(folder, query).failure_code in (None, "NO_HIT")


def test_long_sections_come_in_pieces_that_can_be_cited_whole(scenario_folder: Make) -> None:
    steps = "\n".join(f'{n}. 第 {n} 步：检查连接池的"等待线程"数量，并且核对上限。' for n in range(60))
    answer = ask(
        scenario_folder(runbooks={"long": f"# 连接池\n\n## 步骤\n\n{steps}\n\n{'连接池' * 500}"}),
        "连接池等待线程",
        limit=5,
    )
    assert len(answer.output["chunks"]) == 5
    for chunk in answer.output["chunks"]:
        assert len(chunk["text"]) <= 300
        assert len(canonical_json(chunk)) <= 400


def test_a_query_is_required_and_the_limit_is_five(scenario_folder: Make) -> None:
    folder = scenario_folder()
    for params in ({"query": ""}, {"query": "x", "limit": 6}):
        with pytest.raises(ValidationError):
            LookupKnowledge(load_scenario(str(folder))).bind(params)


def test_without_a_runbook_folder_the_reason_says_so(scenario_folder: Make) -> None:
    folder = scenario_folder()
    for book in (folder / "runbooks").iterdir():
        book.unlink()
    (folder / "runbooks").rmdir()
    with pytest.raises(Exception, match="no runbooks folder"):
        ask(folder, "连接池")
