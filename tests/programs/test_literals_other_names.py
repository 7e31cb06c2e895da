"""A name that the excerpts do not hold: another one in its place contradicts it, or it is only unseen."""

from __future__ import annotations

from typing import Any

import pytest

from programs.grounding import ground
from tests.programs.test_literals_width import C, F, U, evidence

# (claim, name, excerpts, status, the excerpt's text and the detail when one decided)
CODES: list[tuple[str, str, list[Any], str, str]] = [
    # an HTTP status, in every writing
    *(
        ("pay 返回 504", "504", [text], C, "the excerpts show code 503")
        for text in (
            *("HTTP 503", "http/1.1 503", "http/2 503", 'http/1.1" 503', "http: 503", "http=503", "status 503"),
            *("status_code=503", "statuscode: 503", 'code": 503', "http_status=503", "returned 503", "返回 503"),
            *("status http 503", '"GET / HTTP/1.1" 503 12', "503 Service Unavailable", "503 bad", "503 Gateway"),
            *("503 not found", "503 internal", "503 too many", "503 forbidden", "503 unauthorized", "503 request time"),
        )
    ),
    *(
        ("pay 返回 504", "504", [text], U, "")
        for text in ("took 503 ms", "status 5030", "503 rows", "status 503.2", "status=503%", "303 service", "x503 bad")
    ),
    ("pay 返回 504", "504", ["status 503", "status 502"], U, ""),
    ("pay 返回 504", "504", ["status 503", "status 503 again"], C, "the excerpts show code 503"),
    ("pay 返回 504，之前返回 503", "504", ["status 503"], U, ""),
    ("pay 返回的不是 504", "504", ["status 503"], U, ""),
    ("pay-1 返回 504", "504", ["pay-1 status 503"], C, "the excerpts show code 503"),
    ("pay-1 返回 504", "504", ["pay-1 slow", "pay-2 status 503"], U, ""),
    ("pay-1 返回 504", "504", ["pay-2 status 503"], C, "the excerpts show code 503"),
    # the records of the claim's other names are what is meant
    *(
        (claim, "504", [text, "status 503"], U, "")
        for claim, text in (
            *(("端口 8080 返回 504", "port 8080 slow"), ("“sk full” 时返回 504", "disk full now")),
            *(("mysql 返回 504", "mysqld slow"), ("版本 1.18 返回 504", "app 1.18.2 up")),
        )
    ),
    ("mysql 返回 504", "504", ["mysqld: status 503", "ok"], C, "the excerpts show code 503"),
    # an error number
    ("错误码 1045", "1045", ["ERROR 1040 (HY000)"], C, "the excerpts show code 1040"),
    ("错误码 1045", "1045", ["ERROR 1040: denied"], C, "the excerpts show code 1040"),
    ("错误码 1045", "1045", ["ERROR 1040"], U, ""),
    ("错误码 204", "204", ["ERROR 1040 (HY000)"], C, "the excerpts show code 1040"),
    ("错误码 1045", "1045", ["errors=1040"], U, ""),
    # a number under a key of codes
    *(
        ("退出码 9", "9", [f"{key}=7"], C, "the excerpts show code 7")
        for key in ("exit_code", "exitCode", "errno", "error", "rc", "sqlstate", "status", "code", "Code")
    ),
    ("退出码 137", "137", ["src=143"], U, ""),
    ("退出码 137", "137", ["retries=143"], U, ""),
    ("退出码 137", "137", ["error=143ms"], U, ""),
    ("退出码 -1", "-1", ["rc=2"], C, "the excerpts show code 2"),
    ("退出码 137", "137", ["rc=143", "rc=137"], F, ""),
    ("退出码 137", "137", [{"exit_code": 143}], C, "the excerpts show code 143"),
    # a port
    *(
        ("端口 8080 不通", "8080", [text], F, "")
        for text in (
            *("listen :8080", "0.0.0.0:8080", "[::]:8080", "port 8080", "port=8080", "port: 8080", "port is 8080"),
            *("db_port=8080", "端口 8080", "端口号 8080", "端口为 8080", "端口是8080", '"port": 8080', "port='8080'"),
        )
    ),
    ("端口 8080 不通", "8080", [{"port": 8080}], F, ""),
    ("端口 8080 不通", "8080", [{"targetPort": "8080"}], F, ""),
    *(
        ("端口 8080 不通", "8080", [text], U, "")
        for text in ("took 8080 ms", "a:8080:b", "0.0.0.0:8080.5", "port 8080.5", "size=8080", "report 18080")
    ),
    ("端口 8080 不通", "8080", ["port=9090"], C, "the excerpts show code 9090"),
    ("端口 8080 不通", "8080", ["端口 9090"], C, "the excerpts show code 9090"),
    ("端口 8080 不通", "8080", ["port 9090", "port 7070"], U, ""),
    ("端口 8080 不通", "8080", ["0.0.0.0:9090"], U, ""),
    ("端口 8080 不通", "8080", ["0.0.0.0:9090 port 7070"], C, "the excerpts show code 7070"),
    ("端口 8080 不通", "8080", ["status 503"], U, ""),
    ("端口 8080 不通", "8080", ["exit_code=143"], U, ""),
    # a version
    ("nginx 版本 1.18", "1.18", ["nginx/1.20.1"], C, "the excerpts show nginx 1.20.1"),
    ("nginx 版本 1.18", "1.18", ["nginx version 1.20"], C, "the excerpts show nginx 1.20"),
    ("Nginx v1.18.0", "v1.18.0", ["nginx:v1.20.1"], C, "the excerpts show Nginx 1.20.1"),
    ("nginx 版本 1.18", "1.18", ["nginx@1.20"], C, "the excerpts show nginx 1.20"),
    ("nginx 版本 1.18", "1.18", ["nginx-1.20"], C, "the excerpts show nginx 1.20"),
    ("nginx 版本 1.18", "1.18", ["nginx/1.18.2"], F, ""),
    ("nginx 版本 1.18", "1.18", ["nginx/1.180"], C, "the excerpts show nginx 1.180"),
    ("nginx v1.18", "v1.18", ["nginx v1.18.2"], F, ""),
    ("nginx v1.18", "v1.18", ["nginx 1.18.2"], F, ""),
    ("nginx 版本 1.18", "1.18", ["my-nginx/1.20"], U, ""),
    ("nginx 版本 1.18", "1.18", ["nginx latest 1.20"], U, ""),
    ("nginx 版本 1.18", "1.18", ["redis/7.0"], U, ""),
    ("nginx 版本不是 1.18", "1.18", ["nginx/1.20"], U, ""),
    ("nginx 重启，redis 版本 1.18", "1.18", ["nginx/1.20"], U, ""),
    ("redis 重启，nginx 版本 1.18", "1.18", ["nginx/1.20"], C, "the excerpts show nginx 1.20"),
]
NAMES: list[tuple[str, str, list[Any], str, str]] = [
    ("web-12 超时", "web-12", ["web-13 timeout"], C, "the excerpts show web-13"),
    ("web-12 超时", "web-12", ["web-13 restarted"], U, ""),
    ("web-12 出现", "web-12", ["web-13 seen"], U, ""),
    ("web-12 超时", "web-12", ["web-13 timeout", "web-14 timeout"], U, ""),
    ("web-12 和 web-13 超时", "web-12", ["web-13 timeout"], U, ""),
    ("不是 web-12 超时", "web-12", ["web-13 timeout"], U, ""),
    ("pay 慢，web-12 也是，连接超时", "web-12", ["web-13 timeout"], C, "the excerpts show web-13"),
    ("内存高，web-12 也是", "web-12", ["web-13 memory"], C, "the excerpts show web-13"),
    ("内存高，web-12 超时", "web-12", ["web-13 memory"], U, ""),
    ("web-12 从 10.1.2.3 收到", "web-12", ["web-13 of 10.1.2.3"], C, "the excerpts show web-13"),
    ("web-12 超时", "web-12", [{"host": "web-13", "message": "timeout"}], C, "the excerpts show web-13"),
    ("web-12 超时", "web-12", [{"host": "web-13", "message": "ok"}, "timeout"], U, ""),
    ("cart-front01 出现", "cart-front01", ["cart-front02 seen"], C, "the excerpts show cart-front02"),
    ("cart-front1 出现", "cart-front1", ["cart-front2 seen"], U, ""),
    ("cart-front01 出现", "cart-front01", ["cart-front02", "cart-front03"], C, "the excerpts show cart-front02"),
    ("ORA-01652 出现", "ORA-01652", ["ORA-01555 raised"], C, "the excerpts show ora-01555"),
    ("ORA-01652 出现", "ORA-01652", ["ORB-01555 raised"], U, ""),
    ("ORA-01652 出现", "ORA-01652", ["ORA-01555", "ORA-04031"], U, ""),
    ("ORA01652 出现", "ORA01652", ["ORA01555 raised"], C, "the excerpts show ora01555"),
    ("order-service 报错", "order-service", ["order-servise error"], U, ""),
    ("order-service2 报错", "order-service2", ["order-service3 error"], C, "the excerpts show order-service3"),
    ("order_db2 报错", "order_db2", ["order_db3 error"], C, "the excerpts show order_db3"),
    ("order_dba 报错", "order_dba", ["order_dbb error"], U, ""),
    ("mail.example 超时", "mail.example", ["mall.example timeout"], C, "the excerpts show mall.example"),
    ("db-1:3306 超时", "db-1:3306", ["db-1:3307 timeout"], C, "the excerpts show db-1:3307"),
    ("10.1.2.3:80 超时", "10.1.2.3:80", ["10.1.2.3:9090 timeout"], C, "the excerpts show 10.1.2.3:9090"),
    ("10.1.2.3:80 超时", "10.1.2.3:80", ["10.1.2.3 timeout"], U, ""),
    ("10.1.2.3:80 超时", "10.1.2.3:80", ["10.1.2.4:80 timeout"], C, "the excerpts show 10.1.2.4:80"),
    ("10.1.2.3 超时", "10.1.2.3", ["10.1.2.30 timeout"], C, "the excerpts show 10.1.2.30"),
    ("10.1.2.3 超时", "10.1.2.3", [{"timestamp": "10.1.2.30", "message": "timeout"}], U, ""),
    # under another name of the same software, or as a quotation over broken lines
    *(
        (f"{name} 变慢", name, [f"{other} slow"], F, f"as {other}")
        for name, other in (
            *(("mysql", "mysqld"), ("MySQL", "mysql-server"), ("postgres", "postgresql"), ("postgresql", "postgres")),
            *(("redis", "redis-server"), ("apache", "httpd"), ("apache", "apache2"), ("mongodb", "mongod")),
            *(("mongo", "mongod"), ("mongo", "mongodb")),
        )
    ),
    ("ssh服务变慢", "ssh", ["sshd slow"], F, "as sshd"),
    ("mysql 变慢", "mysql", ["mysqldump slow"], U, ""),
    ("mysqld 变慢", "mysqld", ["mysql slow"], U, ""),
    ("写着“disk   full”", "“disk   full”", ["a Disk\n full b"], F, ""),
    ("写着“disk full”", "“disk full”", ["thedisk fullness"], F, ""),
    ("写着“a full”", "“a full”", ["saba fully"], F, ""),
    ("写着“full”", "“full”", ["fully"], U, ""),
    ("写着“web-12”超时", "“web-12”", ["web-13 timeout"], C, "the excerpts show web-13"),
    ("写着“no web-12 now”", "“no web-12 now”", ["no web-13 now"], U, ""),
]


@pytest.mark.parametrize(("claim", "name", "excerpts", "status", "detail"), CODES + NAMES)
def test_another_name_of_the_kind_contradicts(
    claim: str, name: str, excerpts: list[Any], status: str, detail: str
) -> None:
    rows = evidence(*excerpts)
    found = next(item for item in ground(claim, rows) if item.text.strip("“”") == name.strip("“”"))
    assert (found.status, found.detail) == (status, detail), found
    assert (found.place is None) == (found.evidence_text is None) == (status == U)


@pytest.mark.parametrize(
    ("claim", "name", "at"),
    [
        ("web-12 超时", "web-12", 1),
        ("端口 8080 不通", "8080", 2),
        ("mongodb 变慢", "mongodb", 3),
        ("返回 504", "504", 4),
        ("写着“disk full now”", "“disk full now”", 5),
        ("nginx 1.18.1 报错", "1.18.1", 6),
        ("ORA-01652 出现", "ORA-01652", 7),
    ],
)
def test_the_place_is_where_the_name_or_the_other_one_stands(claim: str, name: str, at: int) -> None:
    texts = [
        *("started", "web-13 timeout", "port 8080 open", "mongod ok", "HTTP 503", "disk  full now", "nginx/1.20.1"),
        "ORA-01555 raised",
    ]
    (found,) = (item for item in ground(claim, evidence(*texts)) if item.text == name)
    assert (found.place, found.evidence_text) == (f"inv_1 $.logs[{at}].message", texts[at])
