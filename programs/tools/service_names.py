"""Services by name and alias inside free text, and the services that stand behind them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True)
class Service:
    """A service, the words users call it by, and what it calls."""

    name: str
    aliases: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()


@dataclass(frozen=True)
class Mention:
    """A service found in a text by ``word``, at ``place`` characters from its start."""

    service: str
    word: str
    place: int


@lru_cache(maxsize=4096)
def _pattern(word: str) -> re.Pattern[str]:
    # Latin names match as whole tokens only: redis is not redis-sentinel. Chinese has no word borders to look at.
    before = r"(?<![A-Za-z0-9_-])" if re.match(r"[A-Za-z0-9]", word) else ""
    after = r"(?![A-Za-z0-9_-])" if re.search(r"[A-Za-z0-9]$", word) else ""
    return re.compile(before + re.escape(word) + after, re.IGNORECASE)


def mentions(text: str, services: Iterable[Service]) -> tuple[Mention, ...]:
    """Every service named in ``text``, in the order of the text; the longest word wins where words overlap."""
    words = sorted(
        ((word, service.name) for service in services for word in (service.name, *service.aliases) if word.strip()),
        key=lambda pair: (-len(pair[0]), pair),
    )
    found: dict[str, Mention] = {}
    rest = text
    for word, name in words:
        for match in _pattern(word).finditer(rest):
            if name not in found or match.start() < found[name].place:
                found[name] = Mention(name, match.group(), match.start())
        rest = _pattern(word).sub(lambda match: "\x00" * len(match.group()), rest)
    return tuple(sorted(found.values(), key=lambda mention: mention.place))


def resolve(word: str, services: Iterable[Service]) -> str | None:
    """The service that ``word`` names or is an alias of, None when there is none."""
    wanted = word.strip().casefold()
    for service in services:
        if wanted in {name.casefold() for name in (service.name, *service.aliases)}:
            return service.name
    return None


def behind(names: Sequence[str], services: Sequence[Service]) -> tuple[str, ...]:
    """What ``names`` depend on, directly or not, nearest first, without ``names``."""
    needs = {service.name: service.depends_on for service in services}
    order: list[str] = []
    layer = list(names)
    while layer:
        layer = [need for name in layer for need in needs.get(name, ())]
        layer = [need for need in dict.fromkeys(layer) if need not in order and need not in names]
        order.extend(layer)
    return tuple(order)
