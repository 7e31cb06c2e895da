"""Every test has a SuperBiz home of its own; live tests use the machine's, where the model file is."""

import os
from pathlib import Path

import pytest

# Set before any test imports dspy: LiteLLM would otherwise wait for the network.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "true"


@pytest.fixture(autouse=True)
def superbiz_home(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Path | None:
    """The empty SUPERBIZ_HOME of this test; None for a live test, which keeps the machine's settings."""
    if request.node.get_closest_marker("live"):
        return None
    home = tmp_path_factory.mktemp("superbiz-home")
    for name in [name for name in os.environ if name.startswith("SUPERBIZ_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("SUPERBIZ_HOME", str(home))
    return home
