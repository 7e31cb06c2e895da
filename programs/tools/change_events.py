"""Change events among ordinary log lines: configuration, rules, releases, scaling, restarts, jobs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from programs.tools.log_patterns import masked
from programs.tools.scenario_files import LogLine

# First match names the kind. Words alone are not enough where they have everyday meanings ("released connection"); the
# stems before each pattern are looked for first, which is ten times faster.
_KINDS: tuple[tuple[str, tuple[str, ...], re.Pattern[str]], ...] = tuple(
    (kind, stems, re.compile(pattern, re.IGNORECASE))
    for kind, stems, pattern in (
        ("回滚", ("roll", "回滚", "回退"), r"\broll(?:ed|ing)?[ -]?back\b|\brollback\b|回滚|回退"),
        (
            "规则变更",
            ("rule", "规则", "阈值"),
            r"\brules?\b.{0,40}\b(?:updated|changed|added|edited|published|modified)\b"
            r"|\b(?:updated|changed|added|edited|published|modified)\b.{0,60}\brules?\b"
            r"|(?:规则|阈值).{0,16}(?:更新|修改|调整|新增|发布|变更|改为)|(?:更新|修改|调整|新增|变更).{0,12}(?:规则|阈值)",
        ),
        (
            "开关变更",
            ("flag", "feature", "开关", "灰度"),
            r"\bfeature[ _-]?(?:flag|toggle|switch)|\bflag\b.{0,30}\b(?:enabled|disabled|set|turned)\b"
            r"|开关.{0,12}(?:打开|开启|关闭|切换|调整|变更)|(?:打开|开启|关闭).{0,8}开关|灰度",
        ),
        (
            "配置变更",
            ("config", "配置"),
            r"\bconfig\w*\b.{0,60}\b(?:publish|chang|updat|push|appl|releas|modif|roll(?:ed|ing))\w*"
            r"|\b(?:publish|updat|push|appl|chang|modif)(?:ed|ing|y|ied)\b.{0,40}\bconfig"
            r"|配置.{0,20}(?:发布|变更|更新|修改|推送|生效|下发)|(?:发布|推送|下发|更新|修改|变更).{0,12}配置",
        ),
        (
            "扩缩容",
            ("scal", "扩容", "缩容"),
            r"\bscal(?:ed?|ing)\b.{0,60}\b(?:up|down|out|in|from|to|replicas?)\b|扩容|缩容",
        ),
        (
            "发布",
            ("deploy", "roll", "upgrad", "releas", "publish", "发布", "上线", "部署", "升级"),
            r"\bdeploy(?:ed|ing|ment)?\b|\brollout\b|\broll(?:ed|ing) (?:out|update)\b|\bupgrad(?:ed?|ing)\b"
            r"|\breleas(?:e|ed|ing)\b.{0,40}(?:\bv?\d+\.\d+|\bversion\b|\bbuild\b|\bimage\b|\bpublished\b)"
            r"|\bpublish(?:ed|ing)\b|发布|上线|部署|升级",
        ),
        (
            "新建",
            ("created", "create ", "新建", "创建"),
            r"\b(?:topic|index|table|database|bucket|volume|user|namespace|queue)\b.{0,40}\bcreated\b"
            r"|\bcreated? (?:a |new )?(?:topic|index|table|database|bucket|volume|namespace|queue)\b"
            r"|(?:新建|创建).{0,12}(?:主题|索引|表|数据库|队列|租户)",
        ),
        (
            "迁移",
            ("migrat", "schema", "alter table", "迁移", "表结构"),
            r"\bmigrat(?:e|ed|ion|ing)\b|\bschema change\b|\balter table\b|迁移|表结构变更",
        ),
        (
            "切换",
            ("over", "切换"),
            r"\bfail(?:ed)?[ -]?over\b|\bswitch(?:ed)?[ -]?over\b|主从切换|主备切换",
        ),
        ("重启", ("restart", "重启"), r"\brestart(?:ed|ing)?\b|重启"),
        (
            "任务启动",
            ("start", "launch", "trigger", "began", "任务", "作业", "备份", "批处理", "索引"),
            r"\b(?:job|task|backup|batch|cron\w*|reindex\w*)\b.{0,60}\b(?:start(?:ed|ing)?|launched|triggered|began)\b"
            r"|\b(?:start(?:ed|ing)?|launch(?:ed|ing)?|triggered)\b.{0,30}\b(?:job|task|backup|batch|reindex\w*)\b"
            r"|(?:任务|作业|备份|批处理|重建索引).{0,16}(?:开始|启动|触发)|(?:开始|启动)(?:执行)?.{0,12}(?:任务|作业|备份|批处理)",
        ),
    )
)
_NO_CHANGE = re.compile(
    r"\bno\b.{0,20}\bchanges?\b|\bunchanged\b|\bup[ -]to[ -]date\b|\bnothing to\b|\bdry[ -]?run\b"
    r"|\bnot (?:restarted|deployed)\b"
    r"|\breleas(?:ed|ing)\b.{0,12}\b(?:connection|lock|lease|resource|buffer|memory|slot)"
    r"|\brestart[ _]?count\b|没有.{0,6}变更|无.{0,4}变更|未发生变更|无需",
    re.IGNORECASE,
)
_HEAD = 400
_LEVELS = frozenset({"INFO", "WARN"})
# Drawn more often than this in one window it is routine, and only shown when there is room.
_PER_TEMPLATE = 2


@lru_cache(maxsize=16_384)
def change_kind(message: str) -> str | None:
    """The kind of change that a message reports (Chinese), None when it reports none."""
    head = message[:_HEAD]
    folded = head.lower()
    for kind, stems, pattern in _KINDS:
        if any(stem in folded for stem in stems) and pattern.search(head):
            return None if _NO_CHANGE.search(head) else kind
    return None


def change_events(lines: Iterable[LogLine], limit: int) -> list[LogLine]:
    """At most ``limit`` change events in time order; rare ones before those that repeat like a heartbeat.

    Errors are left out: they are symptoms, told as patterns.
    """
    events = [line for line in lines if line.level in _LEVELS and change_kind(line.message[:_HEAD])]
    templates = [(line.service, masked(line.message)) for line in events]
    total = Counter(templates)
    seen: Counter[tuple[str, str]] = Counter()
    ranked: list[tuple[bool, int, str, int, LogLine]] = []
    for line, template in zip(events, templates, strict=True):
        seen[template] += 1
        ranked.append((seen[template] > _PER_TEMPLATE, total[template], line.timestamp, len(ranked), line))
    kept = sorted(ranked)[:limit]
    return [line for *_, line in sorted(kept, key=lambda row: row[3])]
