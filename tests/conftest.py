"""Every test has a SuperBiz home of its own; live tests use the machine's, where the model file is."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

# Set before any test imports dspy: LiteLLM would otherwise wait for the network.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "true"

# HYPOTHESIS_PROFILE=nightly looks longer; mutation runs look shorter. A deadline would be a timed assertion.
for name, examples in (("ci", 300), ("nightly", 2000), ("mutation", 25)):
    settings.register_profile(name, max_examples=examples, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture(autouse=True)
def superbiz_home(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Path | None:
    """The empty SUPERBIZ_HOME of this test; None for a live test, which keeps the machine's settings."""
    if request.node.get_closest_marker("live"):
        return None
    home = tmp_path_factory.mktemp("superbiz-home")
    for name in [name for name in os.environ if name.startswith("SUPERBIZ_") and not name.startswith("SUPERBIZ_TEST_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("SUPERBIZ_HOME", str(home))
    return home
