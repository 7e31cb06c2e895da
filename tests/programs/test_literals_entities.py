"""Addresses, hosts, services, codes, paths and quotes: whole tokens only."""

from __future__ import annotations

from typing import Any

import pytest

from tests.programs.test_literals_width import C, F, U, looked_up

# N: whatever becomes of the literal, nothing of the claim may conflict.
N = "no conflict"

NAMES = [
    ("10.1.2.3:8080 拒绝连接", "10.1.2.3:8080", "connect 10.1.2.3:8080 refused", F),
    ("10.1.2.3:8080 拒绝连接", "10.1.2.3:8080", "connect 10.1.2.3:8081 refused", C),
    ("10.1.2.3 拒绝连接", "10.1.2.3", "connect 10.1.2.3:8081 refused", F),
    ("端口 8080 被占用", "8080", "address already in use port=8080", F),
    ("端口 8080 被占用", "8080", "address already in use :8080", F),
    ("端口 8080 被占用", "8080", "address already in use port=9090", C),
    ("端口 8080 被占用", "8080", "address already in use 0.0.0.0:9090", N),
    ("8080 端口被占用", "8080", "bind 0.0.0.0:8080 failed", F),
    ("IPv6 fe80::1 不通", "fe80::1", "ping fe80::1 unreachable", F),
    ("IPv6 2001:db8::5 不通", "2001:db8::5", "ping 2001:db8::5 unreachable", F),
    ("IPv6 2001:db8::5 不通", "2001:db8::5", "ping 2001:db8::50 unreachable", N),
    ("网段 10.1.0.0/16 不通", "10.1.0.0/16", "route 10.1.0.0/16 lost", F),
    ("MAC 00:1a:2b:3c:4d:5e 抖动", "00:1a:2b:3c:4d:5e", "mac 00:1a:2b:3c:4d:5e flapping", F),
    ("pay-1 超时", "pay-1", "pay-10 timeout", C),
    ("pay-1 超时", "pay-1", "pay-1 timeout", F),
    ("redis 超时", "redis", "redis-sentinel timeout", U),
    ("Redis超时", "Redis", "redis timeout", F),
    ("cpu_saturation 告警", "cpu_saturation", {"alertname": "cpu_saturation_bad_query"}, U),
    (
        "payment-gateway-7d9f8b6c5d-x2x1v 重启",
        "payment-gateway-7d9f8b6c5d-x2x1v",
        "pod payment-gateway-7d9f8b6c5d-x2x1v restarted",
        F,
    ),
    (
        "payment-gateway-7d9f8b6c5d-x2x1v 重启",
        "payment-gateway-7d9f8b6c5d-x2x1v",
        "pod payment-gateway-7d9f8b6c5d-x2x1w restarted",
        C,
    ),
    ("payment-gateway 重启", "payment-gateway", "pod payment-gateway-7d9f8b6c5d-x2x1v restarted", F),
    ("payment 重启", "payment", "payment-gateway restarted", N),
    ("ERROR 1045", "1045", "ERROR 1045 (28000): Access denied", F),
    ("错误码 1045", "1045", "ERROR 1040 (HY000): Too many connections", C),
    ("SQLSTATE 28000", "28000", "SQLSTATE 28000", F),
    ("ORA-01652", "ORA-01652", "ORA-01652: unable", F),
    ("报 NullPointerException", "NullPointerException", "java.lang.NullPointerException at x", F),
    ("报 NullPointerException", "NullPointerException", "java.lang.IllegalStateException at x", U),
    ("errno 111", "111", "connect() failed (111: Connection refused)", F),
    ("退出码 137", "137", "exit_code=143", C),
    ("退出码 137", "137", "exited with code 137", F),
    ("HTTP 503", "503", "status=503", F),
    ("返回 5xx", "5xx", "status=503", N),
    ("状态码 503", "503", '"GET / HTTP/1.1" 502 157', C),
    (
        "trace 4bf92f3577b34da6a3ce929d0e0e4736",
        "4bf92f3577b34da6a3ce929d0e0e4736",
        "trace=4bf92f3577b34da6a3ce929d0e0e4736",
        F,
    ),
    ("commit 9f8e7d6", "9f8e7d6", "deploy commit 9f8e7d6", F),
    ("commit 9f8e7d6", "9f8e7d6", "deploy commit 1a2b3c4", N),
    ("文件 /var/log/app.log 已满", "/var/log/app.log", "write /var/log/app.log: no space", F),
    ("文件 /var/log/app.log 已满", "/var/log/app.log", "write /var/log/app.log.1: no space", U),
    ("文件 /var/log 已满", "/var/log", "write /var/log/app.log: no space", N),
    ("v2.3.1 发布", "v2.3.1", "deployed v2.3.1", F),
    ("v2.3.1 发布", "v2.3.1", "deployed v2.3.10", U),
    ("版本 2.3.1", "2.3.1", "image app:2.3.1", F),
    ("app 版本 2.3.1", "2.3.1", "image app:2.4.0", N),
    ("「连接超时」出现", "「连接超时」", "连接超时", F),
    ("日志“connection reset”", "“connection reset”", "connection  reset by peer", F),
    ("日志“connection refused”", "“connection refused”", "connection reset", U),
    ("`max_connections` 不够", "max_connections", "max_connections=151", F),
    ("`pool.max` 被改", "pool.max", "pool.max_idle changed", U),
    ("user@example.com 登录失败", "user@example.com", "login failed for user@example.com", F),
    ("topic orders-events 积压", "orders-events", "topic orders-events lag", F),
    ("主机 web01 宕机", "web01", "web01 down", F),
    ("主机 web01 宕机", "web01", "web011 down", N),
    ("主机 web01.prod.example.com", "web01.prod.example.com", "web01.prod.example.com down", F),
    ("主机 web01", "web01", "web01.prod.example.com down", F),
    ("ＷＥＢ－０１ 宕机", "ＷＥＢ－０１", "web-01 down", F),
    ("pod nginx-0 重启", "nginx-0", "nginx-0 restarted", F),
    ("磁盘 /dev/sda1 满", "/dev/sda1", "/dev/sda1 full", F),
    ("磁盘 sda1 满", "sda1", "/dev/sda1 full", F),
    (
        "UUID 123e4567-e89b-12d3-a456-426614174000",
        "123e4567-e89b-12d3-a456-426614174000",
        "id=123e4567-e89b-12d3-a456-426614174000",
        F,
    ),
]


@pytest.mark.parametrize(("claim", "literal", "excerpts", "status"), NAMES)
def test_a_name_is_found_whole(claim: str, literal: str, excerpts: Any, status: str) -> None:
    looked_up(claim, literal, excerpts, status)
