"""Switches of a claim (debug is true, autocommit=off) against the same switch in its excerpts."""

from __future__ import annotations

from typing import Any

import pytest

from programs.grounding import ground
from tests.programs.test_literals_width import C, F, U, evidence

# (claim, the value as the claim writes it, excerpts, status); U: the switch is not reported at all
SWITCHES: list[tuple[str, str, list[Any], str]] = [
    # every value, in a text and as a field of its own
    ("debug 是 true", "true", ["debug=true"], F),
    ("debug 是 true", "true", ["debug=on"], F),
    ("debug 是 true", "true", ["debug=yes"], F),
    ("debug 是 true", "true", ["debug=enabled"], F),
    ("debug 是 true", "true", ["debug=1"], F),
    ("debug 是 true", "true", [{"debug": "true"}], F),
    ("debug 是 true", "true", [{"debug": "ON"}], F),
    ("debug 是 true", "true", [{"debug": "yes"}], F),
    ("debug 是 true", "true", [{"debug": "enabled"}], F),
    ("debug 是 true", "true", [{"debug": 1}], F),
    ("debug 是 true", "true", ["debug=false"], C),
    ("debug 是 true", "true", ["debug=off"], C),
    ("debug 是 true", "true", ["debug=no"], C),
    ("debug 是 true", "true", ["debug=disabled"], C),
    ("debug 是 true", "true", ["debug=0"], C),
    ("debug 是 true", "true", [{"debug": "false"}], C),
    ("debug 是 true", "true", [{"debug": "Off"}], C),
    ("debug 是 true", "true", [{"debug": "no"}], C),
    ("debug 是 true", "true", [{"debug": "disabled"}], C),
    ("debug 是 true", "true", [{"debug": 0}], C),
    ("debug 是 true", "true", [{"debug": "auto"}], U),
    ("debug 是 true", "true", [{"debug": 12}], U),
    ("debug 是 true", "true", ["debug=10 entries"], U),
    # every way to say it
    ("debug=on", "on", ["debug: off"], C),
    ("debug: yes", "yes", ["debug = no"], C),
    ("debug=OFF", "OFF", ["debug is off"], F),
    ("DEBUG=FALSE", "FALSE", ["debug=false"], F),
    ("debug 为 no", "no", ["debug=1"], C),
    ("debug 设为 on", "on", ["debug=off"], C),
    ("把debug设置为on", "on", ["debug=off"], C),
    ("debug 被改成 off", "off", ["debug=on"], C),
    ("debug 已设成 off", "off", ["debug=off"], F),
    ("debug 的值是 true", "true", ["debug=off"], C),
    ("debug 参数为 on", "on", ["debug=off"], C),
    ("debug 开关已改为 on", "on", ["debug=off"], C),
    ("把debug改为true时出错", "true", ["配置debug=true。"], F),
    ("`debug` 为 `true`", "true", ["debug=false"], C),
    ("“debug” 为 “true”", "true", ["debug=false"], C),
    ("'debug'='true'", "true", ["debug=false"], C),
    ("debug is on", "on", ["debug=off"], C),
    ("debug was disabled", "disabled", ["debug=true"], C),
    ("debug is now enabled", "enabled", ["debug=0"], C),
    ("debug is still enabled", "enabled", ["debug=0"], C),
    ("debug was set to true", "true", ["debug=0"], C),
    ("debug set to true", "true", ["debug=0"], C),
    ("debug is on-call", "on", ["debug=off"], U),
    ("debug is online", "on", ["debug=off"], U),
    # the name of the switch
    ("log.debug 为 true", "true", ["debug=true"], F),
    ("log.debug 为 true", "true", ["log.debug=false"], C),
    ("debug 为 true", "true", ["app.log.debug=false"], C),
    ("debug 为 true", "true", ["app-log.debug=false"], C),
    ("debug 为 true", "true", ["nodebug=false"], U),
    ("debug 为 true", "true", ["no-debug=false"], U),
    ("debug 为 true", "true", ["log_debug=false"], U),
    ("debug 为 true", "true", ["debug_level=false"], U),
    ("read-only 为 on", "on", ["read_only=off"], C),
    ("read-only 为 on", "on", [{"read_only": "off"}], C),
    ("Read-Only 为 on", "on", [{"read-only": "off"}], C),
    ("read-only 为 on", "on", ["read-only: off"], C),
    ("ssl 为 on", "on", ['{"ssl": "off"'], C),
    ("ssl 为 on", "on", ["'ssl'='off'"], C),
    ("ssl 为 on", "on", ["ssl=off."], C),
    ("ssl 为 on", "on", ["ssl=off.example.com"], U),
    ("ssl 为 on", "on", ["ssl=no-cache"], U),
    ("ssl 为 on", "on", ["ssl=offline"], U),
    ("ssl 为 on", "on", ["ssl off"], U),
    ("ssl... is on", "on", ["tls = off"], U),
    ("ssl 为 on", "on", ["tls = off"], U),
    # one that agrees is enough; a record of another thing says nothing
    ("ssl 为 on", "on", ["ssl=off", "ssl=on"], F),
    ("pay-1 的 ssl 为 on", "on", [{"host": "pay-1", "ssl": "off"}], C),
    ("pay-1 的 ssl 为 on", "on", [{"host": "pay-2", "ssl": "off"}, {"host": "pay-1", "level": "INFO"}], U),
    ("pay-1 的 ssl 为 on", "on", [{"host": "pay-2", "ssl": "off"}, {"host": "pay-1", "ssl": "on"}], F),
]


@pytest.mark.parametrize(("claim", "value", "excerpts", "status"), SWITCHES)
def test_a_switch_is_looked_up_by_its_name(claim: str, value: str, excerpts: list[Any], status: str) -> None:
    found = [item for item in ground(claim, evidence(*excerpts)) if item.kind == "state"]
    assert [(item.text, item.status) for item in found] == ([] if status == U else [(value, status)]), found


def test_a_switch_shows_the_place_that_decided() -> None:
    rows = evidence("boot", "debug=off", "debug=false")
    (found,) = ground("debug is on", rows)
    assert (found.place, found.evidence_text) == ("inv_1 $.logs[1].message", "debug=off")
    assert (found.critical, found.detail) == (True, "the excerpts show debug off")
    (found,) = ground("debug is off", rows)
    assert (found.place, found.evidence_text) == ("inv_1 $.logs[1].message", "debug=off")
    assert (found.critical, found.detail) == (False, "")


def test_two_switches_of_one_claim_stand_for_themselves() -> None:
    found = ground("ssl 为 on，而 debug 为 off", evidence("ssl=on debug=on"))
    assert [(item.text, item.status) for item in found] == [("on", F), ("off", C)]


@pytest.mark.parametrize("word", ["it", "this", "that", "which", "there", "There"])
def test_a_pronoun_is_no_switch(word: str) -> None:
    assert ground(f"{word} is no leader", evidence(f"{word} is no leader")) == ()
