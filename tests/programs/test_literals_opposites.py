"""State words of a claim against the state that its thing's own records show."""

from __future__ import annotations

from typing import Any

import pytest

from tests.programs.test_literals_width import C, F, looked_up

# N: whatever becomes of the literal, nothing of the claim may conflict.
N = "no conflict"

STATES = [
    ("node-a 状态 up", "up", "node-a is up", F),
    ("node-a 状态 up", "up", "node-a is down", C),
    ("node-a 状态 down", "down", "node-a status=up", C),
    ("node-a 宕机", "宕机", "node-a is down", F),
    ("node-a 宕机", "宕机", "node-a is up", C),
    ("节点 node-a 健康", "健康", "node-a unhealthy", C),
    ("节点 node-a 不健康", "不健康", "node-a unhealthy", F),
    ("节点 node-a 不健康", "不健康", "node-a healthy", C),
    ("节点 node-a 异常", "异常", "node-a is healthy", N),
    ("job-7 成功", "成功", "job-7 failed", C),
    ("job-7 未成功", "成功", "job-7 failed", N),
    ("job-7 失败", "失败", "job-7 succeeded", C),
    ("job-7 失败", "失败", "job-7 succeeded after 2 failed attempts", F),
    ("node-a 已启用", "启用", "node-a disabled", C),
    ("node-a 未启用", "启用", "node-a disabled", N),
    ("node-a 已关闭", "已关闭", "node-a disabled", F),
    ("node-a 的 swap 关闭", "关闭", "node-a swap enabled", C),
    ("db-1 是主库", "主库", "db-1 role=standby", C),
    ("db-1 是备库", "备库", "db-1 role=primary", C),
    ("db-1 是 standby", "standby", "db-1 role=standby", F),
    ("主库 db-1 挂了", "主库", "db-1 now role=standby", N),
    ("db-1 是只读", "只读", "db-1 read_only=OFF", C),
    ("db-1 是只读", "只读", "db-1 read-only", F),
    ("告警 HighCpu 已恢复", "已恢复", {"alertname": "HighCpu", "state": "resolved"}, F),
    ("告警 HighCpu 已恢复", "已恢复", {"alertname": "HighCpu", "state": "firing"}, C),
    ("告警 HighCpu 已恢复", "已恢复", {"alertname": "HighCpu", "state": "active"}, C),
    ("告警 HighCpu 仍在触发", "仍在触发", {"alertname": "HighCpu", "state": "resolved"}, C),
    ("alert HighCpu is active", "active", {"alertname": "HighCpu", "state": "resolved"}, C),
    ("alert HighCpu is resolved", "resolved", {"alertname": "HighCpu", "state": "active"}, C),
    ("alert HighCpu is firing", "firing", {"alertname": "HighCpu", "state": "active"}, F),
    ("alert HighCpu is resolved", "resolved", {"alertname": "HighCpu", "state": "suppressed"}, N),
    ("告警 HighCpu 被抑制", "被抑制", {"alertname": "HighCpu", "state": "active"}, C),
    ("node-a 的 debug 为 true", "true", {"host": "node-a", "debug": "true"}, F),
    ("node-a 的 debug 为 true", "true", "node-a debug=true", F),
    ("node-a 的 debug 为 true", "true", "node-a debug=false", C),
    ("node-a 的 debug 为 true", "true", {"host": "node-a", "debug": False}, C),
    ("node-a 的 debug 为 false", "false", "node-a debug=true cache=false", C),
    ("node-a 在线", "在线", "node-a offline", C),
    ("node-a 就绪", "就绪", "node-a NotReady", C),
    ("node-a is Ready", "Ready", "node-a NotReady", C),
    ("node-a 连接正常", "正常", "node-a connected", N),
    ("pod-a1 Running", "Running", "pod-a1 status=CrashLoopBackOff", N),
    ("pod-a1 是 running", "running", "pod-a1 stopped", C),
    ("pod-a1 已停止", "已停止", "pod-a1 is running", C),
    ("熔断器 cb-1 打开", "打开", "cb-1 state CLOSED", C),
    ("熔断器 cb-1 打开", "打开", "cb-1 state OPEN", F),
    ("事务 tx-9 已提交", "已提交", "tx-9 rolled back", C),
    ("事务 tx-9 已提交", "已提交", "tx-9 committed", F),
    ("node-a 的锁已释放", "已释放", "node-a lock acquired", C),
    ("node-a 从 up 变为 down", "down", "node-a changed from up to down", F),
    ("node-a 从 up 变为 down", "up", "node-a changed from up to down", F),
    ("node-b 健康", "健康", ["node-a unhealthy", "node-b healthy"], F),
    ("node-b 健康", "健康", ["node-a healthy", "node-b unhealthy"], C),
    ("node-b 健康", "健康", ["node-a healthy", "node-b started"], N),
    ("node-a is not healthy", "healthy", "node-a healthy", C),
    ("node-a 没有成功", "成功", "node-a success", N),
    ("请求被拒绝 node-a", "拒绝", "node-a request accepted", C),
    ("连接 node-a 已断开", "已断开", "node-a connected", C),
    ("kafka-1 在同步", "在同步", "kafka-1 out of sync", N),
    ("证书 cert-1 有效", "有效", "cert-1 expired", C),
    ("证书 cert-1 已过期", "已过期", "cert-1 valid", N),
]


@pytest.mark.parametrize(("claim", "literal", "excerpts", "status"), STATES)
def test_a_state_conflicts_only_with_its_opposite_in_the_same_thing(
    claim: str, literal: str, excerpts: Any, status: str
) -> None:
    looked_up(claim, literal, excerpts, status)
