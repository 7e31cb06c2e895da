"""What a number is about: the same thing in both languages, and which figure of it."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest

from programs.grounding import ground
from programs.literals.concepts import concepts, core, side
from tests.programs.test_literals_width import C, F, U, evidence, looked_up

# Wordings of one thing, as engineers and logs have them.
THINGS = [
    "cpu processor CPU usageCPU 处理器",
    "memory mem heap rss ram oom 内存 堆",
    "disk disks filesystem volume iops 磁盘 硬盘 存储空间 卷",
    "network bandwidth traffic net nic 网络 带宽 流量 网卡",
    "latency rtt duration elapsed took delay cost response 延迟 时延 耗时 响应时间 用时 响应",
    "lag behind 滞后 落后 积压 延迟 堆积",
    "connection connections conn conns maxConnections 连接",
    "timeout timeouts timed 超时",
    "error errors failure failures failed fail exception exceptions 错误 报错 失败 异常",
    "retry retries retried attempt attempts 重试",
    "restart restarts restarted reboot 重启",
    "request requests req qps rps 请求",
    "thread threads 线程",
    "temperature temp 温度 气温",
    "replica replicas replication 副本 复制",
    "queue queued backlog 队列 排队",
    "port 端口",
    "pid process 进程",
    "exit 退出码 退出",
    "block blocks blk 块",
    "gc pause 停顿",
    "cache cached hit 缓存 命中",
    "transaction transactions txn tps 事务 交易",
    "session sessions 会话",
    "packet packets 包",
    "login auth authentication password 登录 认证 密码",
    "primary master leader 主库 主节点 主副本 主机房",
    "standby slave follower secondary 备库 从库 备节点 从节点",
    "payload body 请求体",
    "cert certificate tls 证书",
    "file files 文件",
    "user users 用户",
    "job jobs task tasks 任务 作业",
    "message messages 消息",
    "failover switchover promoted 切主 主从切换 主备切换 故障切换",
    "recovered recovery cleared clearing resolved restored 恢复 消除",
    "deploy deployed deployment release rollout 发布 部署 上线",
    "rollback 回滚",
    "config configuration 配置",
    "election elected electing 选举 选主",
    "rebalance rebalancing 再均衡 重平衡",
    "delete deleted deleting removed 删除",
    "received receiving receive 接收 收到",
    "terminating terminated exited stopped 终止 停止",
    "started starting launched 启动",
]
FIGURES = [
    "free available remaining left 剩余 可用 空余 剩下 剩 空闲空间",
    "limit max maximum cap capacity quota 上限 最大 限制 配额 容量 总量",
    "min minimum lowest 最小 最低",
    "threshold 阈值 门限 告警线",
    "idle 空闲",
    "active 活跃",
    "waiting pending 等待 排队",
    "requested 申请",
]


@pytest.mark.parametrize("row", THINGS, ids=range(len(THINGS)))
def test_every_wording_of_a_thing_is_one_concept(row: str) -> None:
    common = frozenset.intersection(*(core(concepts(word)) for word in row.split()))
    assert len(common) == 1, row
    assert common == core(concepts(row.replace(" ", "_").upper())) & common
    others = [other for other in THINGS if other is not row]
    assert not any(common <= core(concepts(word)) for other in others for word in other.split() if word not in row)


@pytest.mark.parametrize("row", FIGURES, ids=range(len(FIGURES)))
def test_every_wording_of_a_figure_is_one_side(row: str) -> None:
    common = frozenset.intersection(*(side(concepts(word)) for word in row.split()))
    assert len(common) == 1, row
    assert not any(common & side(concepts(other)) for other in FIGURES if other is not row)
    assert not any(common & core(concepts(word)) for word in row.split())


@pytest.mark.parametrize("word", ["used", "usage", "utilization", "已用", "使用", "占用", "利用率", "使用率"])
def test_usage_is_the_plain_figure_of_a_thing(word: str) -> None:
    assert concepts(word) and not core(concepts(word)) and not side(concepts(word))


RESOURCES = [
    ("CPU 95%", "cpu 95%"),
    ("内存 95%", "memory 95%"),
    ("磁盘 95%", "disk 95%"),
    ("带宽 95%", "bandwidth 95%"),
    ("温度 95%", "temperature 95%"),
    ("延迟 95%", "latency 95%"),
]


@pytest.mark.parametrize(("one", "two"), list(combinations(range(len(RESOURCES)), 2)))
def test_an_equal_figure_of_another_resource_grounds_nothing(one: int, two: int) -> None:
    for mine, other in ((one, two), (two, one)):
        looked_up(RESOURCES[mine][0], "95%", RESOURCES[other][1], U)
        looked_up(RESOURCES[mine][0], "95%", RESOURCES[mine][1], F)
        looked_up(RESOURCES[mine][0], "95%", RESOURCES[other][1].replace("95", "85"), U)


# (claim, literal, excerpt, status): the words beside the number decide
ABOUT = [
    # the same thing, another thing, or no word on one side
    ("队列占 95%", "95%", "queue 95%", F),
    ("队列占 95%", "95%", "queue 85%", C),
    ("队列占 95%", "95%", "cache 85%", U),
    ("队列占 95%", "95%", "cache 95%", F),
    ("队列占 95%", "95%", "cpu 95%", F),
    ("队列占 95%", "95%", "level 85%", C),
    ("比例 95%", "95%", "level 85%", C),
    ("比例 95%", "95%", "queue 85%", C),
    ("比例 95%", "95%", "queue 85%, cache 75%", U),
    ("比例 95%，失败 5%", "95%", "level 85%", U),
    # before the number, else behind it, else earlier in the clause
    ("内存升高，CPU 95%", "95%", "memory 85%", U),
    ("95% 的 CPU 被占", "95%", "cpu usage 85%", C),
    ("95% 的 CPU 被占", "95%", "memory 85%", U),
    ("达到 95%，内存正常", "95%", "memory 85%", C),
    ("CPU 95% 内存 61%", "61%", "memory 41%", C),
    ("CPU 95% 磁盘 61%", "95%", "disk 41%", U),
    ("CPU 95% 磁盘 61%", "95%", "cpu 85%", C),
    ("61% 的内存和 95% 的 CPU", "61%", "memory 41%", C),
    ("95% 的 CPU 和 61% 的内存", "61%", "cpu 41%", U),
    ("CPU 95% 的时候内存 61%", "95%", "cpu 85%", C),
    ("CPU 95% 的时候内存 61%", "95%", "memory 85%", U),
    ("CPU 41% 和 95% 磁盘", "95%", "cpu 85%", U),
    ("剩余 3 GB 磁盘", "3 GB", "disk free 9 GB", C),
    ("达到 95%，磁盘正常", "95%", "cpu 85%", C),
    ("CPU 95% 的时候超限", "95%", "memory 85%", U),
    ("CPU 从 41% 到 95%", "95%", "cpu 85%", C),
    ("CPU 从 41% 到 95%", "95%", "memory 85%", U),
    # which figure of the thing
    ("剩余内存 3 GB", "3 GB", "memory free 9 GB", C),
    ("剩余内存 3 GB", "3 GB", "memory 9 GB", U),
    ("内存 3 GB", "3 GB", "memory free 9 GB", U),
    ("内存 3 GB", "3 GB", "memory limit 3 GB", F),
    ("剩余 3 GB", "3 GB", "free 9 GB", C),
    ("剩余 3 GB", "3 GB", "memory free 9 GB", C),
    ("剩余 3 GB", "3 GB", "memory limit 9 GB", U),
    ("磁盘剩余 3 GB", "3 GB", "free 9 GB", C),
    ("磁盘剩余 3 GB", "3 GB", "disk 9 GB", U),
    ("内存剩余 3 GB", "3 GB", "disk free 3 GB", U),
    ("队列剩余 3 GB", "3 GB", "cache free 9 GB", U),
    ("容量 3 GB", "3 GB", "now 9 GB", U),
    ("内存 3 GB", "3 GB", "now 9 GB", C),
    ("大小 3 GB", "3 GB", "limit 9 GB", U),
    # a key that the claim names
    ("max_connections 为 15", "15", "max_connections=25", C),
    ("MAX_CONNECTIONS 为 15", "15", "max_connections=25", C),
    ("max-connections 为 15", "15", "max-connections=25", C),
    ("pool.size 为 15", "15", "pool.size=25", C),
    ("rt 为 15", "15", "rt=25", C),
    ("_rt 为 15", "15", "_rt=25", C),
    ("rt为15", "15", "rt=25", C),
    ("参数rt为15", "15", "rt=25", C),
    ("max rt 为 15", "15", "rt=25", C),
    ("rt max 为 15", "15", "rt=25", C),
    ("rt was about 15", "15", "rt=25", U),
    ("x 为 15", "15", "x=25", U),
    ("rt 15 ms", "15 ms", "rt=25ms", C),
    ("rt 15 ms", "15 ms", "qt=25ms, rt=15ms", F),
    ("rt 升高，结果为 15", "15", "rt=25", U),
    ("rt 在昨天晚上那一次比较大的参数变更以后经过很长一段时间的连续观察现在终于稳定在 15", "15", "rt=25", U),
]


@pytest.mark.parametrize(("claim", "literal", "excerpt", "status"), ABOUT)
def test_the_words_beside_a_number_say_what_it_is(claim: str, literal: str, excerpt: Any, status: str) -> None:
    looked_up(claim, literal, excerpt, status)


def test_a_number_is_shown_where_it_is_of_the_claimed_thing() -> None:
    rows = evidence("queue 95%", "cpu 95%")
    (found,) = ground("CPU 95%", rows)
    assert (found.place, found.evidence_text) == ("inv_1 $.logs[1].message", "cpu 95%")
    (found,) = ground("排队 95%", rows)
    assert (found.place, found.evidence_text) == ("inv_1 $.logs[0].message", "queue 95%")
