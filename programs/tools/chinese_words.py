"""Chinese words as jieba cuts them, from the part of its dictionary that a small collection of texts needs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

# The sum of all frequencies in jieba's dictionary: a word's weight stays what it is in the whole of it.
_TOTAL = 60_101_967


class ChineseWords:
    """Cuts runs of Han characters, with the words that occur in ``texts``.

    jieba's own start-up reads 350,000 words: over a second, through a cache file in the shared temporary folder. A
    word that stands in none of the searched texts cannot match in a search, so only those that do are kept.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        # Imported here: jieba's start-up belongs to the first search, not to the start of the program.
        import jieba

        self._jieba: Any = jieba.Tokenizer()
        self._jieba.FREQ = _frequencies(self._jieba.get_dict_file(), "\n".join(texts))
        self._jieba.total = _TOTAL
        self._jieba.initialized = True

    def cut(self, run: str) -> list[str]:
        """Words of at least two characters; what the dictionary does not know is taken in pairs of characters."""
        words: list[str] = []
        loose = ""
        for word in self._jieba.cut_for_search(run, HMM=False):
            if len(word) == 1:
                loose += word
                continue
            words += [*_pairs(loose), word]
            loose = ""
        return words + _pairs(loose)


def _pairs(text: str) -> list[str]:
    return [text[at : at + 2] for at in range(len(text) - 1)]


def _frequencies(dictionary: Any, text: str) -> dict[str, int]:
    heads = {text[at : at + 2] for at in range(len(text) - 1)}
    found: dict[str, int] = {}
    with dictionary:
        for line in dictionary.read().decode("utf-8").splitlines():
            # Two characters decide for nearly every line, without splitting it.
            if line[:2] in heads:
                word, frequency = line.split(" ")[:2]
                if word in text:
                    found[word] = int(frequency)
    # jieba walks from a word's first character on and stops at a beginning it does not know.
    for word in list(found):
        for end in range(1, len(word)):
            found.setdefault(word[:end], 0)
    return found
