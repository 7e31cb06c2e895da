"""Numbers that are codes, versions or ports, quotations, and the whole-token and near-miss rules for names."""

from __future__ import annotations

import pytest

from programs.grounding import literals
from programs.literals.identifiers import near_miss, shape, whole

# (words beside a number, the code it is then), each also in a sentence
CODES = {
    "{} 503": """HTTP | http | HTTP/1.1 | HTTP/2 | HTTP 状态码 | HTTP 错误码 | HTTP 响应码 | HTTP status | HTTP code |
        HTTP 错误 | HTTP 返回 | 状态码 | 响应码 | 返回码是 | status | status code | statuscode | pay 返回 |
        pay 返回的是 | pay 返回了 | pay 返回的 | pay 报 | pay 报的是 | pay 报了 | pay 响应 | pay 响应的是 | pay 响应了 |
        it returned | pay is returning | it returns | it responded with | it gave a | status= | 状态码为 | 返回： |
        返回 HTTP | Returned HTTP | status:""",
    "{} 137": """错误码 | 错误号 | 退出码 | 退出状态 | exit | exited | exit code | exited with code | exit status |
        exited with status | exit with | error code | errorcode | errno | error | rc | SQLSTATE | code | 错误码是 |
        退出码为 | rc = | rc: | Errno was | Exit code is | a code of""",
    "{} 2.3": "版本 | 版本号 | 版本号是 | 版本为 | version | Version: | 版本号： | v | 升级到版本",
}
PORTS = {
    "{} 3306": """端口 | 端口号 | 端口是 | 端口为 | 端口号是 | port | ports | Port is | port was | port= | port: |
        port number | port number: | 监听端口""",
    "3306{}": " 端口 |端口| 号端口 |的端口",
}
# A unit or another digit behind the number, or no such word before it: no code.
PLAIN = {
    "返回 503{}": "%| %|.5|ms| ms|s| 条|条| 次|个|毫秒| 秒|行|笔|台|.|:1|1",
    "error 137{}": "%|ms| ms| 条|次|个|行| rows| lines| times|.5|1234",
    "{}": """返回 603 | 返回 50 | 耗时 503 | total 503 | 返回 5030 | 版本 2.3% | 版本 2 | envy 2.3 | version 2.3x |
        端口 3306 个 | 端口 3306次 | 端口 3306% | report 3306 | 端口 123456 | port 3306.5""",
}


def codes_in(text: str) -> list[tuple[str, str]]:
    return [(item.text, item.kind) for item in literals(text) if item.kind in ("code", "port")]


def filled(table: dict[str, str]) -> list[str]:
    return [
        form.format(words.strip("\n")) for form, row in table.items() for words in row.replace(" | ", "|").split("|")
    ]


@pytest.mark.parametrize("text", [" ".join(text.split()) for text in filled(CODES)])
def test_a_number_is_a_code_by_the_words_before_it(text: str) -> None:
    number = text.split()[-1]
    assert codes_in(text) == codes_in(f"{text}，随后恢复") == [(number, "code")]


@pytest.mark.parametrize("text", [" ".join(text.split()) for text in filled(PORTS)])
def test_a_number_is_a_port_beside_that_word(text: str) -> None:
    assert codes_in(text) == codes_in(f"{text} 不通") == [("3306", "port")]


@pytest.mark.parametrize("text", [text.strip() for text in filled(PLAIN)])
def test_a_quantity_is_no_code(text: str) -> None:
    assert codes_in(text) == []


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("错误码 -110", [("-110", "code")]),
        ("rc 0", [("0", "code")]),
        ("错误码 123456", [("123456", "code")]),
        ("错误码 503，返回 503", [("503", "code"), ("503", "code")]),
        ("端口 8080 的版本 2.3 返回 503", [("8080", "port"), ("2.3", "code"), ("503", "code")]),
        ("退出码137", [("137", "code")]),
        ("pay返回503错误", [("503", "code")]),
        ("退出码137后重启", [("137", "code")]),
        ("升级v 2.3后出错，而Version 2.4出现", [("2.3", "code"), ("2.4", "code")]),
        ("监听port 3306失败，端口3307不通", [("3306", "port"), ("3307", "port")]),
        ("这个3306端口不通", [("3306", "port")]),
        ("v2.3 和 2.3.1-rc1", [("v2.3", "code"), ("2.3.1-rc1", "code")]),
    ],
)
def test_each_code_of_a_claim_is_named_once(text: str, codes: list[tuple[str, str]]) -> None:
    assert codes_in(text) == codes


# (quotation with its marks, whether it holds a technical word); None: no quotation
QUOTATIONS = [
    *((text, True) for text in ("`disk full`", "“disk full”", '"disk full"', "「disk full」", "『disk full』")),
    *((text, True) for text in ("'disk full'", "‘disk full’", "`磁盘`", "“OK”", "“磁盘 no 1a”")),
    *((text, False) for text in ("“磁盘满”", "「满」", "“a”", "‘满’", '"磁盘满了 !"')),
    *((text, None) for text in ("``", "“ ”", '" ,"', "“。”", "'x'", "`a\nb`", "“" + "长" * 161 + "”", "don't 'x")),
]


@pytest.mark.parametrize(("quotation", "critical"), QUOTATIONS)
def test_a_quotation_is_a_name_of_its_own(quotation: str, critical: bool | None) -> None:
    found = [(item.text, item.critical) for item in literals(f"日志写着{quotation}。") if item.kind == "quoted"]
    assert found == ([] if critical is None else [(quotation, critical)])


WHOLE = [
    *(("redis", "redis", True), ("redis", "the redis is", True), ("redis", "redis-sentinel", False)),
    *(
        ("redis", "my-redis", False),
        ("redis", "-redis-", True),
        ("redis", "redis_1", False),
        ("redis", "xredis", False),
    ),
    *(
        ("redis", "redis. next", True),
        ("redis", "a.redis", True),
        ("redis", "redis.prod", True),
        ("redis", "/redis/", True),
    ),
    *(("redis", "redis-sentinel redis", True), ("redis", "redis-", True), ("redis", ".redis", True)),
    *(
        ("redis", "服务redis异常", True),
        ("redis", "1.redis", False),
        ("pay-1", "pay-10", False),
        ("pay-1", "pay-1.a", True),
    ),
    *(("10.1.2.3", "10.1.2.3", True), ("10.1.2.3", "10.1.2.3:80", True), ("10.1.2.3", "10.1.2.3.4", False)),
    *(("10.1.2.3", "1.10.1.2.3", False), ("10.1.2.3", "10.1.2.3.", True), ("10.1.2.3", "x.10.1.2.3", False)),
    *(
        ("pay", "pay-7d9f8b6c5d-x2x1v", True),
        ("pay", "pay-7d9f8b6c5d-x2x1v-1", False),
        ("pay", "pay-7d9f8-x2x1v", False),
    ),
    *(("pay", "pay-7d9f8b6c5d1-x2x1v", False), ("pay", "pay-7d9f8b6c5d-x2x1vv", False), ("pay", "pay-7d9f8b", False)),
    *(("/var/log", "/var/log/app", True), ("/var/log", "/var/log.1", False), ("/var/log", "/var/logs", False)),
    *(("/var/log", "x/var/log", True), ("/var/log", "a./var/log", True), ("a/", "a/b", True), ("a/", "a/.b", True)),
]


@pytest.mark.parametrize(("needle", "text", "inside"), WHOLE)
def test_a_name_is_looked_for_as_a_whole(needle: str, text: str, inside: bool) -> None:
    at = whole(needle, text)
    assert (at >= 0) is inside
    assert at < 0 or text.startswith(needle, at)


def test_a_whole_name_behind_a_part_of_another_is_found_there() -> None:
    assert whole("redis", "redis-sentinel redis") == 15
    assert whole("redis", "redis redis") == 0


NEAR = [
    *(("web-12", "web-13", True), ("web-12", "web-21", True), ("web-12", "web-12", False), ("web-12", "wab-34", False)),
    *(("web-12", "web-1x", False), ("web-12", "app-12", False), ("web-1", "web-10", True), ("web-1", "web-100", True)),
    *(("web-1", "web-1000", False), ("node-a", "node-b", True), ("node", "nodes", False), ("web-1a", "web-10a", True)),
    *(("weba", "web1a", False), ("user-login01", "user-login0x", True), ("user-login0", "user-login9", True)),
    *(
        ("user-login0", "user-loginx", False),
        ("user-logins01", "user-logons02", True),
        ("abcd1efgh2", "abxd9efgh3", False),
    ),
    *(("10.1.2.3", "10.1.2.33", True), ("db-1", "db1", False), ("v2.3.1", "v2.3.10", True)),
]


@pytest.mark.parametrize(("needle", "other", "near"), NEAR)
def test_a_near_miss_is_written_alike(needle: str, other: str, near: bool) -> None:
    assert near_miss(needle, other) is near


def test_names_of_one_shape_are_written_alike() -> None:
    assert shape("Web-12z") == shape("abc-00A") != shape("web-1")
    assert shape("a1_B") == "a9_a"
