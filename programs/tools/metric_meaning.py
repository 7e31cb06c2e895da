"""What a metric's name says: whether its rise or its fall is bad, and whether users feel it."""

from __future__ import annotations

import re

# Parts of a name between separators, as Prometheus names are built.
_SYMPTOM = re.compile(
    r"(?:error|err|5xx|4xx|fail|timeout|latency|duration|response_time|p9\d|p50|lag|backlog|delay|pending|waiting|reject|"
    r"retr|drop|restart|oom|unavailable|slow|throttl|dead_letter)",
    re.IGNORECASE,
)
_GOOD_WHEN_HIGH = re.compile(
    r"(?:success|availab|ready|healthy|hit|(?:^|_)up(?:_|$)|free|alive|in_sync|isr)", re.IGNORECASE
)
_TRAFFIC = re.compile(r"(?:requests?_|qps|tps|rps|throughput|rate1m|per_second|consumed|produced)", re.IGNORECASE)
_RESOURCE = re.compile(
    r"(?:cpu|memory|mem_|heap|rss|disk|usage|used|entries|threads|fds|inode|load|gc_|log_size|utili[sz]ation|saturation)",
    re.IGNORECASE,
)
FULL_PERCENT = 85.0
# What a question may name, and the metrics that answer it.
_TOPICS = tuple(
    (re.compile(words, re.IGNORECASE), re.compile(names, re.IGNORECASE))
    for words, names in (
        (r"流量|请求量|访问量|高峰|qps|traffic|load", r"requests?_(?:rate|total|per)|qps|tps|throughput"),
        (r"cpu|处理器", r"cpu"),
        (r"内存|memory|oom|泄漏|leak", r"memory|heap|rss"),
        (r"磁盘|硬盘|disk|空间", r"disk|filesystem|log_size"),
        (r"延迟|变慢|超时|latency|slow|timeout", r"latency|duration|p9\d|lag"),
        (r"错误率|错误|报错|5xx|error|失败", r"error|5xx|fail"),
        (r"积压|堆积|lag|backlog", r"lag|backlog"),
        (r"连接|connection|pool", r"connections?"),
        (r"副本|实例|replica|pod", r"replicas"),
    )
)


def is_symptom(metric: str) -> bool:
    """Errors, latency, backlog: what users of a service feel."""
    return _SYMPTOM.search(metric) is not None and not _unhealthy_inverse(metric)


def _unhealthy_inverse(metric: str) -> bool:
    return re.search(r"_(?:max|limit|threshold|timeout_seconds)$", metric, re.IGNORECASE) is not None


def got_worse(metric: str, unit: str, before: float, after: float, highest: float) -> bool:
    """Whether a change from ``before`` to ``after`` is in the bad direction.

    Symptoms count when half as much again, resources also when nearly full (85 percent), traffic when a third is gone.
    """
    if is_symptom(metric):
        return after > before and after >= 1.5 * before
    if _GOOD_WHEN_HIGH.search(metric):
        return after < before
    if _RESOURCE.search(metric):
        return after > before and (max(after, highest) >= FULL_PERCENT if unit == "percent" else after >= 1.5 * before)
    return _TRAFFIC.search(metric) is not None and after <= before * 2 / 3


def answers(metric: str, question: str) -> bool:
    """Whether the question names what this metric measures."""
    return any(words.search(question) and names.search(metric) for words, names in _TOPICS)
