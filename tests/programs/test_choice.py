"""Which model answers: clear words when none can."""

from __future__ import annotations

import pytest

from programs.lms.choice import LMUnavailable, open_lms


def test_an_unknown_name_says_what_can_be_named() -> None:
    with pytest.raises(LMUnavailable, match=r"'gpt4'.*embedded.*openai/gpt-4o-mini"):
        open_lms("gpt4")


def test_a_missing_gguf_file_is_named_with_the_next_step(tmp_path: object) -> None:
    with pytest.raises(LMUnavailable, match=r"nowhere\.gguf.*Next step"):
        open_lms(f"embedded:{tmp_path}/nowhere.gguf")


def test_the_environment_names_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUPERBIZ_LM", "openai/some-model")
    monkeypatch.setenv("SUPERBIZ_LM_API_BASE", "http://127.0.0.1:9/v1")
    lms = open_lms()
    assert (lms.name, lms.decide) == ("openai/some-model", None)
    assert "127.0.0.1" not in str(lms.describe())
