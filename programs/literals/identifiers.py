"""Names in a claim: addresses, hosts, services, codes, paths, versions, quoted text; and their whole-token lookup."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from programs.literals import names
from programs.literals.quantity import EXACT_DIGITS
from programs.literals.scan import Scan
from programs.literals.text import mentions


class Name(NamedTuple):
    """A name as the claim writes it. ``kind``: ip, host, service, code, quoted. ``needle``: lower case, as searched."""

    start: int
    end: int
    text: str
    kind: str
    needle: str
    critical: bool = True


_IP = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5}|/\d{1,2})?$|[\da-fA-F]{0,4}:[\da-fA-F:]*:[\da-fA-F]{1,4}$")
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$", re.I)
_VERSION = re.compile(r"[vV]?\d+(?:\.\d+)+(?:[-.]?[A-Za-z0-9]+)*$")
_CAMEL = re.compile(r"[A-Z]*[a-z]+[A-Z][A-Za-z]*$|[A-Z]{2,}[a-z]{2,}[A-Za-z]*$")
_CODE_DASH = re.compile(r"[A-Z]{2,10}[-_]?\d{2,6}$")
_CAPS_CODE = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$")
_HEX = re.compile(r"0x[0-9a-fA-F]+$")
_QUOTED = re.compile(
    r"`([^`\n]{1,160})`|“([^”\n]{1,160})”|\"([^\"\n]{1,160})\"|「([^」\n]{1,160})」|『([^』\n]{1,160})』|"
    r"(?<![A-Za-z0-9])'([^'\n]{2,160})'(?![A-Za-z])|‘([^’\n]{1,160})’"
)
_TECHNICAL = re.compile(r"[A-Za-z0-9]{2}")
_STATUS_CLASS, _ORDINAL, _SHORT = re.compile(r"\dxx$"), re.compile(r"\d+[A-Za-z]{1,3}$"), re.compile(r"[A-Za-z]\d$")
_ANY_QUOTE = re.compile("[`“\"「『'‘]")
_HTTP_CODE = re.compile(
    r"(?:HTTP(?:/\d(?:\.\d)?)?(?:\s*(?:状态码|错误码|响应码|status|code|错误|返回))?|状态码|响应码|返回码|status(?:\s?code)?|"
    r"返回(?:的是|了|的)?|报(?:的是|了)?|响应(?:的是|了)?|returned|returning|returns|responded with|\ba)\s*(?:是|为|"
    r"[:=])?\s*(?:HTTP\s*)?([1-5]\d\d)(?!\s*[\d.%]|\s?(?:ms|s|条|次|个|毫秒|秒|MB|GB|KB|行|笔|台)|[\w.:])",
    re.I | re.A,
)
_OTHER_CODE = re.compile(
    r"(?:错误码|错误号|退出码|退出状态|exit(?:ed)?(?:\s(?:code|status|with code|with status|with))?|error\s?code|errno|"
    r"error|rc|SQLSTATE|code)\s*(?:是|为|[:=]|was|is|of)?\s*(-?\d{1,6})(?![\w.:%]|\s?(?:ms|条|次|个|行|rows|"
    r"lines|times))",
    re.I | re.A,
)
_CODE_CUES = ("码", "号", "退出", "exit", "err", "rc", "sqlstate", "code")
_VERSION_NUMBER = re.compile(r"(?:版本号?|version|\bv)\s*(?:是|为|号|:)?\s*(\d+\.\d+)(?![\w.%])", re.I | re.A)
_PORT = re.compile(
    r"(?:端口|\bports?)\s*(?:号|number)?\s*(?:is|was|是|为|[:=])?\s*(\d{1,5})(?![\w.:%]|\s?[个次])|(?<![\w.:])(\d{2,5})\s?(?:号|的)?\s?端口",
    re.I | re.A,
)
# What makes a service of a joined English word, and of a plain word in Chinese.
_CALLED = re.compile(r"\s(?:pod|service|cluster|instance|node|host|process|server|daemon)(?![A-Za-z])", re.I)
_CALLED_IN_CHINESE = ("服务", "实例", "集群", "节点", "进程", "主机", "容器", "组件", "模块")
_NOT_HOSTLIKE_TLD = re.compile(r"\.(?:[A-Z][a-z]+)$")


def quoted(text: str) -> list[Name]:
    """Quoted spans. Prose in quotes (no letter or digit of an identifier) is not critical."""
    out: list[Name] = []
    if not _ANY_QUOTE.search(text):
        return out
    for found in _QUOTED.finditer(text):
        inner = next(group for group in found.groups() if group)
        stripped = inner.strip(" ,.;，。；")
        if not stripped:
            continue
        technical = found[1] is not None or _TECHNICAL.search(stripped) is not None
        out.append(Name(found.start(), found.end(), inner, "quoted", " ".join(stripped.lower().split()), technical))
    return out


@lru_cache(maxsize=8192)
def _kind(token: str, after: str, ascii_text: bool) -> tuple[str, bool] | None:
    """(kind, critical) of a word token, or None when it is ordinary prose. ``after``: the text right behind it."""
    low = token.lower()
    if names.is_plain(token) or after[:1] == "%":  # CPU95%
        return None
    if _IP.match(token):
        return "ip", True
    if _UUID.match(token) or _HEX.match(token) or low.startswith("blk_") or token[0] == "/":
        return "code", True
    if low in names.SOFTWARE:
        return "service", True
    letters = any(char.isalpha() for char in token)
    digits = any(char.isdigit() for char in token)
    if not letters:
        long = token.isdigit() and len(token) > EXACT_DIGITS  # an order number, an epoch in nanoseconds
        return ("code", True) if long or _VERSION.match(token) else None
    if (
        _VERSION.match(token)
        or _CODE_DASH.match(token)
        or _CAPS_CODE.match(token)
        or token.startswith(names.CODE_PREFIXES)
    ):
        return "code", True
    if ":" in token:
        return "host", True
    if _STATUS_CLASS.match(low):
        return None
    if "_" in token.strip("_"):
        return "service", True
    if digits:
        if _ORDINAL.match(token):  # 3A, 2nd, 10x
            return None
        if _SHORT.match(token):
            return "code", False
        return "host", True
    if "." in token:
        if "$" in token or token.count(".") >= 2:
            return "service", True
        return ("host", True) if not _NOT_HOSTLIKE_TLD.search(token) and min(map(len, token.split("."))) >= 2 else None
    if "-" in token:
        if token.isupper():
            return None
        if names.is_infrastructure(token):
            return "service", True
        return (
            None if names.is_prose_compound(token) else ("service", not ascii_text or _CALLED.match(after) is not None)
        )
    if _CAMEL.match(token) and len(token) > 3 and not names.is_product_camel(token):
        return ("code" if token.endswith(("Exception", "Error", "Killed", "Pressure", "BackOff")) else "service"), True
    return ("service", False) if after.startswith(_CALLED_IN_CHINESE) and low == token and len(token) > 2 else None


def names_in(text: str, scan: Scan) -> list[Name]:
    """Every name of a narrowed claim text, quoted spans apart."""
    plain = text.isascii()
    out = [
        Name(start, end, token, kind[0], token.lower(), kind[1])
        for start, end, token in scan.words
        if (kind := _kind(token, text[end : end + 12], plain)) is not None
    ]
    for found in _HTTP_CODE.finditer(text):
        out.append(Name(found.start(1), found.end(1), found[1], "code", found[1]))
    low = text.lower()
    codes = _OTHER_CODE.finditer(text) if mentions(low, _CODE_CUES) else ()
    versions = _VERSION_NUMBER.finditer(text) if "版本" in low or "v" in low else ()
    ports = _PORT.finditer(text) if "端口" in low or "port" in low else ()
    for number_of, matches in (("code", codes), ("code", versions), ("port", ports)):
        for found in matches:
            start, end = found.span(found.lastindex or 0)
            if not any(name.start <= start < name.end for name in out):
                out.append(Name(start, end, text[start:end], number_of, text[start:end]))
    return sorted(out, key=lambda name: name.start)


_DIGITS = re.compile(r"[0-9]+")
_SHAPE = str.maketrans("0123456789abcdefghijklmnopqrstuvwxyz", "9" * 10 + "a" * 26)
_POD_TAIL = re.compile(r"-[a-f0-9]{6,10}-[a-z0-9]{5}(?![a-z0-9-])")


def _word(char: str) -> bool:
    return char.isascii() and (char.isalnum() or char == "_")


def whole(needle: str, low: str) -> int:
    """Position of ``needle`` in ``low`` (both lower case) as a whole token, or -1.

    ``redis`` is not in ``redis-sentinel`` and ``pay-1`` not in ``pay-10``; a dotted or slashed neighbour is another
    part of a path or of a full host name and does not break the token, except for addresses and versions.
    """
    at = low.find(needle)
    size = len(needle)
    numeric = needle[0].isdigit() and needle[-1].isdigit()
    while at >= 0:
        end = at + size
        before = low[at - 1] if at else " "
        after = low[end] if end < len(low) else " "
        ok = not (_word(before) and _word(needle[0])) and not (_word(after) and _word(needle[-1]))
        if ok and before in "-." and at >= 2 and _word(low[at - 2]) and _word(needle[0]):
            ok = before == "." and not numeric and not low[at - 2].isdigit()
        if ok and after in "-." and end + 1 < len(low) and _word(low[end + 1]) and _word(needle[-1]):
            ok = (after == "." and not numeric and needle[0] != "/") or (
                after == "-" and _POD_TAIL.match(low, end) is not None
            )
        if ok:
            return at
        at = low.find(needle, at + 1)
    return -1


def shape(token: str) -> str:
    """Digits as 9 and letters as a: tokens of one shape are written alike."""
    return token.lower().translate(_SHAPE)


def _changed(one: str, two: str) -> int:
    """At how many places two texts of one length differ; 3 stands for more."""
    count = 0
    for a, b in zip(one, two, strict=True):
        if a != b:
            count += 1
            if count == 3:
                break
    return count


def near_miss(needle: str, other: str) -> bool:
    """``other`` is ``needle`` with one or two characters changed or two swapped, or another number after one prefix."""
    if needle == other:
        return False
    if len(needle) == len(other):
        return _changed(needle, other) <= 2 and (len(needle) >= 12 or shape(needle) == shape(other))
    a, b = _DIGITS.sub("9", needle), _DIGITS.sub("9", other)
    return a == b and abs(len(needle) - len(other)) <= 2
