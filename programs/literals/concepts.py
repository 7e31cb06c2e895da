"""What a number is about, in either language: the words beside it mapped onto a few shared concepts.

Two numbers are the same quantity only when their concepts agree. CORE concepts name the thing (CPU, memory);
SIDE concepts name which figure of it (used, free, limit) and must agree exactly.
"""

from __future__ import annotations

import re
from functools import lru_cache

from programs.literals.text import any_of

_TABLE: dict[str, tuple[str, str]] = {
    "cpu": ("cpu processor", "cpu 处理器"),
    "memory": ("memory mem heap rss ram oom", "内存 堆"),
    "disk": ("disk filesystem volume disks iops", "磁盘 硬盘 存储空间 卷"),
    "network": ("network bandwidth traffic net nic", "网络 带宽 流量 网卡"),
    "latency": (
        "latency rtt duration elapsed took delay cost response p99 p95 p50",
        "延迟 时延 耗时 响应时间 用时 响应",
    ),
    "lag": ("lag behind", "滞后 落后 积压 延迟 堆积"),
    "connection": ("connection connections conn conns", "连接"),
    "timeout": ("timeout timeouts timed", "超时"),
    "error": ("error errors failure failures failed fail exception exceptions", "错误 报错 失败 异常"),
    "retry": ("retry retries retried attempt attempts", "重试"),
    "restart": ("restart restarts restarted reboot", "重启"),
    "request": ("request requests req qps rps", "请求"),
    "thread": ("thread threads", "线程"),
    "temperature": ("temperature temp", "温度 气温"),
    "replica": ("replica replicas replication", "副本 复制"),
    "queue": ("queue queued backlog", "队列 排队"),
    "port": ("port", "端口"),
    "process": ("pid process", "进程"),
    "exit": ("exit", "退出码 退出"),
    "block": ("block blocks blk", "块"),
    "gc": ("gc pause", "gc 停顿"),
    "cache": ("cache cached hit", "缓存 命中"),
    "transaction": ("transaction transactions txn tps", "事务 交易"),
    "session": ("session sessions", "会话"),
    "packet": ("packet packets", "包"),
    "login": ("login auth authentication password", "登录 认证 密码"),
    "primary": ("primary master leader", "主库 主节点 主副本 主机房"),
    "standby": ("standby slave follower secondary", "备库 从库 备节点 从节点"),
    "request_size": ("payload body", "请求体"),
    "certificate": ("cert certificate tls", "证书"),
    "file": ("file files", "文件"),
    "user": ("user users", "用户"),
    "job": ("job jobs task tasks", "任务 作业"),
    "message": ("message messages", "消息"),
    "failover": ("failover switchover promoted", "切主 主从切换 主备切换 故障切换"),
    "recovery": ("recovered recovery cleared clearing resolved restored", "恢复 消除"),
    "deploy": ("deploy deployed deployment release rollout", "发布 部署 上线"),
    "rollback": ("rollback", "回滚"),
    "config": ("config configuration", "配置"),
    "election": ("election elected electing", "选举 选主"),
    "rebalance": ("rebalance rebalancing", "再均衡 重平衡"),
    "delete": ("delete deleted deleting removed", "删除"),
    "receive": ("received receiving receive", "接收 收到"),
    "terminate": ("terminating terminated exited stopped", "终止 停止"),
    "start": ("started starting launched", "启动"),
    # which figure of the thing
    "@free": ("free available remaining left", "剩余 可用 空余 剩下 剩 空闲空间"),
    "@limit": ("limit max maximum cap capacity quota", "上限 最大 限制 配额 容量 总量"),
    "@min": ("min minimum lowest", "最小 最低"),
    "@threshold": ("threshold", "阈值 门限 告警线"),
    "@idle": ("idle", "空闲"),
    "@active": ("active", "活跃"),
    "@waiting": ("waiting pending", "等待 排队"),
    "@requested": ("requested", "申请"),
    "@used": ("used usage utilization", "已用 使用 占用 利用率 使用率"),
}
_ENGLISH: dict[str, frozenset[str]] = {}
_CHINESE: dict[str, frozenset[str]] = {}
for _concept, (_en, _zh) in _TABLE.items():
    for _word in _en.split():
        _ENGLISH[_word] = _ENGLISH.get(_word, frozenset()) | {_concept}
    for _word in _zh.split():
        _CHINESE[_word] = _CHINESE.get(_word, frozenset()) | {_concept}
_TOKEN = re.compile(rf"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|p\d\d|{any_of(w for w in _CHINESE if not w.isascii())}")
# A figure of one of these is never a figure of another.
RESOURCES = frozenset(["cpu", "memory", "disk", "network", "temperature", "latency"])
_SIDE_CHECKED = frozenset({"@free", "@limit", "@threshold", "@idle", "@active", "@waiting", "@min", "@requested"})


@lru_cache(maxsize=8192)
def concepts(text: str) -> frozenset[str]:
    """Every concept named in ``text`` (a clause, a key such as ``maxConnections``, a metric name)."""
    found: set[str] = set()
    for token in _TOKEN.findall(text):
        hit = _CHINESE.get(token) or _ENGLISH.get(token.lower())
        if hit:
            found |= hit
    return frozenset(found)


@lru_cache(maxsize=4096)
def core(found: frozenset[str]) -> frozenset[str]:
    """The concepts that name the thing."""
    return frozenset(item for item in found if item[0] != "@")


@lru_cache(maxsize=4096)
def side(found: frozenset[str]) -> frozenset[str]:
    """The concepts that tell figures of one thing apart (free, limit, threshold, idle, ...)."""
    return found & _SIDE_CHECKED
