"""What a number is about, in either language: the words beside it mapped onto a few shared concepts.

Two numbers are the same quantity only when their concepts agree. CORE concepts name the thing (CPU, memory);
SIDE concepts name which figure of it (used, free, limit) and must agree exactly.
"""

from __future__ import annotations

import re
from functools import lru_cache

from programs.literals.text import any_of

# (English words, Chinese words) of each concept; its first word is its name. @ marks a figure of a thing.
_TABLE = (
    ("cpu processor", "处理器"),
    ("memory mem heap rss ram oom", "内存 堆"),
    ("disk filesystem volume disks iops", "磁盘 硬盘 存储空间 卷"),
    ("network bandwidth traffic net nic", "网络 带宽 流量 网卡"),
    ("latency rtt duration elapsed took delay cost response", "延迟 时延 耗时 响应时间 用时 响应"),
    ("lag behind", "滞后 落后 积压 延迟 堆积"),
    ("connection connections conn conns", "连接"),
    ("timeout timeouts timed", "超时"),
    ("error errors failure failures failed fail exception exceptions", "错误 报错 失败 异常"),
    ("retry retries retried attempt attempts", "重试"),
    ("restart restarts restarted reboot", "重启"),
    ("request requests req qps rps", "请求"),
    ("thread threads", "线程"),
    ("temperature temp", "温度 气温"),
    ("replica replicas replication", "副本 复制"),
    ("queue queued backlog", "队列 排队"),
    ("port", "端口"),
    ("process pid", "进程"),
    ("exit", "退出码 退出"),
    ("block blocks blk", "块"),
    ("gc pause", "停顿"),
    ("cache cached hit", "缓存 命中"),
    ("transaction transactions txn tps", "事务 交易"),
    ("session sessions", "会话"),
    ("packet packets", "包"),
    ("login auth authentication password", "登录 认证 密码"),
    ("primary master leader", "主库 主节点 主副本 主机房"),
    ("standby slave follower secondary", "备库 从库 备节点 从节点"),
    ("payload body", "请求体"),
    ("certificate cert tls", "证书"),
    ("file files", "文件"),
    ("user users", "用户"),
    ("job jobs task tasks", "任务 作业"),
    ("message messages", "消息"),
    ("failover switchover promoted", "切主 主从切换 主备切换 故障切换"),
    ("recovery recovered cleared clearing resolved restored", "恢复 消除"),
    ("deploy deployed deployment release rollout", "发布 部署 上线"),
    ("rollback", "回滚"),
    ("config configuration", "配置"),
    ("election elected electing", "选举 选主"),
    ("rebalance rebalancing", "再均衡 重平衡"),
    ("delete deleted deleting removed", "删除"),
    ("receive received receiving", "接收 收到"),
    ("terminating terminated exited stopped", "终止 停止"),
    ("started starting launched", "启动"),
    ("@free available remaining left", "剩余 可用 空余 剩下 剩 空闲空间"),
    ("@limit max maximum cap capacity quota", "上限 最大 限制 配额 容量 总量"),
    ("@min minimum lowest", "最小 最低"),
    ("@threshold", "阈值 门限 告警线"),
    ("@idle", "空闲"),
    ("@active", "活跃"),
    ("@waiting pending", "等待 排队"),
    ("@requested", "申请"),
    ("@used usage utilization", "已用 使用 占用 利用率 使用率"),
)
_CONCEPTS: dict[str, frozenset[str]] = {}
for _english, _chinese in _TABLE:
    _name = _english.split()[0]
    for _word in (_english.removeprefix("@") + " " + _chinese).split():
        _CONCEPTS[_word] = _CONCEPTS.get(_word, frozenset()) | {_name}
_TOKEN = re.compile(rf"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|{any_of(word for word in _CONCEPTS if not word.isascii())}")
# A figure of one of these is never a figure of another.
RESOURCES = frozenset(["cpu", "memory", "disk", "network", "temperature", "latency"])


@lru_cache(maxsize=8192)
def concepts(text: str) -> frozenset[str]:
    """Every concept named in ``text`` (a clause, a key such as ``maxConnections``, a metric name)."""
    return frozenset().union(*(_CONCEPTS.get(token.lower(), ()) for token in _TOKEN.findall(text)))


@lru_cache(maxsize=4096)
def core(found: frozenset[str]) -> frozenset[str]:
    """The concepts that name the thing."""
    return frozenset(item for item in found if item[0] != "@")


@lru_cache(maxsize=4096)
def side(found: frozenset[str]) -> frozenset[str]:
    """The concepts that tell figures of one thing apart (free, limit, threshold, idle, ...)."""
    return frozenset(item for item in found if item[0] == "@" and item != "@used")
