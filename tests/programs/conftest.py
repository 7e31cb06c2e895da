"""A small scenario folder in the shipped format, for the tools and the facts."""

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

CST = timezone(timedelta(hours=8))
START = datetime(2026, 5, 12, 9, 0, tzinfo=CST)


def moment(clock: str) -> datetime:
    """A time of the scenario's day."""
    return datetime.fromisoformat(f"2026-05-12T{clock}+08:00")


@pytest.fixture
def line() -> Callable[..., dict[str, Any]]:
    """One log record from ``(clock, level, service, message)``."""

    def build(clock: str, level: str, service: str, message: str, host: str = "pod-1") -> dict[str, Any]:
        stamp = moment(clock).isoformat(timespec="milliseconds")
        return {"timestamp": stamp, "level": level, "service": service, "host": host, "message": message}

    return build


@pytest.fixture
def series() -> Callable[..., dict[str, Any]]:
    """One Prometheus series, a value every 30 seconds from 09:00."""

    def build(name: str, service: str, values: Iterable[object], **labels: str) -> dict[str, Any]:
        start = int(START.timestamp())
        pairs = [[start + 30 * at, str(value)] for at, value in enumerate(values)]
        return {"metric": {"__name__": name, "service": service, **labels}, "values": pairs}

    return build


@pytest.fixture
def alert() -> Callable[..., dict[str, Any]]:
    def build(
        name: str, service: str, starts: str, severity: str = "critical", ends: str | None = None
    ) -> dict[str, Any]:
        return {
            "labels": {"alertname": name, "service": service, "severity": severity},
            "annotations": {"summary": f"{name} 摘要"},
            "startsAt": moment(starts).isoformat(),
            "endsAt": moment(ends).isoformat() if ends else "0001-01-01T00:00:00Z",
            "status": {"state": "active", "silencedBy": [], "inhibitedBy": []},
        }

    return build


@pytest.fixture
def scenario_folder(tmp_path: Path) -> Callable[..., Path]:
    """Writes a scenario: shop depends on db; the window is 09:00 to 10:00. Lines may be records or raw bytes."""

    def write(
        lines: Iterable[Mapping[str, Any] | bytes] = (),
        series: Iterable[Mapping[str, Any]] = (),
        alerts: Iterable[Mapping[str, Any]] = (),
        units: Mapping[str, str] | None = None,
        runbooks: Mapping[str, str] | None = None,
        **changes: Any,
    ) -> Path:
        folder = tmp_path / "shop-down"
        (folder / "runbooks").mkdir(parents=True, exist_ok=True)
        head = {
            "name": "shop-down",
            "title": "商城故障",
            "default": False,
            "clock": "2026-05-12T10:00:00+08:00",
            "timezone": "Asia/Shanghai",
            "window": {"start": "2026-05-12T09:00:00+08:00", "end": "2026-05-12T10:00:00+08:00"},
            "services": [
                {"name": "shop", "aliases": ["商城", "online shop"], "depends_on": ["db"]},
                {"name": "db", "aliases": ["数据库"], "depends_on": []},
                {"name": "shop-admin", "aliases": ["商城后台"], "depends_on": ["shop"]},
                {"name": "batch", "aliases": [], "depends_on": []},
            ],
            "hosts": ["shop-7d9c-1", "batch-03"],
            **changes,
        }
        (folder / "scenario.json").write_text(json.dumps(head, ensure_ascii=False), encoding="utf-8")
        rows = [row if isinstance(row, bytes) else json.dumps(row, ensure_ascii=False).encode() for row in lines]
        (folder / "logs.jsonl").write_bytes(b"\n".join(rows) + b"\n")
        metadata = {name: {"unit": unit, "help": ""} for name, unit in (units or {}).items()}
        answer = {"status": "success", "data": {"resultType": "matrix", "result": list(series)}, "metadata": metadata}
        (folder / "metrics.json").write_text(json.dumps(answer), encoding="utf-8")
        (folder / "alerts.json").write_text(json.dumps(list(alerts), ensure_ascii=False), encoding="utf-8")
        for name, text in (runbooks or {"pool": "# 连接池\n\n## 处置\n\n调大连接池上限。\n"}).items():
            (folder / "runbooks" / f"{name}.md").write_text(text, encoding="utf-8")
        return folder

    return write
