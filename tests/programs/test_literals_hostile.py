"""Two sentences of which one is supported, extreme numbers, invisible and full-width characters."""

from __future__ import annotations

from typing import Any

import pytest

from tests.programs.test_literals_width import C, F, U, looked_up

# N: whatever becomes of the literal, nothing of the claim may conflict.
N = "no conflict"

SENTENCES = [
    ("CPU使用率达到95%。数据库连接超时！mysql-7 报错。", "mysql-7", "cpu usage 95%", U),
    ("CPU使用率达到95%。mysql-7 返回 504。", "95%", "cpu usage 95%", F),
    ("CPU使用率达到95%。内存使用率 88%。", "88%", "cpu usage 95%", U),
    ("CPU使用率达到95%。内存使用率 88%。", "88%", "cpu usage 95%, memory usage 61%", C),
    ("CPU使用率达到95%！磁盘剩余 3 GB？", "3 GB", "cpu usage 95%, disk free 30 GB", C),
]

STRANGE = [
    ("数值 1e999", "1e999", "value 1e999", N),
    ("CPU NaN%", "NaN%", "cpu NaN%", N),
    ("延迟 Infinity ms", "Infinity", "latency Infinity ms", N),
    ("CPU\u200b95%", "95%", "cpu usage 95%", N),
    ("CPU \u202e95%", "95%", "cpu usage 95%", F),
    ("CPU 9\u200b5%", "95%", "cpu usage 95%", N),
    ("ＣＰＵ\u3000９５％", "９５％", "ＣＰＵ\u3000ｕｓａｇｅ\u3000９５％", F),
    ("2026-13-45 报错", "2026-13-45", "2026-01-05T00:00:00Z", N),
    ("负载 -5", "-5", "load=-5", U),
    ("温度 -5℃", "-5℃", "temperature=-5", F),
    ("温度 -5℃", "-5℃", "temperature=5", C),
    ("CPU 0%", "0%", "cpu usage 0%", F),
    ("CPU 0%", "0%", "cpu usage 95%", C),
    ("CPU 100%", "100%", "cpu usage 99.97%", F),
    ("值 1.0", "1.0", "value=1", F),
    ("值 1.05", "1.05", "value=1.5", N),
    ("٩٥% CPU", "٩٥%", "cpu usage 95%", N),
    ("CPU ９5％", "９5％", "cpu usage 95%", F),
    ("CPU 九五%", "九五%", "cpu usage 95%", N),
    ("CPU 95.0%", "95.0%", "cpu usage 95.04%", F),
    ("CPU 95.0%", "95.0%", "cpu usage 95.4%", C),
    ("CPU 1,95%", "1,95%", "cpu usage 95%", N),
]


@pytest.mark.parametrize(("claim", "literal", "excerpts", "status"), SENTENCES)
def test_each_sentence_stands_for_itself(claim: str, literal: str, excerpts: Any, status: str) -> None:
    looked_up(claim, literal, excerpts, status)


@pytest.mark.parametrize(("claim", "literal", "excerpts", "status"), STRANGE)
def test_strange_writing_is_neither_a_crash_nor_a_false_match(
    claim: str, literal: str, excerpts: Any, status: str
) -> None:
    looked_up(claim, literal, excerpts, status)
